"""The sections of generations: who had children, what they inherited, what came of it."""
