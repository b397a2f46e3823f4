"""Frames of the theatre in files: a page, a picture, a recording for a terminal, plain text."""
