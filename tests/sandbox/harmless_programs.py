"""Programs that must run, each with the moves it makes in one stated game.

The game: four players, nine rounds; the three others cooperate as often as OTHERS says. In the full
interface the first of them cooperate. Payoffs are those of the game that the program is made for.
"""

from __future__ import annotations

from typing import NamedTuple

OTHERS = (3, 2, 0, 1, 3, 3, 0, 2)

PUBLISHED = """
import math
import random
import numpy as np
from numpy.typing import NDArray
from dataclasses import dataclass, field
from enum import Enum
from typing import Dict, List, Optional, Tuple
from emergent_llm.players import BaseStrategy
from emergent_llm.games import (
    PublicGoodsDescription, CollectiveRiskDescription, CommonPoolDescription
)
from emergent_llm.common import Action, C, D, PlayerHistory
"""


class Harmless(NamedTuple):
    """A program, the game it plays, and its moves."""

    moves: str
    source: str
    game: str = "public_goods"

    @property
    def name(self) -> str:
        """The name of the program's class, which is the last one of its source."""
        return self.source.rpartition("\nclass ")[2].split("(")[0].split(":")[0]

    @property
    def text(self) -> str:
        """The file: with the header of published files if it has their base class."""
        return (PUBLISHED if "BaseStrategy" in self.source else "") + self.source


COUNTS = (
    Harmless(
        "CCCDDCCDC",
        """
class Strategy_COLLECTIVE_1(BaseStrategy):
    \"\"\"Cooperates as long as half of the others did.\"\"\"

    def __init__(self, game_description: PublicGoodsDescription):
        self.others = game_description.n_players - 1

    def __call__(self, history: PlayerHistory) -> Action:
        if history.round_number == 0:
            return C
        return C if history.opponent_cooperators[-1] >= self.others / 2 else D
""",
    ),
    Harmless(
        "CCCDDDDDD",
        """
class Strategy_EXPLOITATIVE_7(BaseStrategy):
    def __init__(self, game_description):
        super().__init__(game_description)
        self.angry: bool = False

    def __call__(self, history: PlayerHistory) -> Action:
        last = int(history.opponent_cooperators[-1]) if history.round_number else 3
        if last == 0:
            self.angry = True
        return D if self.angry else C
""",
    ),
    Harmless(
        "CCCDDCCDD",
        """
class Strategy_MEAN(BaseStrategy):
    def __init__(self, game_description):
        self.game_description = game_description

    def __call__(self, history: PlayerHistory) -> Action:
        recent = history.opponent_cooperators[-2:]
        share = np.mean(recent) / (self.game_description.n_players - 1) if len(recent) else 1.0
        final = getattr(history, "round_number", 0) == self.game_description.n_rounds - 1
        return Action.D if final or share < 0.6 else Action.C
""",
    ),
    Harmless(
        "CCCDDCCDD",
        """
class Strategy_WHILE(BaseStrategy):
    def __init__(self, game_description):
        self.n: int = game_description.n_players

    def __call__(self, history):
        i = len(history.opponent_cooperators) - 1
        run = 0
        while i >= 0:
            if history.opponent_cooperators[i] < 2:
                break
            run += 1
            i -= 1
        if history.round_number == 0:
            return C
        bad = history.round_number - run
        return C if run > 0 and bad <= 4 else D
""",
    ),
    Harmless(
        "CCCDDCCDC",
        """
class Strategy_LOOP(BaseStrategy):
    def __init__(self, game_description):
        self.weights = [0.5 ** i for i in range(4)]

    def score(self, counts) -> float:
        total = 0.0
        for weight, count in zip(self.weights, reversed(counts.tolist())):
            total += weight * count
        return total

    def __call__(self, history):
        if not history.round_number:
            return C
        return C if self.score(history.opponent_cooperators) >= 3.0 else D
""",
    ),
    Harmless(
        "CDDDDDDDD",
        """
class Strategy_PAYOFFS(BaseStrategy):
    def __init__(self, game_description):
        self.k, self.n = game_description.k, game_description.n_players

    def __call__(self, history):
        try:
            mean = history.my_payoffs.mean()
        except Exception:
            mean = 0
        if not math.isfinite(mean) or history.my_payoffs.size == 0:
            return C
        return C if mean > self.k + 0.01 else D
""",
    ),
    Harmless(
        "CCDDCCDDC",
        """
class Strategy_ROTA(BaseStrategy):
    def __init__(self, game_description):
        self.pattern = (True, True, False, False)

    def __call__(self, history):
        return Action(int(self.pattern[history.round_number % len(self.pattern)]))
""",
    ),
    Harmless(
        "DCDCDCDCD",
        """
class Strategy_FLIP(BaseStrategy):
    def __init__(self, game_description):
        self.next_move = D

    def __call__(self, history):
        move = self.next_move
        self.next_move = move.flip() if history.round_number % 2 else move.flip
        return move
""",
    ),
    Harmless(
        "CCCCCCCCD",
        """
class Strategy_POOL(BaseStrategy):
    def __init__(self, game_description: CommonPoolDescription):
        self.capacity = game_description.capacity
        self.last = game_description.n_rounds - 1

    def __call__(self, history: PlayerHistory, current_stock: float) -> Action:
        if history.round_number == self.last:
            return D
        return D if current_stock / self.capacity < 0.1 else C
""",
        game="common_pool",
    ),
    Harmless(
        "CCCDDCCDC",
        """
class Strategy_RISK(BaseStrategy):
    def __init__(self, game_description: CollectiveRiskDescription):
        self.m = game_description.m

    def __call__(self, history: PlayerHistory) -> Action:
        if history.round_number < 1:
            return C
        others = history.opponent_cooperators[-1]
        pivotal = others + 1 >= self.m
        return Action.C if pivotal else Action.D
""",
        game="collective_risk",
    ),
    Harmless(
        "CCCDDCCDD",
        """
def trend(values):
    if len(values) < 2:
        return 0.0
    return float(np.diff(values)[-1])


LIMITS = {"low": 1.5, "slope": -1.0}


class Strategy_HELPERS(BaseStrategy):
    def __init__(self, game_description):
        self.history_length = 0

    def __call__(self, history):
        counts = history.opponent_cooperators
        self.history_length = len(counts)
        if self.history_length == 0:
            return C
        steady = trend(counts) >= LIMITS["slope"]
        return C if counts[-1] > LIMITS["low"] and (steady or counts[-1] >= 2) and not (
            self.history_length == 8) else D
""",
    ),
    Harmless(
        "CCDDDCCDD",
        """
class Phase(Enum):
    CALM = "calm"
    ANGRY = "angry"


@dataclass
class Memory:
    phase: Phase = Phase.CALM
    anger: int = 0
    seen: List[int] = field(default_factory=list)

    def note(self, count: int) -> None:
        self.seen.append(count)
        self.anger = self.anger + 1 if count < 3 else max(0, self.anger - 1)
        self.phase = Phase.ANGRY if self.anger > 0 else Phase.CALM

    def calm_down(self) -> None:
        self.anger = max(0, self.anger - 1)


class Strategy_MEMORY(BaseStrategy):
    def __init__(self, game_description):
        self.memory = Memory()

    def __call__(self, history):
        if history.round_number > 0:
            self.memory.note(int(history.opponent_cooperators[-1]))
            if len(self.memory.seen) == 5 or len(self.memory.seen) == 6:
                self.memory.calm_down()
        if len(self.memory.seen) == 5:
            return C
        return C if self.memory.phase is Phase.CALM or len(self.memory.seen) == 6 else D
""",
    ),
    Harmless(
        "DDDDDDDDD",
        """
class Strategy_EXCEPT(BaseStrategy):
    def __init__(self, game_description):
        pass

    def __call__(self, history):
        try:
            worst = min(history.opponent_cooperators)
            raise ValueError("not enough")
        except (ValueError, IndexError) as error:
            worst = -1 if str(error) else 0
        finally:
            done = True
        assert done
        return C if worst >= 0 else D
""",
    ),
    Harmless(
        "CCDCCCCCC",
        """
class Strategy_RANDOM(BaseStrategy):
    def __init__(self, game_description):
        random.seed(42)
        self.generator = random.Random(7)
        self.rng = np.random.default_rng(3)

    def __call__(self, history):
        draws = [random.random(), self.generator.random(), float(self.rng.random())]
        return C if sorted(draws)[1] < 0.6 else D
""",
    ),
    Harmless(
        "CDDDDDDDD",
        """
class Strategy_SEEDED(BaseStrategy):
    def __init__(self, game_description):
        self.own = hash("some text") % 3
        self.number = id(self) % 2
        print("made", self.own, self.number)

    def __call__(self, history):
        rounds = history.round_number
        return random.choice([C, D, D]) if rounds else C
""",
    ),
    Harmless(
        "CCCDDDCCC",
        """
class Strategy_SORTED(BaseStrategy):
    def __init__(self, game_description):
        self.actions = {"C": C, "D": D}

    def __call__(self, history):
        votes = {"C": 0, "D": 0}
        for index, count in enumerate(history.opponent_cooperators):
            votes["C" if count >= 2 else "D"] += index % 3
        ranked = sorted(votes.items(), key=lambda pair: (-pair[1], pair[0]))
        first = next(iter(ranked))[0]
        return self.actions[first] if len(set(votes.values())) > 1 or not votes["C"] else D
""",
    ),
    Harmless(
        "CCCDDCCDD",
        """
class Strategy_NUMPY(BaseStrategy):
    def __init__(self, game_description):
        self.n = game_description.n_players

    def __call__(self, history):
        counts = np.asarray(history.opponent_cooperators, dtype=float)
        if counts.size == 0:
            return C
        mask = counts >= 2
        streak = np.concatenate([[0], np.cumsum(mask)])
        smooth = np.convolve(counts, np.ones(2) / 2, mode="valid") if counts.size > 1 else counts
        slope = np.polyfit(np.arange(counts.size), counts, 1)[0] if counts.size > 2 else 0.0
        calm = np.where(mask, 1, 0).sum() >= np.count_nonzero(~mask)
        return C if calm and smooth[-1] >= 2 and streak[-1] >= 1 and slope > -1.5 else D
""",
    ),
    Harmless(
        "CCCDCCCDC",
        """
class Strategy_INNER(BaseStrategy):
    class Grudge:
        def __init__(self, limit):
            self.limit = limit
            self.count = 0

        def update(self, defected):
            self.count = self.count + 1 if defected else 0
            return self.count >= self.limit

    def __init__(self, game_description):
        self.grudge = self.Grudge(1)

    @staticmethod
    def low(count) -> bool:
        return count < 1

    def __call__(self, history):
        def last(default=3):
            values = history.opponent_cooperators
            return values[-1] if len(values) > 0 else default

        return D if self.grudge.update(self.low(last())) else C
""",
    ),
    Harmless(
        "CCCDDCCDC",
        """
class Strategy_WORDS(BaseStrategy):
    NAMES = ["low", "high"]

    def __init__(self, game_description):
        self.log = []
        self.data = {"base": 1.5}
        self.base = self.data["base"]

    @property
    def limit(self) -> float:
        return self.base

    def __call__(self, history):
        last = history.opponent_cooperators[-1] if history.round_number else 3
        word = self.NAMES[int(last >= self.limit)]
        self.log.append(f"{history.round_number}: {word} {float(last):.2f}")
        text = "; ".join(self.log)
        return C if text.split(" ")[-2] == "high" and hasattr(self, "limit") else D
""",
    ),
    Harmless(
        "CCCDDCCDC",
        """
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


class Strategy_RECURSIVE(BaseStrategy):
    def __init__(self, game_description):
        self.limit = fibonacci(3)

    def __call__(self, history):
        return D if history.round_number and history.opponent_cooperators[-1] < self.limit else C
""",
    ),
    Harmless(
        "CDCDCDCDC",
        """
class Base(BaseStrategy):
    turn = 2

    def __init__(self, game_description):
        BaseStrategy.__init__(self, game_description)
        self.offset = 0

    def __call__(self, history):
        return C if (history.round_number + self.offset) % self.turn == 0 else D


class Strategy_INHERITS(Base):
    def __init__(self, game_description):
        super().__init__(game_description)
        self.offset = 2 * self.game_description.n_players
""",
    ),
)

FULL = (
    Harmless(
        "CCCDDCCDC",
        """
class Strategy_FULL_1(BaseStrategy):
    def __init__(self, game_description):
        self.n = game_description.n_players

    def __call__(self, state, history) -> Action:
        if history is None:
            return C
        last = history.opponent_actions[-1]
        return C if last.sum() >= (self.n - 1) / 2 else D
""",
    ),
    Harmless(
        "CCCDDCCDD",
        """
class Strategy_FULL_2(BaseStrategy):
    def __init__(self, game_description):
        self.game_description = game_description

    def __call__(self, state, history: Optional[PlayerHistory]) -> Action:
        if state.round_number == 0 or history is None:
            return C
        if state.round_number == self.game_description.n_rounds - 1:
            return D
        defected = ~history.opponent_actions[-3:]
        rates = defected.astype(np.float64).mean(axis=0)
        trusted = np.flatnonzero(rates < 0.5)
        payoffs = history.opponent_payoffs[-1]
        best = np.argmax(payoffs)
        gap = float(payoffs[best]) - float(history.my_payoffs[-1])
        return C if trusted.size >= 1 and gap < 1.01 and history.opponent_actions[-1].any() and (
            history.opponent_actions[-1, 1]) else D
""",
    ),
    Harmless(
        "CCCDDDDDD",
        """
class Strategy_FULL_POOL(BaseStrategy):
    def __init__(self, game_description: CommonPoolDescription):
        self.capacity = game_description.capacity

    def __call__(self, state, history):
        if state.current_stock < self.capacity * 0.3 or state.round_number > 3:
            return Action.D
        return Action.C
""",
        game="common_pool",
    ),
    Harmless(
        "CDDDDDDDD",
        """
class Strategy_FULL_TABLE(BaseStrategy):
    def __init__(self, game_description):
        self.n = game_description.n_players
        self.scores = np.zeros(self.n - 1)

    def __call__(self, state, history):
        if history is None:
            return C
        weights = np.array([0.9 ** age for age in range(len(history.my_actions))])[::-1]
        self.scores = (history.opponent_actions * weights[:, np.newaxis]).sum(axis=0)
        self.scores[-1] -= 0.5
        rivals = [seat for seat, score in enumerate(self.scores) if score < max(self.scores)]
        return D if len(rivals) > 0 else C
""",
    ),
)

SOCIETY = (
    Harmless(
        "CCCDDCCDC",
        """
class TitForTat:
    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if history.opponent_cooperators[-1] * 2 >= self.others else D
""",
    ),
    Harmless(
        "CDDDDDDDD",
        """
import numpy as numbers
from math import sqrt as root


class Renamed:
    def __init__(self, game):
        self.limit = root(game.k or 4.0)

    def act(self, history):
        total = numbers.sum(history.my_payoffs)
        return C if total < self.limit else D
""",
    ),
    Harmless(
        "CCCCCCCCC",
        """
class Silent:
    def act(self, history):
        return C if history.stock is None else D
""",
    ),
    Harmless(
        "CCCCCCCCD",
        """
class Steward:
    def __init__(self, game):
        self.game = game

    def act(self, history):
        late = history.round_number + 1 == self.game.n_rounds
        return D if late or history.stock[-1] < self.game.capacity / 10 else C
""",
        game="common_pool",
    ),
    Harmless(
        "CDCDCDCDC",
        """
class Counter:
    seen = []

    def __init__(self, game):
        self.name = game.name

    def act(self, history, *, memory=[]):
        memory.append(1)
        self.seen.append(len(memory))
        return C if self.seen[-1] % 2 else D
""",
    ),
    Harmless(
        "CCDDDDCDD",
        """
class Watcher:
    def __init__(self, game):
        self.best = game.n_players

    def act(self, history):
        counts = [int(count) for count in history.opponent_cooperators if count >= 0]
        pairs = [(a, b) for a, b in zip(counts, counts[1:]) if a <= b]
        shares = {count: counts.count(count) / len(counts) for count in set(counts)}
        most = max(shares.values(), default=1.0)
        if (length := len(counts)) < 2:
            return C
        return C if any(b == 3 for _, b in pairs[-1:]) and most <= 0.5 and length % 2 == 0 else D
""",
    ),
    Harmless(
        "DDDDDDDDD",
        """
class Maths:
    def __init__(self, game):
        self.big = 2 ** 40 + (1 << 5) + math.comb(10, 3) + math.factorial(5)

    def act(self, history):
        text = f"{self.big:,d}"
        return D if text.startswith("1,099") and abs(-7) % 4 == 3 and divmod(7, 2) == (3, 1) else C
""",
    ),
    Harmless(
        "CDDDDDDDD",
        """
class Joined:
    def act(self, history):
        joined = history.opponent_cooperators.compress(history.my_actions).conjugate()
        return C if joined.sum() % 2 == 0 and joined.nbytes >= 0 else D
""",
    ),
)
