"""Mechanisms: rules laid over a game from outside; `all_mechanisms` names every one.

A mechanism cannot be named here: this package has folders called like some of them.
"""
