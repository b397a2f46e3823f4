"""The terminal: a run while it goes on, its history afterwards, and what it came to."""
