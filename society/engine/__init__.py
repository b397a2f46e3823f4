"""The game master, agents and their state; it knows no game, no prose and no file."""
