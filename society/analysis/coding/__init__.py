"""Norm coding: raters read what agents have said, with a rubric."""
