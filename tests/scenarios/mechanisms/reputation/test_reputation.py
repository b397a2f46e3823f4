"""Reputation: who meets whom, and the rounds of others that one is shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.environment import Environment
from society.engine.mechanism import Play as Wrapped
from society.engine.mechanism import PlayFunction, as_play, declared_by, intercept
from society.engine.scenario import Scenario, wrap_scenario
from society.engine.script import Line, Script, Tell
from society.errors import ScenarioError
from society.scenarios.games.player_matching import Matches
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma, trust
from society.scenarios.mechanisms.reputation import reputation as module
from society.scenarios.mechanisms.reputation.reputation import entries_of, reputation

if TYPE_CHECKING:
    from tests.conftest import Played
    from tests.scenarios.conftest import Puppets, Shown


class Seen(NamedTuple):
    """A round as it is shown: its level, number, whose it is, action, points; and with whom."""

    depth: int
    round: int
    of: int
    action: int
    points: float
    others: tuple[tuple[int, int, float], ...]


def tree(over: Played, shown: Shown, agent: int, players: int) -> list[Seen]:
    """Return the tree that an agent is shown before the last game."""
    names = ("depth", "round", "of", "action", "points", "with", "with_action", "with_points")
    facts = [shown(over, f"past_{name}")[-1][0] for name in names]
    *single, whom, what, paid = (fact[0 if len(fact) == 1 else agent].tolist() for fact in facts)
    met = list(zip(whom, what, paid, strict=True))
    others = [tuple(met[k : k + players - 1]) for k in range(0, len(met), players - 1)]
    return [Seen._make(one) for one in zip(*single, others, strict=True)]


def seated(monkeypatch: pytest.MonkeyPatch, *rounds: list[list[int]]) -> None:
    """Games have these matches, each the agents on its seats, one game after the other."""
    to_come = iter(rounds)
    monkeypatch.setattr(
        module, "shuffle_matches", lambda env, first: Matches(np.array([next(to_come)]))
    )


# Who meets whom


def test_everybody_keeps_its_seat_and_plays_once_a_game(puppets: Puppets, shown: Shown) -> None:
    over = puppets(wrap_scenario(public_goods, reputation, games=30), ["01"] * 12, replicates=5)
    everybody = np.arange(12)
    for opponents in shown(over, "opponents"):
        for mine in opponents:
            seats = np.sort(np.column_stack([everybody % 3, mine % 3]), axis=1)
            assert (seats == [0, 1, 2]).all()
            together = np.sort(np.column_stack([everybody, mine]), axis=1)
            assert set(Counter(map(tuple, together.tolist())).values()) == {3}


def test_each_order_is_equally_likely_and_rematches_occur(puppets: Puppets, shown: Shown) -> None:
    """Of three matches of two: six ways to meet, 4,000 times in all; chi-square, 5 degrees."""
    over = puppets(wrap_scenario(trust, reputation, games=4), ["0"] * 6, replicates=1_000)
    met = [tuple(row) for fact in shown(over, "opponents") for row in fact[:, ::2, 0].tolist()]
    counts = Counter(met)
    assert len(counts) == 6
    expected = len(met) / 6
    statistic = sum((count - expected) ** 2 / expected for count in counts.values())
    assert statistic < 20.5  # exceeded once in a thousand
    first, second = (fact[:, 0, 0] for fact in shown(over, "opponents")[:2])
    again = (first == second).mean()
    assert again == pytest.approx(1 / 3, abs=4 * np.sqrt(2 / 9 / 1_000))


def test_replicates_have_meetings_of_their_own(puppets: Puppets, shown: Shown) -> None:
    """And each the same, whether it is played alone or not."""
    given: dict[str, Any] = {"seed": 5}
    scenario = wrap_scenario(trust, reputation, games=5, order="higher")
    both = puppets(scenario, ["01", "10", "11", "00"], replicates=2, **given)
    second = puppets(scenario, ["01", "10", "11", "00"], replicate_ids=[1], **given)
    for name in ("opponents", "past_of", "past_points", "past_with", "past_last"):
        pairs = list(zip(shown(both, name), shown(second, name), strict=True))
        assert all((two[1] == one[0]).all() for two, one in pairs), name
    assert any((fact[0] != fact[1]).any() for fact in shown(both, "opponents"))


def test_what_is_told_of_a_game_names_those_who_met(puppets: Puppets, shown: Shown) -> None:
    over = puppets(wrap_scenario(trust, reputation, games=3), ["0"] * 6)
    told = [step.arrays["own", "opponents"] for step in over.steps if step.kind == "played"]
    assert [fact.tolist() for fact in told] == [f.tolist() for f in shown(over, "opponents")]
    assert [fact[..., 0].tolist() for fact in told] == [
        fact.tolist() for fact in over.told("partner")
    ]


# What is shown, of two players

PAIRS = [[[0, 1], [2, 3]], [[0, 3], [2, 1]], [[0, 1], [2, 3]], [[0, 3], [2, 1]]]
MOVES = ["0111", "0011", "0001", "1000"]  # of agents 0, 1, 2, 3, game by game
# 1: 0 (C, 2) with 1 (C, 2)      2 (C, 0) with 3 (D, 3)
# 2: 0 (D, 3) with 3 (C, 0)      2 (C, 2) with 1 (C, 2)
# 3: 0 (D, 1) with 1 (D, 1)      2 (C, 2) with 3 (C, 2)


def test_of_first_order_are_the_rounds_of_the_reader_and_of_its_co_player(
    puppets: Puppets, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    seated(monkeypatch, *PAIRS)
    over = puppets(wrap_scenario(prisoners_dilemma, reputation, games=4), MOVES)
    assert tree(over, shown, agent=0, players=2) == [
        (1, 3, 0, 1, 1, ((1, 1, 1),)),
        (1, 2, 0, 1, 3, ((3, 0, 0),)),
        (1, 1, 0, 0, 2, ((1, 0, 2),)),
        (1, 3, 3, 0, 2, ((2, 0, 2),)),
        (1, 2, 3, 0, 0, ((0, 1, 3),)),
        (1, 1, 3, 1, 3, ((2, 0, 0),)),
    ]
    assert shown(over, "past_last")[-1][0].tolist() == [[0], [0], [1], [1]]


def test_of_higher_order_are_the_earlier_rounds_of_those_whom_one_met(
    puppets: Puppets, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    seated(monkeypatch, *PAIRS)
    over = puppets(wrap_scenario(prisoners_dilemma, reputation, games=4, order="higher"), MOVES)
    assert tree(over, shown, agent=0, players=2) == [
        (1, 3, 0, 1, 1, ((1, 1, 1),)),
        (2, 2, 1, 0, 2, ((2, 0, 2),)),
        (3, 1, 2, 0, 0, ((3, 1, 3),)),
        (2, 1, 1, 0, 2, ((0, 0, 2),)),
        (1, 2, 0, 1, 3, ((3, 0, 0),)),
        (2, 1, 3, 1, 3, ((2, 0, 0),)),
        (1, 1, 0, 0, 2, ((1, 0, 2),)),
        (1, 3, 3, 0, 2, ((2, 0, 2),)),
        (2, 2, 2, 0, 2, ((1, 0, 2),)),
        (3, 1, 1, 0, 2, ((0, 0, 2),)),
        (2, 1, 2, 0, 0, ((3, 1, 3),)),
        (1, 2, 3, 0, 0, ((0, 1, 3),)),
        (2, 1, 0, 0, 2, ((1, 0, 2),)),
        (1, 1, 3, 1, 3, ((2, 0, 0),)),
    ]


def test_nothing_is_deeper_than_the_depth(
    puppets: Puppets, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    for depth in (1, 2):
        seated(monkeypatch, *PAIRS)
        scenario = wrap_scenario(
            prisoners_dilemma, reputation, games=4, order="higher", depth=depth
        )
        over = puppets(scenario, MOVES)
        levels = [one.depth for one in tree(over, shown, agent=0, players=2)]
        assert levels == {1: [1] * 6, 2: [1, 2, 2, 1, 2, 1] * 2}[depth]


@pytest.mark.parametrize("order", ["first", "higher"])
def test_nothing_is_older_than_the_window(
    puppets: Puppets, shown: Shown, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    seated(monkeypatch, *PAIRS)
    over = puppets(
        wrap_scenario(prisoners_dilemma, reputation, games=4, window=2, order=order), MOVES
    )
    rounds = [one.round for one in tree(over, shown, agent=0, players=2)]
    assert rounds == {"first": [3, 2, 3, 2], "higher": [3, 2, 2, 3, 2, 2]}[order]


def test_before_the_first_game_there_is_no_past(puppets: Puppets, shown: Shown) -> None:
    over = puppets(wrap_scenario(trust, reputation, games=3), ["0"] * 4)
    assert len(shown(over, "past_round")) == 2
    assert [int(fact.flat[0]) for fact in shown(over, "games_played")] == [0, 1, 2]
    assert len(shown(over, "opponents")) == 3


# What is shown, of three players


def test_of_three_players_both_co_players_are_followed(
    puppets: Puppets, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Factor 1.5: k of three contributing make k / 2 for all, and a point more for who keeps.

    Before game 4 agent 4, player 2, meets agents 0 and 2.
    """
    seated(
        monkeypatch,
        [[0, 1, 2], [3, 4, 5]],
        [[0, 4, 5], [3, 1, 2]],
        [[3, 4, 2], [0, 1, 5]],
        [[0, 4, 2], [3, 1, 5]],
    )
    moves = ["0100", "0000", "1000", "0000", "1100", "0100"]
    # 1: 0 (C, 1), 1 (C, 1), 2 (D, 2)          3 (C, 1), 4 (D, 2), 5 (C, 1)
    # 2: 0 (D, 1), 4 (D, 1), 5 (D, 1)          3 (C, 1.5), 1 (C, 1.5), 2 (C, 1.5)
    # 3: all contribute                        all contribute
    over = puppets(wrap_scenario(public_goods, reputation, games=4, order="higher"), moves)
    seen = tree(over, shown, agent=4, players=3)
    assert len(seen) == 3 * 13
    assert seen[:13] == [
        (1, 3, 4, 0, 1.5, ((3, 0, 1.5), (2, 0, 1.5))),
        (2, 2, 3, 0, 1.5, ((1, 0, 1.5), (2, 0, 1.5))),
        (3, 1, 1, 0, 1, ((0, 0, 1), (2, 1, 2))),
        (3, 1, 2, 1, 2, ((0, 0, 1), (1, 0, 1))),
        (2, 1, 3, 0, 1, ((4, 1, 2), (5, 0, 1))),
        (2, 2, 2, 0, 1.5, ((3, 0, 1.5), (1, 0, 1.5))),
        (3, 1, 3, 0, 1, ((4, 1, 2), (5, 0, 1))),
        (3, 1, 1, 0, 1, ((0, 0, 1), (2, 1, 2))),
        (2, 1, 2, 1, 2, ((0, 0, 1), (1, 0, 1))),
        (1, 2, 4, 1, 1, ((0, 1, 1), (5, 1, 1))),
        (2, 1, 0, 0, 1, ((1, 0, 1), (2, 1, 2))),
        (2, 1, 5, 0, 1, ((3, 0, 1), (4, 1, 2))),
        (1, 1, 4, 1, 2, ((3, 0, 1), (5, 0, 1))),
    ]
    assert [one.of for one in seen if one.depth == 1] == [4] * 3 + [0] * 3 + [2] * 3
    assert shown(over, "past_seat")[-1][0][4].tolist()[:5] == [2, 1, 2, 3, 1]


@pytest.mark.parametrize(("games", "players", "levels"), [(3, 2, 3), (3, 3, 2), (5, 3, 4)])
def test_as_many_rounds_are_shown_as_were_counted(
    puppets: Puppets, shown: Shown, games: int, players: int, levels: int
) -> None:
    game = {2: trust, 3: public_goods}[players]
    scenario = wrap_scenario(
        game, reputation, games=games + 1, window=None, order="higher", depth=levels
    )
    over = puppets(scenario, ["0"] * (2 * players))
    entries = shown(over, "past_of")[-1].shape[2]
    assert entries == players * entries_of(games, players, levels)


# With other mechanisms


def doubled(play: PlayFunction) -> Wrapped:
    """Everybody gets its payoff twice."""
    whole, declared = as_play(play), declared_by(play, "doubled")

    def paid(said: Line, back: Any) -> Any:
        if isinstance(said, Tell) and said.kind == declared.told:
            return said.facts[declared.payoff].values
        return back

    def script(env: Environment) -> Script:
        return intercept(play(env), answer=paid)

    return replace(whole, script=script)


def test_points_are_what_everybody_got_in_the_end(puppets: Puppets, shown: Shown) -> None:
    plain = wrap_scenario(trust, reputation, games=3)
    more = Scenario("more", doubled(plain.play), params=plain.params, cast=plain.cast)
    once, twice = (
        shown(puppets(scenario, ["01", "10", "11", "00"]), "past_points")[-1]
        for scenario in (plain, more)
    )
    assert (2 * once == twice).all()


# Refused


@pytest.mark.parametrize(
    ("scenario", "changes", "message"),
    [
        ("fishing_village", {}, "reputation: "),
        ("donor_game", {}, "reputation: "),
        ("trust", {}, "2 agents are one match.*take 4 agents"),
        ("public_goods", {"agents": 3}, "3 agents are one match.*take 6 agents"),
        ("normal_form", {"agents": 2, "parameters": {"payoffs": [[1], [2]]}}, "one player"),
        ("trust", {"agents": 4, "rounds": 2}, "a game has 2 rounds"),
        ("trust", {"agents": 5}, "5 agents make no matches of 2"),
        (
            "trust",
            {"agents": 4, "mechanisms": [{"repetition": {}}, {"reputation": {}}]},
            "reputation stands around repetition",
        ),
        (
            "trust",
            {"agents": 4, "mechanisms": [{"reputation": {}}, {"repetition": {}}]},
            "repetition stands around reputation",
        ),
        (
            "trust",
            {"agents": 4, "mechanisms": [{"reputation": {}}, {"reputation": {}}]},
            "reputation stands around reputation",
        ),
        (
            "trust",
            {"agents": 4, "mechanisms": [{"generations": {"count": 2}}, {"reputation": {}}]},
            "name `reputation` before `generations`",
        ),
        (
            "trust",
            {
                "agents": 4,
                "mechanisms": [
                    {"reputation": {"games": 20, "window": None, "order": "higher", "depth": 19}}
                ],
            },
            "would be shown 1,048,574 rounds.*smaller window or depth",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    scenario: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        build(load_config(scenario, {"mechanisms": [{"reputation": {}}], **changes}))
