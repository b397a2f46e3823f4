"""Generations: selection, inheritance, succession."""
