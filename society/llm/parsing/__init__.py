"""Parsing: finding the answer in what a model wrote."""
