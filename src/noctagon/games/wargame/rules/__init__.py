"""The rules of AI Wargame: kernel, positions and notation."""
