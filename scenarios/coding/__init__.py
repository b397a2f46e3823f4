"""Coding of texts by several raters."""
