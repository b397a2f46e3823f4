"""A bound on answers."""
