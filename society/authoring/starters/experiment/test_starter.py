"""The experiment of starter.yaml is sound."""

from pathlib import Path

import society

HERE = Path(__file__).parent


def test_it_passes_all_checks() -> None:
    results = society.check(HERE / "starter.yaml")
    assert [one for one in results if one.outcome != "ok"] == []
