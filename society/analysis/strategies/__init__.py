"""Strategies written as code: how they behave, and how sets of them differ."""
