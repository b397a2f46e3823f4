"""What `make bench` measures: ours beside a baseline, a floor and a peer that play the same model.

baseline   plain Python, one object per agent
floor      straight numpy without engine, record, deaths and measures: what no engine undercuts
peer       a known framework, if it is installed

Rates are agent-rounds or moves per CPU second of one core; of two cores, wall seconds of the whole
command.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import dilemmas, donors, peers, village

Play = Callable[[], int]  # plays, and returns how much it has played


@dataclass(frozen=True)
class Contest:
    """One model, played by several programs.

    unit: of what is counted. ours: the program that is judged. others: what it is compared with, by
    role. wall: whether seconds of the wall clock count, which other work on the machine disturbs.
    aims: the ratios to the others that are wanted, by role.
    """

    name: str
    unit: str
    ours: Play
    others: Mapping[str, Play]
    wall: bool = False
    aims: Mapping[str, float] = field(default_factory=dict)


def _of_types(count: int) -> Play:
    """A round robin of classic strategies, each a cohort."""
    cohorts = [
        dilemmas.cohort(
            f"type {place}",
            1,
            dilemmas.CLASSIC[place % len(dilemmas.CLASSIC)],
            generosity=place / count,
        )
        for place in range(count)
    ]
    return partial(dilemmas.engine, {"cohorts": cohorts, "mechanisms": ["tournament"]})


def _on_cores(workers: int) -> int:
    """Play a thousand villages by the whole command, as a user would."""
    lake = [f"{key}={value}" for key, value in village.SETTINGS.items()]
    with TemporaryDirectory() as folder:
        words = ["run", "fishing_village", "--replicates", "1000", "--agents", "50"]
        words += ["--rounds", "400", "--seed", "1", "--quiet", "--workers", str(workers)]
        out = ["--out", str(Path(folder) / "village.run"), "--set", *lake]
        subprocess.run([sys.executable, "-m", "society", *words, *out], check=True)
    return 1000 * 50 * 400


def _peer(module: str, play: Play) -> dict[str, Play]:
    return {} if peers.find_peer(module) is None else {module: play}


def all_contests() -> list[Contest]:
    """List the contests, with the peers that are installed."""
    return [*_of_villages(), *_of_donors(), *_of_dilemmas(), _of_two_cores()]


def _of_villages() -> list[Contest]:
    kernel = {"floor": village.kernel}
    variants = {
        "mixed population": {"parameters": {"population": "mixed"}},
        "ring": {"graph": "ring"},
        "vote by plurality": {"parameters": {"vote": "plurality"}},
    }
    plain = Contest(
        "village",
        "agent-rounds",
        village.engine,
        {
            **kernel,
            "baseline": partial(village.objects, village.QuickVillager),
            **_peer("mesa", peers.mesa_village),
        },
        aims={"floor": 0.7},
    )
    others = [
        Contest(
            f"village, {name}",
            "agent-rounds",
            partial(village.engine, **given),  # type: ignore[arg-type]
            kernel,
            aims={"floor": 0.525},
        )
        for name, given in variants.items()
    ]
    return [plain, *others]


def _of_donors() -> list[Contest]:
    evolved = donors.ROUNDS * donors.GAMES * donors.GENERATIONS
    return [
        Contest(
            "donors, evolved",
            "agent-rounds",
            partial(donors.engine, donors.EVOLVED, evolved),
            {"baseline": donors.evolved_objects},
            aims={"baseline": 8},
        ),
        Contest(
            "donors, scale-free",
            "agent-rounds",
            partial(donors.engine, donors.SCALE_FREE, donors.LONG),
            {"baseline": donors.scale_free_objects},
            aims={"baseline": 6},
        ),
    ]


def _of_dilemmas() -> list[Contest]:
    return [
        Contest(
            "dilemmas, 40,000 matches",
            "moves",
            partial(dilemmas.engine, dilemmas.BATCH),
            {"baseline": dilemmas.batch_objects},
        ),
        Contest(
            "round robin of 60",
            "moves",
            _of_types(60),
            {
                "baseline": dilemmas.round_robin_objects,
                **_peer("axelrod", peers.axelrod_round_robin),
            },
        ),
        Contest(
            "round robin of 10",
            "moves",
            _of_types(10),
            {"baseline": partial(dilemmas.round_robin_objects, 10)},
        ),
    ]


def _of_two_cores() -> Contest:
    return Contest(
        "two cores",
        "agent-rounds",
        partial(_on_cores, 2),
        {"one core": partial(_on_cores, 1)},
        wall=True,
        aims={"one core": 1.7},
    )
