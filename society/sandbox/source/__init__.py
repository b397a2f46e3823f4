"""The text of a program: what it may say, what it says of itself, and how it is instrumented."""
