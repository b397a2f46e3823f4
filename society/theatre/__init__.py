"""The theatre: a recorded society to be looked at, round by round, on a terminal and in exports."""
