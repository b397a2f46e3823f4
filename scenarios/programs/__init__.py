"""Scenarios about programs: models write strategies as code, and populations of them play."""
