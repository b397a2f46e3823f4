"""Leadership."""
