"""Who takes over from whom in the donor game, by theory and in our runs; and how we judge it.

Who takes over may do so by chance alone: where selection is switched off, one of N agents does in
one run of N, and either half in one run of two. Every count is held against that chance, by the
exact binomial test, corrected by Holm over a claim.

Rules of judging:
    withstands  in surely fewer runs than 1 in 12 is the free rider, or a child of it, still there
                in the last generation; so selection opposes its taking over (Nowak et al. 2004;
                undecided runs count against the residents)
    falls       in surely more runs than 1 in 12 all are free riders in the last generation
    switched    with selection off image scorers neither withstand nor fall by these rules: a
                control of the rules, and nothing that theory says
    drift       of the runs that end with one sort alone, half of each at first, surely more than
                half end with those who always give; for the leading eight, with their followers
    same        all chances to give are taken in every round of every run
    errors      share given where all see all deeds right, against that where each is wrong about
                one deed in ten, nobody else being there; of each of the leading eight
    scorers     the same, seen right, of each of the leading eight against image scoring
Image scoring is judged where q b is at most c / 2 or at least 2 c: theory is of large populations
and rare free riders, and here are twelve agents. Selection is strong, so that who earns more is
nearly always copied. Free riders are counted by what the last generation gives where gifts never
fail: all if there are none, nothing if there are no others, and else less; elsewhere by the traits
that agents end with.

Source: Nowak and Sigmund 1998, Nature 393; Nowak et al. 2004, Nature 428; Panchanathan and Boyd
2003, J. Theor. Biol. 224; Ohtsuki and Iwasa 2004, J. Theor. Biol. 231; Leimar and Hammerstein 2001,
Proc. R. Soc. B 268; Hilbe et al. 2018, PNAS 115. Sizes and numbers are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from society.claims.comparisons import Odds
from society.claims.types import Claim, Evidence, Finding, ordered, outcome_of
from society.draws import Array
from society.scenarios.reproductions.vallinder2024.trajectories import DONATION
from society.scenarios.traits import share_of

# The experiments.
IMAGE, NEUTRAL, DRIFT = "image_scoring", "neutral", "drift"
NORMS, GIVERS, PERCEPTION = "norms", "givers", "perception"

LEADING_EIGHT = ("L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8")
BENEFIT = 4.0  # in units of the cost
INVADER = 1 / 12  # the chance that one of twelve takes over where nothing selects
HALF = 0.5


def claims() -> Iterator[Claim]:
    """What theory says of indirect reciprocity."""
    yield from _of_image_scoring()
    yield from _of_drift()
    yield from _of_norms()


def _of_image_scoring() -> Iterator[Claim]:
    source = "Nowak and Sigmund 1998; section 2.1"
    yield Claim(
        "Image scoring withstands a free rider where q b > c",
        source,
        "Those who give to givers are stable, if reputations are known often enough.",
        lambda evidence: _withstands(evidence, _by_known(evidence, IMAGE, _often)),
        ours=True,
    )
    yield Claim(
        "Image scoring falls to a free rider where q b < c",
        source,
        "Else who gives nothing loses less than it saves.",
        lambda evidence: _falls(evidence, _by_known(evidence, IMAGE, _rarely)),
        ours=True,
    )
    yield Claim(
        "With selection switched off image scoring neither withstands a free rider nor falls",
        "Ours, a control",
        "By chance one of twelve takes over in one run of twelve.",
        _switched_off,
        ours=True,
    )


def _of_drift() -> Iterator[Claim]:
    source = "Panchanathan and Boyd 2003; section 2.1"
    yield Claim(
        "Without errors those who always give earn as much as image scorers",
        source,
        "Nothing then keeps them from drifting in.",
        _same,
        ours=True,
    )
    yield Claim(
        "With errors those who always give rather take over from image scorers",
        source,
        "Who refuses somebody is refused for it.",
        _drifts,
        ours=True,
    )
    yield Claim(
        "Those who always give fall to a single free rider",
        source,
        "So image scoring invites its own invaders.",
        _invaded,
        ours=True,
    )


def _of_norms() -> Iterator[Claim]:
    yield Claim(
        "Each of the leading eight norms withstands a free rider",
        "Ohtsuki and Iwasa 2004; section 2.1",
        "Eight norms with two standings can keep cooperation stable; all punish justly.",
        lambda evidence: _norms_withstand(evidence, LEADING_EIGHT),
        ours=True,
    )
    yield Claim(
        "Image scoring, seen by all, withstands a free rider though gifts may fail",
        "Nowak and Sigmund 1998",
        "Free riders, once few, are refused by everybody.",
        lambda evidence: _norms_withstand(evidence, ("image_scoring",)),
        ours=True,
    )
    yield Claim(
        "Followers of each of the leading eight rather take over from those who always give",
        "Ohtsuki and Iwasa 2004",
        "With errors they give to nobody bad, at no loss of standing.",
        _resist,
        ours=True,
    )
    yield Claim(
        "Followers of each of the leading eight give more than image scorers",
        "Leimar and Hammerstein 2001; Panchanathan and Boyd 2003",
        "Image scorers refuse those who justly refused.",
        _above_scorers,
        ours=True,
    )
    yield Claim(
        "Errors of perception, each observer's own, make each of the leading eight give less",
        "Hilbe et al. 2018",
        "Where opinions are private, norms that look at the recipient's standing disagree.",
        _misperceived,
        ours=True,
    )


def _often(known: float) -> bool:
    return known * BENEFIT >= 2


def _rarely(known: float) -> bool:
    return known * BENEFIT <= HALF


def _by_known(evidence: Evidence, trial: str, judged: Callable[[float], bool]) -> dict[str, Array]:
    """What the last generation gives, of each level of q that is judged, (n,)."""
    levels = [q for q in evidence.levels(trial)["known"] if isinstance(q, int | float)]
    return {f"q = {q:g}": evidence.runs(trial, DONATION, {"known": q}) for q in levels if judged(q)}


def _withstands(evidence: Evidence, given: Mapping[str, Array]) -> Finding:
    """Where all give if there is no free rider."""
    odds = _there(evidence, {name: last < 1 for name, last in given.items()})
    return _found((one.below for one in odds), odds)


def _falls(evidence: Evidence, given: Mapping[str, Array]) -> Finding:
    odds = _alone(evidence, given)
    return _found((one.above for one in odds), odds)


def _switched_off(evidence: Evidence) -> Finding:
    given = _by_known(evidence, NEUTRAL, lambda known: True)
    there = _there(evidence, {name: last < 1 for name, last in given.items()})
    alone = _alone(evidence, given)
    parts = [one.below is not True for one in there] + [one.above is not True for one in alone]
    return _found(parts, [*there, *alone])


def _invaded(evidence: Evidence) -> Finding:
    last = evidence.runs(DRIFT, DONATION, {"condition": "invaded"})
    return _falls(evidence, {"1 of 12": last})


def _norms_withstand(evidence: Evidence, norms: Sequence[str]) -> Finding:
    name = share_of("norm", "never")
    odds = _there(
        evidence, {norm: evidence.runs(NORMS, name, {"norm": norm}) > 0 for norm in norms}
    )
    return _found((one.below for one in odds), odds)


def _there(evidence: Evidence, runs: Mapping[str, Array]) -> list[Odds]:
    return evidence.chances(_named(runs, "free riders there"), INVADER)


def _alone(evidence: Evidence, given: Mapping[str, Array]) -> list[Odds]:
    runs = {name: last == 0 for name, last in given.items()}
    return evidence.chances(_named(runs, "free riders alone"), INVADER)


def _named(runs: Mapping[str, Array], words: str) -> dict[str, Array]:
    return {f"{name}: {words}": some for name, some in runs.items()}


def _same(evidence: Evidence) -> Finding:
    given = evidence.runs(DRIFT, "donation", {"condition": "without_errors"})
    words = f"{given.min():.1%} of all chances to give are taken in the run with fewest"
    return Finding(outcome_of([bool((given == 1).all())]), words)


def _drifts(evidence: Evidence) -> Finding:
    givers = evidence.runs(DRIFT, share_of("policy", "fixed"), {"condition": "with_errors"})
    odds, undecided = _winners(evidence, {"givers alone": givers})
    return _found((one.above for one in odds), odds, undecided)


def _resist(evidence: Evidence) -> Finding:
    shares = {
        f"{norm} alone": 1 - evidence.runs(GIVERS, share_of("norm", "always"), {"norm": norm})
        for norm in LEADING_EIGHT
    }
    odds, undecided = _winners(evidence, shares)
    return _found((one.above for one in odds), odds, undecided)


def _winners(evidence: Evidence, shares: Mapping[str, Array]) -> tuple[list[Odds], str]:
    """Of the runs that end with one sort alone, how many with this one; and how many do not."""
    decided = {name: share[(share == 0) | (share == 1)] == 1 for name, share in shares.items()}
    left = [
        f"{len(shares[name]) - len(runs)} of {len(shares[name])}" for name, runs in decided.items()
    ]
    return evidence.chances(decided, HALF), f"undecided: {', '.join(left)} runs"


def _above_scorers(evidence: Evidence) -> Finding:
    scorers = _perceiving(evidence, "image_scoring", "right")
    pairs = {
        f"{norm} > image scoring": (_perceiving(evidence, norm, "right"), scorers)
        for norm in LEADING_EIGHT
    }
    return ordered(evidence.paired(pairs))


def _misperceived(evidence: Evidence) -> Finding:
    pairs = {
        f"{norm}: right > errors": (
            _perceiving(evidence, norm, "right"),
            _perceiving(evidence, norm, "errors"),
        )
        for norm in LEADING_EIGHT
    }
    return ordered(evidence.paired(pairs))


def _perceiving(evidence: Evidence, norm: str, perception: str) -> Array:
    """The share that all give, where all follow one norm, (n,)."""
    return evidence.runs(PERCEPTION, "donation", {"norm": norm, "perception": perception})


def _found(parts: Iterable[bool | None], odds: Sequence[Odds], notes: str = "") -> Finding:
    return Finding(outcome_of(parts), "; ".join(map(str, odds)), notes)
