"""Chains of refusals among donors: which refusal came first, and which may have followed from it.

A refusal is a gift of less than REFUSAL of what the donor owns, or a punishment. It is put down to
the first of these that the record shows:
    answered     the donor was shown that its recipient had refused somebody; the latest such deed.
                 Only of donors who gave at some time in their lives: others answer nothing
    repeated     the donor itself had refused before, in the same life; its last refusal
    inherited    its parent, or else the parent's parent, and so on, had refused; its last refusal
    passed on    when it last was a recipient in this game, it was refused; of the same donors only
    unprompted   none of these: a refusal from which chains begin
So each refusal hangs on one before it, or is the root of a chain. What was shown, done and
inherited is recorded; that one refusal came of the other is an inference, and so is the order in
which reasons are tried. Reviews, gossip and partners who are refused are not followed. Ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from society.engine.history import Page
from society.engine.post_mortem import PostMortem, RecordedReplicate, Statement
from society.engine.rng import Array
from society.lineage import DESCENDED
from society.scenarios.donor.traces import GAVE, PUNISHED

REFUSAL = 0.1  # of what a donor owns
DECLINE = 0.5  # of the highest share of an earlier block, below which a share has declined
_FEWEST = 3  # refusals that follow, before a chain is said to have begun something
REASONS = ("answered", "repeated", "inherited", "passed on")
_OF_GIVERS = ("answered", "passed on")


class RefusedGift(NamedTuple):
    """One refusal: its place in the list, round, donor and recipient by lives, and its cause.

    cause: the refusal that it is put down to, as a place in the list, -1 for none; reason: one of
    REASONS, "" for none.
    """

    number: int
    round: int
    path: tuple[int, ...]
    donor: int
    recipient: int
    share: float
    cause: int = -1
    reason: str = ""


class Donations(NamedTuple):
    """The gifts of a record: refusals in order, names of lives, and the shares by block.

    shares: the mean share that was given by those who had something to give, by generation, game
    or half of a game, in order. gifts: how many there were.
    """

    refusals: tuple[RefusedGift, ...]
    names: dict[int, str]
    shares: dict[str, float]
    gifts: int


def read_donations(record: RecordedReplicate) -> Donations:
    """Read gifts and refusals of one replicate from its record."""
    reader = _Reader(record)
    for page in record.pages():
        reader.read(page)
        if not page.running[record.replicate, 0]:
            break
    return Donations(reader.refusals, reader.names, _by_block(record, reader.shares), reader.gifts)


def _by_block(
    record: RecordedReplicate, shares: dict[tuple[int, ...], list[float]]
) -> dict[str, float]:
    """Average the shares given in each outermost block, or in halves of a single game."""
    blocks: dict[str, list[float]] = {}
    levels = ["generation", "game"] if "generations" in record.mechanisms else ["game"]
    several = (len({path[:depth] for path in shares}) > 1 for depth in range(1, len(levels) + 1))
    depth = next((depth for depth, found in enumerate(several) if found), None)
    last = max((path[-1] for path in shares), default=0)
    for path, given in shares.items():
        if depth is not None:
            block = f"{levels[depth]} {path[depth]}"
        elif path[-1] <= (last + 1) // 2:
            block = f"the first {(last + 1) // 2} rounds"
        else:
            block = f"the last {last // 2}"
        blocks.setdefault(block, []).extend(given)
    return {block: float(np.mean(given)) for block, given in blocks.items()}


class _Reader:
    """Goes through the rounds of one replicate, and keeps what later refusals may hang on."""

    def __init__(self, record: RecordedReplicate) -> None:
        self._record, self._row = record, record.replicate
        self._found: list[tuple[RefusedGift, list[tuple[str, int]]]] = []
        self._givers: set[int] = set()  # lives that have given at some time
        self.names: dict[int, str] = {}
        self.shares: dict[tuple[int, ...], list[float]] = {}
        self.gifts = 0
        self._lives: Array | None = None
        self._parents: dict[int, int] = {}
        self._last: dict[int, int] = {}  # the last refusal of each life
        self._refused: dict[int, int] = {}  # by which refusal each life was refused last, or -1
        self._deeds: dict[tuple[int, int], int] = {}  # of this game: (life, round) -> refusal

    def read(self, page: Page) -> None:
        """Take in one round."""
        shown: dict[str, Array] = {}
        for step in page.steps:
            given = {name: values for (_, name), values in step.arrays.items()}
            if step.kind == DESCENDED:
                self._born(given)
            elif step.kind == "endowed":  # nothing of one game is known in the next
                self._deeds, self._refused = {}, {}
            elif step.sort == "ask" and step.kind == "donate":
                shown = given
            elif step.kind == "donated":
                self._settle(page, given, shown)

    def _born(self, told: dict[str, Array]) -> None:
        self._lives = told["life"][self._row]
        for life, parent in zip(self._lives, told["parent"][self._row], strict=True):
            if parent >= 0:
                self._parents[int(life)] = int(parent)

    def _settle(self, page: Page, told: dict[str, Array], shown: dict[str, Array]) -> None:
        """Note the gifts of a round, and its refusals; all are made at once."""
        here = {name: values[self._row] for name, values in told.items()}
        lives = np.arange(len(here["share"])) if self._lives is None else self._lives
        made, received = dict[int, int](), dict[int, int]()
        for seat in np.flatnonzero(here["donor"] & np.isin(here["deed"], (GAVE, PUNISHED))):
            donor, recipient = int(lives[seat]), int(here["partner_life"][seat])
            share = float(here["share"][seat])
            self.names[donor] = self._record.name(int(seat))
            self.gifts += 1
            self.shares.setdefault(page.path, []).append(share)
            received[recipient] = -1
            if share < REFUSAL:
                number = len(self._found)
                reasons = list(self._reasons(donor, recipient, self._seen(shown, int(seat))))
                made[donor] = received[recipient] = number
                self._found.append(
                    (RefusedGift(number, page.number, page.path, donor, recipient, share), reasons)
                )
            else:
                self._givers.add(donor)
        when = page.path[-1] if page.path else page.number
        self._deeds |= {(donor, when): number for donor, number in made.items()}
        self._last |= made
        self._refused |= received

    def _seen(self, shown: dict[str, Array], seat: int) -> list[tuple[float, int, int]]:
        """List what a donor was shown, latest first: share, deed and round of each entry."""
        if "trace_share" not in shown:
            return []
        entries = (shown[f"trace_{name}"][self._row, seat] for name in ("share", "deed", "round"))
        return [(float(s), int(d), int(t)) for s, d, t in zip(*entries, strict=True)]

    def _reasons(
        self, donor: int, recipient: int, seen: list[tuple[float, int, int]]
    ) -> Iterator[tuple[str, int]]:
        """Yield what a refusal may be put down to, with the refusal behind it, in order."""
        # Along a trace the later entries are deeds of others.
        own = seen[:1] if self._record.params.medium == "trace" else seen
        for share, deed, when in own:
            known = self._deeds.get((recipient, when))
            if deed in (GAVE, PUNISHED) and share < REFUSAL and known is not None:
                yield "answered", known
                break
        if donor in self._last:
            yield "repeated", self._last[donor]
        elder = self._parents.get(donor)
        while elder is not None:
            if elder in self._last:
                yield "inherited", self._last[elder]
                break
            elder = self._parents.get(elder)
        if self._refused.get(donor, -1) >= 0:
            yield "passed on", self._refused[donor]

    @property
    def refusals(self) -> tuple[RefusedGift, ...]:
        """The refusals so far, each put down to the first reason that counts for its donor."""
        settled = []
        for one, reasons in self._found:
            counting = [
                (cause, reason)
                for reason, cause in reasons
                if one.donor in self._givers or reason not in _OF_GIVERS
            ]
            cause, reason = counting[0] if counting else (-1, "")
            settled.append(one._replace(cause=cause, reason=reason))
        return tuple(settled)


def tell_chains(record: RecordedReplicate) -> Iterator[Statement]:
    """Yield what the record of a donor game tells of refusals, and of a decline of giving."""
    found = read_donations(record)
    if not found.shares:
        yield Statement("nothing", "Nobody has had a chance to give in what is recorded.")
        return
    decline = _decline(found)
    yield decline
    if not decline.numbers["declined"]:
        return
    if not found.refusals:
        yield Statement(
            "chains", f"Nobody gave less than {REFUSAL:.0%}; the decline is one of larger gifts."
        )
        return
    if record.params.medium == "review":
        yield Statement(
            "media",
            "Donors were shown reviews, in words: which refusals they learnt of is not followed.",
        )
    yield _reasons(found)
    yield _began(found)


def _decline(found: Donations) -> Statement:
    """Say how giving went, from the first block of rounds to the last."""
    blocks = list(found.shares)
    first, last = blocks[0], blocks[-1]
    best = max(blocks[:-1] or blocks, key=lambda block: found.shares[block])
    declined = found.shares[last] < DECLINE * found.shares[best]
    words = (
        f"Donors gave {found.shares[first]:.0%} of what they owned in {first} and "
        f"{found.shares[last]:.0%} in {last}"
    )
    if best not in (first, last):
        words += f"; most, {found.shares[best]:.0%}, in {best}"
    words += "." if declined else ": no decline to explain."
    return Statement("decline", words, {"declined": declined, "shares": dict(found.shares)})


def _reasons(found: Donations) -> Statement:
    """Count refusals by what they are put down to."""
    counts = Counter(one.reason or "unprompted" for one in found.refusals)
    said = {
        "answered": "were of somebody who was known to have refused",
        "repeated": "were by somebody who had refused before",
        "inherited": "were by somebody with a forebear who had refused",
        "passed on": "were by somebody who had just been refused",
        "unprompted": "had none of these before them",
    }
    items = [f"{counts[name]:,} {words}" for name, words in said.items() if counts[name]]
    words = (
        f"In {len(found.refusals):,} of {found.gifts:,} cases a donor gave less than "
        f"{REFUSAL:.0%}, or punished: {'; '.join(items)} (the first that applies)."
    )
    return Statement("chains", words, {"refusals": len(found.refusals), **counts})


def _began(found: Donations) -> Statement:
    """Say which refusal most others hang on, directly or through others, and what that means."""
    roots = _roots(found.refusals)
    chains = Counter(roots)
    (root, size), *others = chains.most_common(2)
    one, total = found.refusals[root], len(found.refusals)
    after = [refusal for refusal, of in zip(found.refusals, roots, strict=True) if of == root][1:]
    numbers = {
        "life": one.donor,
        "round": one.round,
        "chain": size,
        "refusals": total,
        "roots": len(chains),
        "next": others[0][1] if others else 0,
    }
    where = f"round {one.round}" + (f" ({'.'.join(map(str, one.path))})" if one.path else "")
    name = found.names[one.donor]
    if size - 1 < _FEWEST or 2 * size < total:
        words = (
            f"No single refusal is behind it: {len(chains):,} refusals had nothing recorded before "
            f"them, by {_lives(found, roots):,} lives. On the one that most others hang on, by "
            f"{name} in {where}, hang {size - 1:,} of the {total - 1:,} others."
        )
        return Statement("began", words, numbers)
    reasons = Counter(refusal.reason for refusal in after)
    listed = ", ".join(f"{reasons[name]:,} {name}" for name in REASONS if reasons[name])
    words = (
        f"Most refusals go back to {name}, who in {where} gave {one.share:.0%} with nothing "
        f"recorded that this answered: {size - 1:,} of the {total - 1:,} others hang on it "
        f"({listed}), and on the next such refusal {max(numbers['next'] - 1, 0):,}. What was done, "
        "shown and inherited is recorded; that later refusals came of it is an inference."
    )
    return Statement("began", words, numbers)


def _roots(refusals: tuple[RefusedGift, ...]) -> list[int]:
    """Return the first refusal of the chain of each; causes have smaller numbers."""
    roots: list[int] = []
    for one in refusals:
        roots.append(one.number if one.cause < 0 else roots[one.cause])
    return roots


def _lives(found: Donations, roots: list[int]) -> int:
    return len({found.refusals[root].donor for root in roots})


POST_MORTEM = PostMortem(tell_chains)
