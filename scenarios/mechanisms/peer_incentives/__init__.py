"""Peer punishment and peer reward."""
