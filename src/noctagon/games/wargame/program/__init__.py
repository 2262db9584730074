"""The program of the AI Wargame assignment."""
