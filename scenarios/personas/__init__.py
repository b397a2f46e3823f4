"""Models describe the people of a table."""
