"""Ways to reach models: providers, servers of one's own, scripts and recordings."""
