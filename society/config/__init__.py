"""The way from a scenario file to a society that can be played."""
