"""Experiments: their files, and the sweeps that play their conditions, on one machine or many."""
