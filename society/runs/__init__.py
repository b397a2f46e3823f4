"""The run file: what a run was given, what happened, and how to drive it again."""
