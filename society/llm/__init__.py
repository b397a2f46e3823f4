"""How language models are asked: prompts, parsing of what they write, providers."""
