"""Components for any scenario."""
