"""Recorded games on the page: uploads, replays and evaluations."""
