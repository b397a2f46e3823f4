"""A correlation device."""
