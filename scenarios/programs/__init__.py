"""Scenarios about programs: models write strategies as code."""
