"""The mechanism of starter.py does what it promises."""

from pathlib import Path

import society

HERE = Path(__file__).parent


def test_it_passes_all_checks() -> None:
    results = society.check(HERE / "starter.py")
    assert [one for one in results if one.outcome != "ok"] == []


def test_where_all_is_collected_everybody_gets_the_same() -> None:
    game = [{"starter": {"rate": 1.0}}]
    result = society.run(
        "public_goods", mechanisms=game, uses=[str(HERE / "starter.py")], seed=1
    )
    payoffs = result.events.query("name == 'payoff'")["value"]
    assert payoffs.std() < 1e-9


def test_it_can_be_played() -> None:
    assert society.run(HERE / "starter.yaml", seed=1).played == 10
