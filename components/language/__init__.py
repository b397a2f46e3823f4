"""Components that ask language models."""
