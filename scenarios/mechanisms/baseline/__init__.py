"""No mechanism: the baseline."""
