"""What is kept: plain stores that know no agents."""
