"""People that were written: how different they are, and which were not written."""
