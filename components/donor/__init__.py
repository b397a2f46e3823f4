"""Components for donor games."""
