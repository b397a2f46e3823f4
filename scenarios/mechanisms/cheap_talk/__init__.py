"""Cheap talk."""
