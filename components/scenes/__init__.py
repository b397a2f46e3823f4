"""Rules for open scenes: acts in plain words, and a referee that reads them."""
