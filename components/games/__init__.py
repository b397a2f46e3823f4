"""Components for games given by payoffs."""
