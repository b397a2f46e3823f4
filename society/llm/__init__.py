"""Language models: prompts, parsing of what they write, providers."""
