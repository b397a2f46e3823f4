"""Reefs, and those who fish there."""
