"""Mediation."""
