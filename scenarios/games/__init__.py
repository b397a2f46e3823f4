"""Games given by their payoffs."""
