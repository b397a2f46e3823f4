"""Tournaments of all types of agents."""
