"""Analysis of runs: studies, statistics, planning, evolution, cross-play, and the metagame."""
