"""The village paper reproduced: Gupta et al. 2026 (AAMAS), sections 4.1 and 4.2."""

from __future__ import annotations

from pathlib import Path

from society.reproduction.papers import read_paper

PAPER = read_paper(Path(__file__).with_name("claims.yaml"), __name__)
