"""Programs that play dilemmas: models write them, they meet in self-play, and they evolve."""
