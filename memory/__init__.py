"""Memory: plain stores that know no agents."""
