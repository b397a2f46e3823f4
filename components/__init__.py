"""Parts of an agent: one faculty per file."""
