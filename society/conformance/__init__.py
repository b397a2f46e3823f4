"""Checks that hold for every component and society, for tests and for `society check`."""
