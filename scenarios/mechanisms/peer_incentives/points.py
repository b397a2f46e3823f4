"""Points that players spend on each other when everybody knows what all have done and got.

Player i spends s_ij points, 0 to `most`, on each co-player j, all at the same time. Then

    payoff_i = what the play pays - cost * sum_j s_ij + worth * sum_j s_ji

Nobody spends points on somebody who takes no part any more, or plays in another group. An answer
that cannot be read spends nothing, and is counted. What was spent in earlier games of a repeated
one is not shown again; everybody's actions are.
Sources: Fehr and Gaechter 2000, American Economic Review 90 (punishment); Lupu and Precup 2020,
AAMAS (gifts).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from society.engine.action_spaces import Fields, Integer
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import (
    Declared,
    Play,
    PlayFunction,
    add_extra_payoff,
    declared_by,
    intercept,
    refuse_unpaid,
)
from society.engine.rng import Array
from society.engine.scenario import Brought, Measure, RoundFacts, mean_over
from society.engine.script import Ask, Fact, Line, Script, Tell, common, own
from society.scenarios.games.game import REPAIRS
from society.scenarios.games.player_matching import Matches
from society.scenarios.mechanisms.cheap_talk.groups import (
    announce_terms,
    current_matches,
    group_size,
    refuse_strangers,
)


@dataclass(frozen=True)
class PeerPoints:
    """The points that may be spent, and their effect.

    mechanism: whose points these are. ask: the kind of the question; facts are called after it.
    """

    mechanism: str
    ask: str
    most: int
    cost: float
    worth: float

    def laid_over(self, play: Play) -> PlayFunction:
        """The play, and a chance to spend points whenever it tells what everybody got."""
        declared = declared_by(play, self.mechanism)

        def spending(env: Environment) -> Script:
            script = announce_terms(play(env), self._terms())
            refuse_unpaid(declared, self.mechanism)
            refuse_strangers(declared, env, self.mechanism)
            known: dict[str, Fact] = {}

            def heard(line: Line) -> Line | Script:
                if isinstance(line, Ask) and line.kind == declared.move:
                    known.update(line.facts)
                if isinstance(line, Tell) and line.kind == declared.told:
                    return self._spent(line, declared, env, known)
                return line

            return intercept(script, line=heard)

        return spending

    def _spent(
        self, tell: Tell, declared: Declared, env: Environment, known: Mapping[str, Fact]
    ) -> Script:
        """Tells the payoffs after all; gives what was added to them, (R, N).

        known: what all knew when they moved.
        """
        matches, paid = current_matches(declared, env), tell.facts[declared.payoff]
        about = {
            "others_seats": own(matches.others(matches.number)),
            "whom": own(matches.opposite),
        }
        if declared.players is not None:  # elsewhere one knows what one sees of the others
            about["others_payoffs"] = own(matches.others(paid.values))
        fields = [f"other_{number}" for number in range(1, group_size(declared, env))]
        reply = Fields({field: Integer(0, self.most) for field in fields})
        facts = {**known, **tell.facts, **about}
        answer = yield Ask(self.ask, reply, facts, None, dict.fromkeys(fields, 0), REPAIRS)
        points = np.stack([answer[field] for field in fields], axis=-1)
        spent, received = settle_points(matches, points, env.active)
        added: Array = self.worth * received - self.cost * spent
        more = {f"{self.ask}_spent": own(spent), f"{self.ask}_received": own(received)}
        tell = add_extra_payoff(tell, declared, added)
        back = yield replace(tell, facts={**tell.facts, **more})
        return added if back is None else added + back

    def _terms(self) -> dict[str, Fact]:
        terms = {"most": self.most, "cost": self.cost, "worth": self.worth}
        return {f"{self.ask}_{name}": common(value) for name, value in terms.items()}


def points_spec(chance_id: str, ask: str) -> Brought:
    """Return what a mechanism of points brings along; ask: the kind of its question."""
    spent, received = f"{ask}_spent", f"{ask}_received"

    def mean_spent(told: RoundFacts, env: Environment) -> Array:
        return mean_over(env.present, told[spent])

    measure = Measure(spent, "points, mean over players and rounds", mean_spent)
    facts = {
        spent: FactSpec("Points that a player spends on others", "points"),
        received: FactSpec("Points that others spend on a player", "points"),
    }
    return {
        "chance_id": chance_id,
        "measures": (measure,),
        "columns": (spent, received),
        "facts": facts,
    }


def settle_points(matches: Matches, points: Array, active: Array) -> tuple[Array, Array]:
    """Points that everybody spends and receives, (R, N) each.

    points: (R, N, n - 1), on co-players in order of seat. active: (R, N), who takes part.
    """
    given, here = matches.gathered(points), matches.gathered(active)
    seats = np.arange(matches.players)
    others = np.array([np.delete(seats, seat) for seat in seats])
    each = np.zeros((*given.shape[:-1], matches.players), given.dtype)  # by giver and recipient
    np.put_along_axis(each, np.broadcast_to(others, given.shape), given, axis=-1)
    each *= here[:, :, None, :]
    return matches.spread(each.sum(-1)), matches.spread(each.sum(-2))
