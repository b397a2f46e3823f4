"""The donor paper reproduced: Vallinder and Hughes 2024, arXiv 2412.10270."""

from __future__ import annotations

from pathlib import Path

from society.reproduction.papers import read_paper

PAPER = read_paper(Path(__file__).with_name("claims.yaml"), __name__)
