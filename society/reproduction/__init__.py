"""A paper's claims beside our results."""
