"""Strategies written as programs: the games they play, and the room in which they are run."""
