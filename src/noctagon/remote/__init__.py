"""Players that are not in this process: over a pipe (and, as it comes, over a wire)."""
