"""Run files: writing, reading, resuming and verifying the record of a run."""
