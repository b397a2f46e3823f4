"""What players are told in words: all they need for their move, and nothing that they ought not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from society.config.build import build
from society.config.run_config import load_config

if TYPE_CHECKING:
    from tests.conftest import Recorded
    from tests.scenarios.conftest import Prompted

GAMES = (
    "prisoners_dilemma",
    "trust",
    "stag_hunt",
    "matching_pennies",
    "public_goods",
    "travellers_dilemma",
    "normal_form",
    "collective_risk",
    "common_pool",
)
PLAYERS = {"public_goods": 3, "collective_risk": 4, "common_pool": 4}
OFTEN = {"rounds": 1, "mechanisms": [{"reputation": {"games": 7, "order": "higher"}}]}
SELDOM: tuple[dict[str, Any], ...] = (
    {},
    {"mechanisms": [{"repetition": {"games": 7, "continuation": 0.8, "window": 3}}]},
    {"mechanisms": [{"reputation": {"games": 7, "order": "first"}}]},
)
CASES = [*((game, OFTEN) for game in GAMES), *(("trust", changes) for changes in SELDOM)]
HIDDEN = ["dilemma", "trust", "stag", "hunt", "pennies", "goods", "traveller", "defect", "cooperat"]
HIDDEN += ["prisoner", "grim", "tit for tat", "discount", "weight", "language model", "equilibrium"]


def told(prompt: str) -> str:
    """Return the words about the past, without the rules and the form of the answer."""
    return prompt.partition("You play this game again")[2].partition("You are player")[0]


@pytest.mark.parametrize(("game", "changes"), CASES)
def test_the_rules_name_nothing_and_tell_no_number_of_games(
    prompted: Prompted, game: str, changes: dict[str, Any]
) -> None:
    """The fourth of seven games, among twelve agents under reputation, else in one match."""
    players = PLAYERS.get(game, 2)
    agents = 4 * players if "reputation" in str(changes) else players
    before = prompted(game, ["0"] * agents, agent=1, **changes)
    prompt = before[min(3, len(before) - 1)]
    assert not [word for word in HIDDEN if word in prompt.lower()]
    assert not re.search(r"\b(7|seven|15)\b", re.sub(r"[Aa]gent \d+", "", prompt))
    assert "{" not in prompt.partition("Form of the answer")[0]
    assert "\n\n\n" not in prompt
    assert "You are player 2." in prompt
    assert prompt.endswith("<percent>} of whole percentages that sum to 100")


def test_a_mechanism_stands_between_the_rules_and_the_form_of_the_answer(
    prompted: Prompted,
) -> None:
    plain = prompted("trust", ["0", "0"])[0]
    again = prompted("trust", ["0", "0"], mechanisms=[{"repetition": {}}])[0]
    rules, _, form = plain.partition("\n\nYou are player 1.\n\nGive the probability")
    assert again.startswith(f"{rules}\n\nYou play this game again")
    assert again.endswith(form)


def test_both_players_of_an_asymmetric_game_see_it_from_their_own_seat(prompted: Prompted) -> None:
    first, second = (prompted("trust", ["0", "0"], agent=seat)[0] for seat in (0, 1))
    assert "- You A1, the other player A0: you get 6 points, the other player 2 points." in first
    assert "- You A1, the other player A0: you get 20 points, the other player 0 points." in second
    assert "- You A0, the other player A1: you get 2 points, the other player 6 points." in second


def test_a_public_good_is_told_as_a_formula(prompted: Prompted) -> None:
    prompt = prompted("public_goods", ["0"] * 4, parameters={"players": 4, "factor": 1.6})[0]
    assert "You play a game with 3 other players." in prompt
    assert "Let k be the number of players, out of 4, who take A0." in prompt
    assert "- A player who takes A0 gets 1.6 x k / 4 points." in prompt
    assert "- A player who takes A1 gets 1.6 x k / 4 + 1 points." in prompt


def test_a_collective_risk_is_told_with_its_threshold(prompted: Prompted) -> None:
    params = {"players": 5, "threshold": 3, "factor": 2.5}
    prompt = prompted("collective_risk", ["0"] * 5, parameters=params, rounds=1)[0]
    assert "- If 3 or more of the 5 players take A0, it is averted, and every player gets 2.5" in (
        prompt
    )
    assert (
        "- All take A1: each gets 1 point.\n"
        "- 2 take A0, the others A1: 0 points for those who take A0, 1 point for the others.\n"
        "- 3 take A0, the others A1: 2.5 points for those who take A0, 3.5 points for the others.\n"
        "- All take A0: each gets 2.5 points.\n"
    ) in prompt
    assert "round" not in prompt.partition("percent")[0]


@pytest.mark.parametrize(("threshold", "cases"), [(1, 3), (2, 4), (3, 3)])
def test_examples_of_a_collective_risk_are_those_that_can_come(
    prompted: Prompted, threshold: int, cases: int
) -> None:
    params = {"players": 3, "threshold": threshold}
    prompt = prompted("collective_risk", ["0"] * 3, parameters=params)[0]
    examples = prompt.partition("For example:\n")[2].partition("\n\n")[0].splitlines()
    assert len(examples) == cases
    assert all(line.startswith("- ") for line in examples)


def test_a_common_pool_is_told_with_the_law_of_its_growth(prompted: Prompted) -> None:
    params = {"players": 2, "capacity": 10}
    prompt = prompted("common_pool", ["0"] * 2, parameters=params)[0]
    assert "- A player who takes A0 takes S / 4 from it, and gets as many points." in prompt
    assert "- A player who takes A1 takes twice as much, S / 2, and" in prompt
    assert "The stock is then s + 2 s (1 - s / 10), but at most 10." in prompt
    assert "- All take A0: each gets 2.5 points, 5 is left, and the stock grows back to 10." in (
        prompt
    )


def test_players_know_how_many_rounds_there_are_and_what_happened_in_each(
    prompted: Prompted,
) -> None:
    prompt = prompted("common_pool", ["000", "010", "000"], parameters={"players": 3}, rounds=3)[2]
    assert "The same players play 3 rounds. Your points of all rounds are added up." in prompt
    assert "They cannot talk to each other" in prompt
    past = prompt.partition("What you remember:\n")[2].partition("\n\n")
    assert past[0].splitlines() == [
        "- Round 1: You took A0 and got 2 points. Player 2 took A0, which paid 2 points; player 3 "
        "took A0, which paid 2 points. The stock has grown to 12.",
        "- Round 2: You took A0 and got 2 points. Player 2 took A1, which paid 4 points; player 3 "
        "took A0, which paid 2 points. The stock has grown to 9.333.",
    ]
    assert past[2].startswith("This is round 3 of 3. The stock is 9.333 now.\n\nGive the prob")


@pytest.mark.parametrize(("memory", "remembered"), [(0, 0), (2, 2), (None, 3)])
def test_models_remember_as_many_events_as_they_are_said_to(
    prompted: Prompted, memory: int | None, remembered: int
) -> None:
    params = {"players": 2, "memory": memory}
    prompt = prompted("common_pool", ["0000", "0000"], parameters=params, rounds=4)[3]
    assert prompt.count("- Round ") == remembered


def test_players_know_the_chance_of_another_round_in_place_of_their_number(
    prompted: Prompted,
) -> None:
    params = {"players": 2, "continuation": 0.9}
    prompt = prompted("collective_risk", ["000", "010"], parameters=params, rounds=3)[1]
    assert "after each one, there is a chance of 90 % that another one follows." in prompt
    assert (
        "You took A0 and got 2 points. The other player took A0, which paid 2 points. Enough"
        in (prompt)
    )
    assert "\nThis is round 2.\n" in prompt
    assert not re.search(r"\b(3|three)\b", prompt)


def test_of_many_players_it_is_told_how_many_took_what(prompted: Prompted) -> None:
    plan = ["00"] * 5 + ["10"] * 13
    params = {"players": 18}
    prompt = prompted("collective_risk", plan, agent=17, parameters=params, rounds=2)[1]
    assert (
        "- Round 1: You took A1 and got 1 point. Of the 17 other players, 5 took A0, which paid 0 "
        "points; 12 took A1, which paid 1 point. Too few players took A0.\n"
    ) in prompt


def test_under_a_mechanism_nobody_is_told_that_players_cannot_talk(prompted: Prompted) -> None:
    given = {"mechanisms": ["leadership"], "rounds": 2}
    prompt = prompted("collective_risk", ["00"] * 4, **given)[0]
    assert "The same players play 2 rounds." in prompt
    assert "cannot talk" not in prompt


def test_claims_are_told_with_the_bonus(prompted: Prompted) -> None:
    params = {"lowest": 3, "highest": 5, "bonus": 2.5}
    prompt = prompted("travellers_dilemma", ["0", "0"], parameters=params)[0]
    assert "Actions of each player: A0, A1, A2." in prompt
    assert "A0 for 3, A1 for 4, A2 for 5." in prompt
    assert "- If x < y, you get x + 2.5 points, and the other player x - 2.5." in prompt


def test_a_table_of_three_players_with_actions_of_their_own(prompted: Prompted) -> None:
    payoffs = [[[[1, 2, 3]], [[4, 5, 6]]], [[[7, 8, 9]], [[10, 11, 1]]]]
    labels = [["up", "down"], ["left", "right"], ["wait"]]
    prompt = prompted(
        "normal_form", ["0"] * 3, agent=1, parameters={"payoffs": payoffs, "actions": labels}
    )[0]
    assert "Actions of player 1: up, down.\nActions of yours: left, right." in prompt
    assert (
        "- You right, player 1 down, player 3 wait: you get 11 points, player 1 10 points, "
        "player 3 1 point."
    ) in prompt


def test_the_past_of_a_repeated_game_is_told_without_points(prompted: Prompted) -> None:
    repetition = {"repetition": {"games": 5, "continuation": 0.8, "window": 3}}
    first, second, *_, last = prompted("trust", ["01100", "00110"], mechanisms=[repetition])
    assert told(first) == (
        " and again with the same player. The action that is drawn for you is shown to the other "
        "player in later games, and may influence what they do then. After each game there is a "
        "chance of 80 % that another one follows. This is the first game.\n\n"
    )
    assert (
        "You have played one game so far.\n\nWhat happened in that game:\n- Game 1: you A0, p"
        in second
    )
    assert told(last).partition("so far.\n\n")[2] == (
        "What happened in the last 3 games, the latest first:\n"
        "- Game 4: you A0, player 2 A1\n"
        "- Game 3: you A1, player 2 A1\n"
        "- Game 2: you A1, player 2 A0\n\n"
    )


def test_of_three_players_each_is_named(prompted: Prompted) -> None:
    repetition = {"repetition": {"games": 2}}
    prompt = prompted("public_goods", ["01", "10", "00"], agent=1, mechanisms=[repetition])[1]
    assert "- Game 1: you A1, player 1 A0, player 3 A0\n" in prompt
    assert "chance" not in told(prompt)


def test_a_past_of_higher_order_is_told_as_a_tree_with_points(prompted: Prompted) -> None:
    """With four agents everybody has met everybody on the other seat, or nearly so."""
    reputation = {"reputation": {"games": 3, "order": "higher", "continuation": 0.5}}
    prompt = prompted("prisoners_dilemma", ["000", "111", "000", "111"], mechanisms=[reputation])[2]
    assert "a chance of 50 % that another one follows. You have played 2 games so far." in prompt
    entry = r"- Game {}: {} A{} \({}\) with {} A{} \({}\)\n"
    mine = entry.format(2, "you", 0, 0, r"agent \d", 1, 3)
    theirs = entry.format(1, r"agent \d", 1, 3, r"(you|agent \d)", 0, 0)
    met = r"You are agent 0\. Now you meet (agent \d)\.\n\n"
    assert re.search(f"{met}.*\nYou:\n{mine}  {theirs}- Game 1: you A0", prompt)
    assert re.search(r"\nAgent \d:\n- Game 2: agent \d A1 \(3\) with (you|agent \d) A0", prompt)


def test_who_remembers_is_told_actions_and_points_and_no_weights(prompted: Prompted) -> None:
    minds = [{"name": "player", "count": 2, "components": ["recall", "language_policy"]}]
    repetition = {"repetition": {"games": 2, "continuation": 0.8}}
    prompt = prompted("trust", ["0", "1"], cohorts=minds, mechanisms=[repetition])[1]
    remembered = prompt.partition("What you remember:\n")[2].partition("\n\n")[0]
    assert remembered.splitlines()[0] == (
        "- Game 1: You took A0, the other player A1: you got 0 points."
    )
    assert len(remembered.splitlines()) == 2


@pytest.mark.parametrize("game", GAMES)
def test_the_offline_mind_plays_every_game(recorded: Recorded, game: str) -> None:
    agents = 2 * PLAYERS.get(game, 2)
    changes = {
        "agents": agents,
        "rounds": 1,
        "parameters": {"minds": "language"},
        "mechanisms": [{"reputation": {"games": 2, "order": "higher"}}],
    }
    over = recorded(build(load_config(game, changes)).gamemaster())
    (entry,) = over.outcome.ledger
    assert (entry.calls, entry.repairs, entry.fallbacks) == (2 * agents, 0, 0)
