"""The donor game."""
