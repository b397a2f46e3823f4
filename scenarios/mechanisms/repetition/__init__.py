"""Repeated play with the same partners."""
