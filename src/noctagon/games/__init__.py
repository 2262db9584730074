"""The games that ship, each a plug-in found by the entry point group `noctagon.games`."""
