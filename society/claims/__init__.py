"""Claims that papers make, and the comparisons by which they are judged."""
