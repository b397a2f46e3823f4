"""Strategies as code reproduced: Willis et al. 2026, groups of hundreds of programs by models."""

from __future__ import annotations

from pathlib import Path

from society.reproduction.papers import read_paper

PAPER = read_paper(Path(__file__).with_name("claims.yaml"), __name__)
