"""Watching a run in the terminal."""
