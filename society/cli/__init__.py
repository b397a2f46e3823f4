"""The commands: `main` parses the command line, `runs` and `experiments` carry commands out.

Heavy imports are inside the commands, so that `society --help` answers at once.
"""
