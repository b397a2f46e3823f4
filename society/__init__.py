"""Societies of agents: components say what an agent is made of, scenarios say what happens."""

from pathlib import Path

# The top folders components/, scenarios/ and memory/ are society.components and so on: by links in
# a checkout, by their place in an installation. Where the links are missing (Windows, an archive)
# the repository root, one level up, stands in for them.
if not Path(__file__).with_name("components").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))
