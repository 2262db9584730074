"""The lab: studies of the documents' claims, C++ twins and training runs, for those who develop Noctagon."""
