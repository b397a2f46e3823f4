"""Strategies as code: Willis et al. 2026, what becomes of hundreds of programs by language models."""

from __future__ import annotations

from pathlib import Path

from society.reproduction.papers import read_paper

PAPER = read_paper(Path(__file__).with_name("claims.yaml"), __name__)
