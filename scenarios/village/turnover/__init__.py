"""People who come and go while a village goes on, and what becomes of its norms."""
