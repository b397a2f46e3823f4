"""How outside models are reached: providers, servers of one's own, scripts and recordings."""
