"""Repeated play with new partners and what they did before."""
