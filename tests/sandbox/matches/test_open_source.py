"""Programs that read and simulate each other keep to what the theory of program games says."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.live_calls import DecisionCall, LiveInstances
from society.sandbox.matches.match_batch import BatchResult, MatchBatch, play_batch
from society.sandbox.matches.simulation import OpenSeat
from society.sandbox.running.facades import C, Chance
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.open_source import turn
from society.sandbox.running.runnable_program import RunnableProgram
from society.sandbox.running.step_budget import budget
from society.sandbox.stage_games import GameName, StageGame, stage_game
from tests.sandbox.slow_runner import load_programs

STRATEGIES = Path(__file__).resolve().parents[3] / "scenarios"
BOTS = (STRATEGIES / "games/strategies/open_source/open_source_programs.py").read_text()
DILEMMA = stage_game("public_goods", 2, 1, factor=1.5)  # a prisoner's dilemma: 1.75, 1.5, 1, 0.75
SEES = """
    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]

    def act(self, history):
"""
MIRROR = f"class Mirror:{SEES}        return simulate(self.theirs, self.mine).moves[0]\n"
OTHER_FAIR = f"""
class Reciprocator:{SEES}
        at_once = random.random() < 0.3
        return C if at_once else simulate(self.theirs, self.mine, rounds=1).moves[-1]
"""
RANDOM = "class Coin:\n    def act(self, history):\n        return random.choice([C, D])\n"
IMPOSTOR = (
    'class Impostor:\n    CLIQUE = """\n'
    + BOTS[BOTS.index("class CliqueBot") : BOTS.index("class FairBot")].replace('"""', "'''")
    + '"""\n\n    def act(self, history):\n        return D\n'
)
BURNER = """
class Burner:
    def act(self, history):
        while True:
            pass
"""


class Duel(NamedTuple):
    """Games of two: shares of cooperation of both, mean points of both, and the failures."""

    cooperation: tuple[float, float]
    points: tuple[float, float]
    result: BatchResult


def bot(name: str, text: str = BOTS) -> LoadedProgram:
    """Return the program of a name."""
    return next(one for one in load_programs(text) if one.name == name)


def duel(
    first: LoadedProgram, second: LoadedProgram, games: int = 1, game: StageGame = DILEMMA
) -> Duel:
    """Let two programs play a number of games of open source."""
    seeds = np.arange(2 * games, dtype=np.uint64).reshape(games, 2)
    batch = MatchBatch(game, np.tile([0, 1], (games, 1)), seeds, open_source=True)
    result = play_batch([first, second], batch, AutomatonTables(), lambda _: None)
    assert (turn.seat, turn.depth) == (None, 0)
    paid = game.paid(result.actions[..., 0], game.first_stock).mean(0)
    shares = result.actions.mean((0, 2))
    return Duel((shares[0], shares[1]), (float(paid[0]), float(paid[1])), result)


def seat(*table: LoadedProgram, game: StageGame = DILEMMA, seed: int = 7) -> OpenSeat:
    """Make the seat of the first program."""
    budget.reset()
    return OpenSeat([RunnableProgram(one, game) for one in table], game, seed)


# CliqueBot (Tennenholtz 2004)


def test_clique_bots_cooperate_with_equal_texts_and_with_no_others() -> None:
    clique = bot("CliqueBot")
    assert duel(clique, bot("CliqueBot")).cooperation == (1, 1)
    for other in ("CooperateBot", "FairBot", "DefectBot"):
        assert duel(clique, bot(other)).cooperation[0] == 0


def test_a_clique_is_fragile_for_a_comment_makes_a_stranger() -> None:
    stranger = bot(
        "CliqueBot",
        BOTS.replace("return C if self.alike", "# if ours\n        return C if self.alike"),
    )
    assert duel(stranger, stranger).cooperation == (1, 1)
    assert duel(bot("CliqueBot"), stranger).cooperation == (0, 0)


def test_who_copies_the_text_of_a_clique_bot_is_one() -> None:
    start = BOTS.index("class CliqueBot")
    copied = bot("CliqueBot", "# another file\n" + BOTS[start : BOTS.index("class FairBot")])
    assert duel(copied, bot("CliqueBot")).cooperation == (1, 1)


def test_who_carries_the_text_of_a_clique_bot_and_defects_is_none() -> None:
    assert duel(bot("Impostor", IMPOSTOR), bot("CliqueBot")).cooperation == (0, 0)


def test_a_text_tells_what_the_same_lines_mean_in_its_file() -> None:
    body = "class Rounds:\n    def act(self, history):\n        return C if f(0.5) else D\n"
    up = bot("Rounds", f"import numpy\nfrom math import ceil as f\n{body}")
    down = bot("Rounds", f"from math import floor as f\n{body}")
    assert up.source == down.source
    assert up.text == f"from math import ceil as f\n\n{body.strip()}"
    assert down.text != up.text


def test_two_programs_of_one_text_are_told_apart() -> None:
    text = """
class Kind:
    def other(self):
        return Cruel()

    def act(self, history):
        return C


class Cruel(Kind):
    def act(self, history):
        return D
"""
    kind, cruel = load_programs(text)
    assert kind.source == cruel.source
    assert (kind.text, cruel.text) == (f"# Kind plays\n\n{kind.source}", cruel.source)


# Grounded FairBot (Oesterheld 2019)


ALL = BOTS + OTHER_FAIR + MIRROR + RANDOM + IMPOSTOR
GAMES = 400
MANY = pytest.mark.parametrize("games", [GAMES, pytest.param(4_000, marks=pytest.mark.thorough)])
# With e = 0.1 FairBot cooperates with p = e + (1 - e) q, where q is what the other one does.
DEVIATORS = {
    "CooperateBot": 1.0,
    "Reciprocator": 1.0,
    "Coin": 0.5,
    # q = e + (1 - e)(1 - p), and so p = 1 / (1 + (1 - e)^2) = 0.552
    "Opportunist": (1 / 1.81 - 0.1) / 0.9,
    "CliqueBot": 0.0,
    "DefectBot": 0.0,
    "Impostor": 0.0,
}


@cache
def fair_against(other: str, games: int) -> Duel:
    return duel(bot("FairBot"), bot(other, ALL), games)


@pytest.mark.parametrize("other", ["FairBot", "CooperateBot", "Reciprocator"])
def test_fair_bots_cooperate_with_each_other_whatever_their_texts(other: str) -> None:
    """A simulation goes deeper with probability 0.9, so one in 40,000 reaches the bound of 100."""
    met = fair_against(other, GAMES)
    assert met.cooperation == (1, 1)
    assert met.points == (1.5, 1.5)
    assert met.result.troubles == []


@MANY
@pytest.mark.parametrize(("other", "cooperates"), DEVIATORS.items())
def test_a_fair_bot_answers_in_kind_but_for_one_in_ten_cases(
    other: str, cooperates: float, games: int
) -> None:
    """Four standard errors of a share are at most 4 sqrt(0.25 / games), 0.1 for 400 games."""
    shares = fair_against(other, games).cooperation
    error = 4 * (0.25 / games) ** 0.5
    assert shares[1] == pytest.approx(cooperates, abs=error)
    assert shares[0] == pytest.approx(0.1 + 0.9 * cooperates, abs=error)


@MANY
@pytest.mark.parametrize(("other", "cooperates"), DEVIATORS.items())
def test_no_deviation_from_two_fair_bots_pays(other: str, cooperates: float, games: int) -> None:
    """Who cooperates with probability q is paid 1 - q / 4 + 3 p / 4 = 1.075 + 0.425 q, at most 1.5.

    1.5 is what two FairBots get. Points lie within 1, so that four standard errors are at most
    4 x 0.5 / sqrt(games), 0.1 for 400 games.
    """
    paid = fair_against(other, games).points[1]
    assert paid == pytest.approx(1.075 + 0.425 * cooperates, abs=2 / games**0.5)
    assert paid <= 1.5


def test_who_mirrors_a_fair_bot_is_grounded_by_it() -> None:
    """Every other level ends with probability 0.1, so 1 - 0.9^50 = 0.995 of the calls end."""
    met = duel(bot("FairBot"), bot("Mirror", MIRROR), 100)
    troubles = met.result.troubles
    assert {one.kind for one in troubles} == {"error"}
    assert len(troubles) == 2  # and all calls that end cooperate
    assert met.result.actions.sum() == 200 - 2


def test_who_burns_the_steps_of_those_that_simulate_it_gains_nothing() -> None:
    met = duel(bot("FairBot"), bot("Burner", BURNER), 20)
    assert met.points[1] <= 1.5
    blamed = [one for one in met.result.troubles if one.seat == 0]
    assert 10 <= len(blamed) < 20  # all but one in ten
    assert {one.sentence for one in blamed} == {
        "it broke a rule: more than 100,000 steps in one call"
    }


# Simulations


@pytest.mark.parametrize("fallback", ["D", "C"])
def test_programs_that_only_mirror_each_other_end_at_the_bound_and_play_their_fallback(
    fallback: str,
) -> None:
    text = MIRROR if fallback == "D" else MIRROR.replace("Mirror", "Mirror_COLLECTIVE")
    (one,) = load_programs(text)
    game = stage_game("public_goods", 2, 4, factor=1.5)
    met = duel(one, one, game=game)
    assert met.cooperation == ((1, 1) if fallback == "C" else (0, 0))
    first = [trouble for trouble in met.result.troubles if trouble.seat == 0]
    assert [trouble.kind for trouble in first] == ["error", "error", "errors"]
    assert {(trouble.sentence, trouble.line) for trouble in first} == {
        ("it came to no end: more than 100 simulations inside each other", 6)
    }


def test_nothing_that_a_program_does_hides_that_a_limit_was_reached() -> None:
    hides = f"""
class Hides:{SEES}
        try:
            try:
                return simulate(self.theirs, self.mine).moves[0]
            finally:
                1 / 0
        except Exception:
            return C
"""
    met = duel(bot("Hides", hides), bot("Hides", hides))
    assert [one.kind for one in met.result.troubles] == ["error", "error"]
    burnt = duel(bot("Hides", hides), bot("Burner", BURNER)).result.troubles
    assert [(one.seat, one.kind) for one in burnt] == [(0, "rule"), (1, "rule")]


def test_a_program_pays_the_steps_of_all_that_it_simulates() -> None:
    heavy = """
class Heavy:
    def act(self, history):
        for _ in range(60_000):
            pass
        return C
"""
    asks = f"""
class Asks:{SEES}
        simulate(self.theirs, self.mine)
        return C


class AsksTwice:{SEES}
        simulate(self.theirs, self.mine)
        simulate(self.theirs, self.mine)
        return C
"""
    assert duel(bot("Asks", asks), bot("Heavy", heavy)).result.troubles == []
    (trouble,) = duel(bot("AsksTwice", asks), bot("Heavy", heavy)).result.troubles
    assert (trouble.seat, trouble.kind) == (0, "rule")
    assert trouble.sentence == "it broke a rule: more than 100,000 steps in one call"
    assert trouble.line == len(asks.splitlines()) - 1  # its second call


def test_the_failures_of_a_simulated_program_are_counted_and_are_its_own() -> None:
    game = stage_game("public_goods", 2, 6, factor=1.5)
    texts = f"""
class Fails_COLLECTIVE:
    def act(self, history):
        return 1 / 0


class Breaks:
    def act(self, history):
        return C if history.round_number < 2 else [0] * 10**6


class CannotStart:
    def __init__(self, game):
        self.part = 1 / 0

    def act(self, history):
        return C


class Asks:{SEES}
        return C
"""
    fails, breaks, cannot, asks = load_programs(texts)
    for program, moves, fallbacks in (
        (fails, "CCCCCC", 6),
        (breaks, "CCDDDD", 4),
        (cannot, "DDDDDD", 6),
    ):
        asking = seat(asks, program, game=game)
        record = asking.simulate(program.text, asks.text, 6)
        assert "".join(one.name for one in record.moves) == moves
        assert record.fallbacks == fallbacks
        assert (record.against_moves, record.against_fallbacks) == ((C,) * 5, 0)
        other = asking.simulate(asks.text, program.text, 6)
        assert other.against_fallbacks == fallbacks - 1
        assert budget.broken is None


PLAIN = sorted((STRATEGIES / "programs/strategies/any_dilemma").glob("*.py"))


@pytest.mark.parametrize("name", ["public_goods", "collective_risk", "common_pool"])
def test_a_simulation_of_programs_that_draw_nothing_is_the_game_itself(name: GameName) -> None:
    texts = [load_programs(path.read_text()) for path in PLAIN]
    some = [one for programs in texts for one in programs if not one.random][::3]
    game = stage_game(name, 2, 12, factor=1.5 if name == "public_goods" else None)
    for first, second in product(some, some):
        actions = duel(first, second, game=game).result.actions[0]
        record = seat(first, second, game=game).simulate(first.text, second.text, 12)
        assert [one is C for one in record.moves] == actions[0].tolist()
        assert [one is C for one in record.against_moves] == actions[1, :-1].tolist()


@pytest.mark.parametrize("name", ["public_goods", "collective_risk", "common_pool"])
def test_nothing_that_a_program_sees_differs_in_a_simulation(name: GameName) -> None:
    """Each move is a bit of a hash of all that is seen, so any difference shows in 12 rounds."""
    text = """
class Teller:
    def __init__(self, game):
        self.told = [game.name, game.n_players, game.n_rounds, game.k, game.m, game.capacity]
        self.told += [game.my_source, game.opponent_sources]

    def act(self, history):
        seen = [history.my_actions, history.my_payoffs, history.opponent_cooperators]
        seen += [history.opponent_actions, history.opponent_payoffs]
        seen = [str((one.tolist(), one.shape, one.size)) for one in seen]
        stock = None if history.stock is None else history.stock.tolist()
        return C if hash(str([self.told, history.round_number, seen, stock])) % 2 else D
"""
    teller = bot("Teller", text)
    game = stage_game(name, 2, 12, factor=1.5 if name == "public_goods" else None)
    actions = duel(teller, teller, game=game).result.actions[0]
    assert 0 < actions.sum() < actions.size
    record = seat(teller, teller, game=game).simulate(teller.text, teller.text, 12)
    assert [one is C for one in record.moves] == actions[0].tolist()
    assert [one is C for one in record.against_moves] == actions[1, :-1].tolist()


def test_several_co_players_are_given_as_a_list_or_one_for_all() -> None:
    texts = """
class Majority:
    def act(self, history):
        if history.round_number == 0:
            return D
        return C if history.opponent_actions[-1].tolist() == [True, False] else D


class Good:
    def act(self, history):
        return C


class Bad:
    def act(self, history):
        return D
"""
    majority, good, bad = load_programs(texts)
    game = stage_game("public_goods", 3, 3)
    asking = seat(majority, good, bad, game=game)
    mixed = asking.simulate(majority.text, [good.text, bad.text], 3)
    assert "".join(one.name for one in mixed.moves) == "DCC"
    assert mixed.against_moves == ((C, C), (C.flip, C.flip))
    assert mixed.against_fallbacks == (0, 0)
    turned = asking.simulate(majority.text, (bad.text, good.text), 3)
    assert "".join(one.name for one in turned.moves) == "DDD"
    alike = asking.simulate(majority.text, good.text, 2)
    assert alike.against_moves == ((C,), (C,))


# Chance


def test_simulations_shift_nobodys_draws() -> None:
    asks = f"""
class Draws:{SEES}
        first = random.random()
        for _ in range(3):
            simulate(self.theirs, self.mine)
        return C if (first + random.random() + np.random.random()) < 1.5 else D
"""
    alone = asks.replace("            simulate(self.theirs, self.mine)", "            pass")
    reseeds = """
class Reseeds:
    def act(self, history):
        random.seed(1)
        np.random.seed(1)
        return C
"""
    game = stage_game("public_goods", 2, 20, factor=1.5)
    moves = [
        duel(bot("Draws", text), bot("Reseeds", reseeds), 5, game).result.actions[:, 0].tolist()
        for text in (asks, alone)
    ]
    assert moves[0] == moves[1]


def test_each_simulation_has_a_chance_of_its_own_which_is_always_the_same() -> None:
    coin, other = bot("Coin", RANDOM), bot("FairBot")
    game = stage_game("public_goods", 2, 20, factor=1.5)
    drawn = [
        [seat(coin, other, game=game, seed=seed).simulate(coin.text, other.text, 20).moves]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    asking = seat(coin, other, game=game)
    assert asking.simulate(coin.text, coin.text, 20) is not None
    first, second = (asking.simulate(coin.text, coin.text, 20).moves for _ in range(2))
    assert first != second


def test_decisions_one_by_one_are_those_of_a_batch() -> None:
    fair, cunning = bot("FairBot"), bot("Opportunist")
    game = stage_game("public_goods", 2, 5, factor=1.5)
    live = LiveInstances([fair, cunning], lambda _: None)
    played = duel(fair, cunning, 10, game).result.actions
    for number, moves in enumerate(played):
        for place, (me, other) in enumerate(((0, 1), (1, 0))):
            own_first = moves[[place, 1 - place]].T
            for rounds in (5, 2):  # the second call begins anew
                seen = own_first[: rounds - 1]
                call = DecisionCall(
                    me, 2 * number + place, "", game, seen, game.paid(seen), None, (other,)
                )
                assert live.decide(call).value == moves[place, rounds - 1]


def test_without_open_sources_there_is_nothing_to_read_or_to_simulate() -> None:
    text = """
class Looks:
    def __init__(self, game):
        self.closed = game.my_source is None and game.opponent_sources is None

    def act(self, history):
        if history.round_number == 1:
            simulate("", "")
        return C if self.closed else D
"""
    game = stage_game("public_goods", 2, 2, factor=1.5)
    batch = MatchBatch(game, np.array([[0, 0]]), np.zeros((1, 2), np.uint64))
    result = play_batch(load_programs(text), batch, AutomatonTables(), lambda _: None)
    assert result.actions[0, 0].tolist() == [True, False]
    assert result.troubles[0].sentence.startswith(
        "it raised RuntimeError: simulate runs while a game of open source is played"
    )


def test_a_player_that_is_no_program_has_no_source() -> None:
    text = f"""
class Asks:{SEES}
        if history.round_number == 1:
            simulate(self.theirs, self.mine)
        return C if self.theirs is None else D
"""
    (asks,) = load_programs(text)
    game = stage_game("public_goods", 2, 2, factor=1.5)
    opened = OpenSeat([RunnableProgram(asks, game), None], game, 1)
    instance, failure = opened.start(Chance(1))
    assert failure is None
    assert instance.theirs is None
    live = LiveInstances([asks], lambda _: None)
    none, paid = np.zeros((0, 2), bool), np.zeros((0, 2))
    assert live.decide(DecisionCall(0, 1, "", game, none, paid, None, (None,))).value
    moves, paid = np.array([[True, False]]), np.array([[0.75, 1.75]])
    _, failure = live.decide(DecisionCall(0, 1, "", game, moves, paid, None, (None,)))
    assert failure is not None
    assert "simulate takes the text of a program of this game" in failure.sentence
