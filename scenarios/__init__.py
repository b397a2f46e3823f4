"""Scenarios: one rule book per file."""
