"""Audits: whether the conclusions of an experiment hold when its questions are worded otherwise."""
