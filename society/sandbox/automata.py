"""Programs unrolled on demand into automata."""


class AutomatonTables:
    """What a worker remembers between batches: one automaton per program and game."""
