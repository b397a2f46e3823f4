"""What each command does. How it is typed stands in cli.

Heavy imports stand inside the commands, so that `society --help` answers at once.
"""
