"""One village as its record tells of it, round by round, to the end of the round in which it fails.

A village fails with the first death, or when its lake collapses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.scenarios.village.lake import Lake, land_catch, regrow


class VillageCourse(NamedTuple):
    """One village over T rounds; N seats.

    effort, catch: (T, N). limit: the cap in force, (T,), infinite for none. model: whose ways each
    villager took over in the night, a seat or NOBODY, (T, N). stock: (T + 1,), and wealth:
    (T + 1, N), at the end of rounds, 0 being the beginning. habit: the effort that each was used to
    at the beginning, (N,); NaN for those who have no such column. dead: seats of those who died in
    the last round, by cause. collapsed: whether the lake had. failed: whether the village had
    failed by the last of these rounds.
    """

    effort: Array
    catch: Array
    limit: Array
    model: Array
    stock: Array
    wealth: Array
    habit: Array
    dead: dict[str, tuple[int, ...]]
    collapsed: bool
    failed: bool

    @property
    def rounds(self) -> int:
        return len(self.effort)

    @property
    def villagers(self) -> int:
        return int(self.effort.shape[1])


class _Round(NamedTuple):
    effort: Array
    catch: Array
    limit: float
    model: Array
    stock: float
    wealth: Array
    dead: dict[str, tuple[int, ...]]
    failed: bool


def read_course(
    rules: Sequence[Lake], pages: Iterable[Page], replicate: int
) -> VillageCourse | None:
    """Return the course of one village; None if no round of it is over.

    rules: the parameters of each round.
    """
    rounds, habit = list[_Round](), np.zeros(0)
    for page in pages:
        if page.number == 0:
            habit = page.public.get("effort", np.full(page.present.shape, np.nan))[replicate]
            continue
        rounds.append(_read(page, replicate))
        if rounds[-1].failed or not page.running[replicate, 0]:
            break
    if not rounds:
        return None
    last, first_rules, last_rules = rounds[-1], rules[0], rules[len(rounds) - 1]
    start = np.full(len(last.wealth), float(first_rules.wealth))
    return VillageCourse(
        np.stack([one.effort for one in rounds]),
        np.stack([one.catch for one in rounds]),
        np.array([one.limit for one in rounds]),
        np.stack([one.model for one in rounds]),
        np.array([first_rules.stock * first_rules.capacity, *(one.stock for one in rounds)]),
        np.stack([start, *(one.wealth for one in rounds)]),
        np.asarray(habit, float),
        last.dead,
        bool(last.stock <= last_rules.collapse_at * last_rules.capacity),
        last.failed,
    )


def _read(page: Page, replicate: int) -> _Round:
    """Read one round; a question that is not asked in it has no answers."""
    told = {
        (step.kind, name): values[replicate]
        for step in page.steps
        if step.sort == "tell"
        for (role, name), values in step.arrays.items()
        if role != "ends"
    }
    asked = {step.kind: step.arrays["answer", ""][replicate] for step in _plain(page.steps)}
    catch = told["harvested", "catch"]
    dead = {
        kind: tuple(np.flatnonzero(told[kind, ""]).tolist())
        for kind in ("starved", "fined_to_death")
    }
    return _Round(
        np.where(told["harvested", "fishing"], asked["effort"], 0.0),
        catch,
        float(told["harvested", "limit"][0]),
        asked.get("imitate", np.full(len(catch), NOBODY)),
        float(told["regrown", "stock"][0]),
        told["paid", "wealth"],
        {kind: seats for kind, seats in dead.items() if seats},
        bool(told["regrown", "failed"][0]),
    )


def _plain(steps: Iterable[Step]) -> Iterator[Step]:
    return (step for step in steps if step.sort == "ask" and ("answer", "") in step.arrays)


def lives(
    rules: Sequence[Lake], effort: Array, taking_part: Array, lost: Array | None = None
) -> Array:
    """Tell whether villages live through their rounds; (V,) of bool.

    rules: the parameters of each round. effort: of each village, round and villager, (V, T, N).
    taking_part: (V, N) of bool. lost: by fines and their cost, fish, (T, N); None: nothing.
    """
    if lost is None:
        lost = np.zeros(effort.shape[1:])
    stock = np.full((len(effort), 1), rules[0].stock * rules[0].capacity)
    wealth = np.full(taking_part.shape, float(rules[0].wealth))
    alive = np.ones(len(effort), bool)
    for p, today, less in zip(rules, np.moveaxis(effort, 1, 0), lost, strict=True):
        catch = land_catch(p, today * taking_part, stock)
        wealth = wealth + catch - p.consumption - less
        stock = regrow(p, stock - catch.sum(1, keepdims=True))
        alive &= ((wealth >= 0) | ~taking_part).all(1) & (stock[:, 0] > p.collapse_at * p.capacity)
    return alive
