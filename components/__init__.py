"""What an agent is made of: one faculty per file."""
