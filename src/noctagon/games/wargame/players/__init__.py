"""The players of AI Wargame that the source document describes, and the turtle."""
