"""Agreements: designed, approved by vote, and signed."""
