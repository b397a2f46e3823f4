"""What happens: one rule book per file."""
