"""A program while it runs: the world it sees, its budget of steps, its instances."""
