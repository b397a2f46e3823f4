"""Villages that share a fishing ground."""
