"""Language models: prompts out, answers back in."""
