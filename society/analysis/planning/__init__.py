"""How many runs an experiment needs, told before it is played."""
