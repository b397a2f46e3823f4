"""The component of starter.py does what it promises."""

from pathlib import Path

import society

HERE = Path(__file__).parent


def test_it_passes_all_checks() -> None:
    results = society.check(HERE / "starter.py")
    assert [one for one in results if one.outcome != "ok"] == []


def test_it_fishes_with_the_effort_that_it_was_given() -> None:
    result = society.run(HERE / "starter.yaml", seed=1, rounds=1, replicates=1)
    efforts = result.events.query("kind == 'effort' and scope == 'answer'")["value"]
    assert efforts.iloc[:3].tolist() == [0.6, 0.6, 0.6]
