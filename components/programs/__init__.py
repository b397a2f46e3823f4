"""Components whose rules are programs, written by models or people and run in a sandbox."""
