"""Planning: how many runs an experiment needs, computed before it is played."""
