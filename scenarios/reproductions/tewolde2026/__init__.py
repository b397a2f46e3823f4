"""CoopEval reproduced: Tewolde et al. 2026, which mechanisms make which minds cooperate."""

from __future__ import annotations

from pathlib import Path

from society.reproduction.papers import read_paper

PAPER = read_paper(Path(__file__).with_name("claims.yaml"), __name__)
