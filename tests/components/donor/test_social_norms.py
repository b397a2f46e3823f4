"""The leading eight against their published characterisation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from society.components.donor.social_norms import (
    LEADING_EIGHT,
    NORMS,
    RULES,
    LeadingEight,
    Norm,
    gives,
    verdict,
)

GOOD, BAD = True, False
GIVES, KEEPS = True, False


def judged(norm: Norm, donor: bool, recipient: bool, gave: bool) -> bool:
    """Check whether a donor looks good after a deed."""
    index = np.array(NORMS.index(norm))
    return bool(verdict(index, np.array(donor), np.array(recipient), np.array(gave)))


def acts(norm: Norm, own: bool, recipient: bool) -> bool:
    return bool(gives(np.array(NORMS.index(norm)), np.array(own), np.array(recipient)))


@pytest.mark.parametrize("norm", LEADING_EIGHT)
def test_what_all_of_the_leading_eight_agree_on(norm: LeadingEight) -> None:
    """Ohtsuki and Iwasa 2006: cooperation is maintained, defectors are found out, punishing them is
    justified, and whoever is bad is forgiven for giving to the good.
    """
    assert judged(norm, GOOD, GOOD, GIVES)
    assert acts(norm, GOOD, GOOD)
    assert not judged(norm, GOOD, GOOD, KEEPS)
    assert not judged(norm, BAD, GOOD, KEEPS)
    assert judged(norm, GOOD, BAD, KEEPS)
    assert not acts(norm, GOOD, BAD)
    assert judged(norm, BAD, GOOD, GIVES)
    assert acts(norm, BAD, GOOD)


@pytest.mark.parametrize("norm", LEADING_EIGHT)
def test_the_bad_give_to_the_bad_only_if_that_alone_redeems_them(norm: LeadingEight) -> None:
    redeemed, otherwise = judged(norm, BAD, BAD, GIVES), judged(norm, BAD, BAD, KEEPS)
    assert acts(norm, BAD, BAD) == (redeemed and not otherwise)


def test_the_leading_eight_are_all_that_the_three_open_entries_allow() -> None:
    """Gifts to the bad by the good and by the bad, and the bad who keep from the bad."""
    entries = {
        (
            judged(norm, GOOD, BAD, GIVES),
            judged(norm, BAD, BAD, GIVES),
            judged(norm, BAD, BAD, KEEPS),
        )
        for norm in LEADING_EIGHT
    }
    assert entries == set(product((GOOD, BAD), repeat=3))


def test_norms_with_names_have_the_numbers_that_the_literature_gives_them() -> None:
    """Simple standing blames only who keeps from the good; stern judging praises to keep from the
    bad, and nothing else; judging knows no way back but by the good.
    """
    for donor, recipient, gave in product((GOOD, BAD), repeat=3):
        simple_standing = gave or not recipient
        stern_judging = gave == recipient
        judging = stern_judging and (recipient or donor)
        assert judged("L3", donor, recipient, gave) == simple_standing
        assert judged("L6", donor, recipient, gave) == stern_judging
        assert judged("L8", donor, recipient, gave) == judging


def test_image_scoring_looks_at_the_deed_alone() -> None:
    for donor, recipient, gave in product((GOOD, BAD), repeat=3):
        assert judged("image_scoring", donor, recipient, gave) == gave
        assert acts("image_scoring", donor, recipient) == recipient
        assert acts("always", donor, recipient)
        assert not acts("never", donor, recipient)


def test_every_norm_has_eight_verdicts_and_four_actions() -> None:
    assert tuple(RULES) == NORMS
    for rule in RULES.values():
        verdicts, actions = rule[:9].replace(" ", ""), rule[10:]
        assert (len(verdicts), set(verdicts) <= set("GB")) == (8, True)
        assert (len(actions), set(actions) <= set("CD")) == (4, True)


def test_many_are_judged_at_once_each_by_its_own_norm() -> None:
    norms = np.array([[NORMS.index("L3")], [NORMS.index("L6")]])
    donor, recipient = np.array([[GOOD, GOOD]]), np.array([[BAD, GOOD]])
    good = verdict(norms, donor, recipient, np.array([[GIVES, GIVES]]))
    assert good.tolist() == [[GOOD, GOOD], [BAD, GOOD]]
