"""The scenario of starter.py does what it promises."""

from pathlib import Path
from typing import Any

import society

HERE = Path(__file__).parent


class Abstainer(society.Component):
    """Takes nothing."""

    answers = ("take",)

    def answer(self, ask: Any, agents: Any) -> Any:
        """Answer 0 for everybody."""
        return 0.0


def test_it_passes_all_checks() -> None:
    results = society.check(HERE / "starter.py")
    assert [one for one in results if one.outcome != "ok"] == []


def test_what_nobody_takes_stays_full() -> None:
    abstainers = [{"name": "person", "count": 5, "components": [Abstainer]}]
    result = society.run(HERE / "starter.py", seed=1, cohorts=abstainers)
    assert result.measures["stock"].mean == 100


def test_the_treatment_can_be_played() -> None:
    assert society.run(HERE / "starter.yaml", seed=1).played == 20
