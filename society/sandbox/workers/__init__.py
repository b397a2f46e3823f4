"""The processes in which programs run, their jail, and what is said to them."""
