"""Opinions: who is thought good by whom, after what it did, and after what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.components.donor.opinions import Opinions
from society.components.donor.social_norms import NORMS, Norm
from society.engine.action_spaces import Choice, Fields, MixedStrategy, Neighbour, Real, Text
from society.engine.environment import complete_graphs
from society.engine.graph import NOBODY, Graph, from_networkx
from society.engine.rng import Array
from society.engine.script import HERITABLE, Ask, Inherit, Script, Tell, own, seen

if TYPE_CHECKING:
    from society.engine.environment import Environment
    from tests.components.conftest import Answer
    from tests.conftest import Play, Played

NOTHING = float("nan")  # the share of who is no donor, or has nothing to give
GOOD, BAD = 0, -1  # scores
SAYS = Fields({"about": Neighbour("hear"), "verdict": Choice("bad", "good")})


def donated(deeds: Sequence[tuple[int, int, float]], shape: tuple[int, int] = (1, 4)) -> Tell:
    """The event after a round of (donor, recipient, share)."""
    partner, share = np.full(shape, NOBODY), np.full(shape, NOTHING)
    offered = share.copy()
    for donor, recipient, given in deeds:
        partner[:, donor], partner[:, recipient] = recipient, donor
        share[:, donor] = offered[:, recipient] = given
    facts = {"partner": seen("hear", partner), "share": seen("hear", share)}
    return Tell("donated", facts | {"received_share": own(offered)})


def everybody(replicates: int, agents: int = 4, ids: Any = None) -> dict[str, Graph]:
    return complete_graphs(("hear",), replicates, np.arange(agents) if ids is None else ids)


def lived(play: Play, part: Opinions, *lines: Tell, hear: Graph | None = None, **at: Any) -> Played:
    """A game of four in which this is told."""

    def script(env: Environment) -> Script:
        yield from lines

    replicates, ids = at.get("replicates", 1), at.get("ids")
    graphs = everybody(replicates, ids=ids) if hear is None else {"hear": hear}
    return play(script, part, agents=4, graphs=graphs, **at)


def opinions(over: Played) -> Array:
    """The opinion of each agent on each seat, (R * 4, 4)."""
    return over.population.states[0].values["opinion"]


def thought(play: Play, part: Opinions, *lines: Tell, **at: Any) -> Any:
    return opinions(lived(play, part, *lines, **at)).tolist()


# What one sees


def test_everybody_is_thought_good_at_first(play: Play) -> None:
    assert thought(play, Opinions()) == [[GOOD] * 4] * 4


def test_who_keeps_from_the_good_is_thought_bad_by_all_and_by_itself(play: Play) -> None:
    assert thought(play, Opinions(), donated([(0, 1, 0.0), (2, 3, 0.5)])) == [[-1, 0, 0, 0]] * 4


@pytest.mark.parametrize(
    ("norm", "kept", "gave"), [("L6", 0, -1), ("L3", 0, 0), ("image_scoring", -1, 0)]
)
def test_what_is_done_to_the_bad_is_judged_by_the_norm(
    play: Play, norm: Norm, kept: int, gave: int
) -> None:
    """Agent 0 is bad; 1 keeps from it, and 2 gives to it."""
    part = Opinions(norm)
    first = donated([(0, 3, 0.0)])
    assert thought(play, part, first, donated([(1, 0, 0.0)]))[3] == [BAD, kept, GOOD, GOOD]
    assert thought(play, part, first, donated([(2, 0, 1.0)]))[3] == [BAD, GOOD, gave, GOOD]


def test_the_deeds_of_a_round_are_judged_by_what_was_thought_before(play: Play) -> None:
    """0 turns bad in the round in which 2 gives to nobody bad yet: order within it is none."""
    part = Opinions("L6")
    assert thought(play, part, donated([(0, 1, 0.0), (2, 3, 1.0)]))[3] == [BAD, GOOD, GOOD, GOOD]


def test_who_had_nothing_to_give_is_not_judged(play: Play) -> None:
    assert thought(play, Opinions(), donated([(0, 1, NOTHING)])) == [[GOOD] * 4] * 4


def test_giving_is_giving_at_least_what_one_would_give_oneself(play: Play) -> None:
    deeds = donated([(0, 1, 0.3), (2, 3, 0.29)])
    assert thought(play, Opinions(generosity=0.3), deeds)[3] == [GOOD, GOOD, BAD, GOOD]


def test_a_share_that_rounding_has_made_smaller_counts(play: Play) -> None:
    assert 0.7 * 3 / 3 < 0.7  # units given of units owned
    deeds = donated([(0, 1, 0.7 * 3 / 3)])
    assert thought(play, Opinions(generosity=0.7), deeds)[3] == [GOOD] * 4


def test_scores_stay_within_their_bounds(play: Play) -> None:
    part = Opinions("image_scoring", scores=(-2, 1))
    twice = [donated([(0, 1, 0.0), (2, 3, 1.0)])] * 2
    assert thought(play, part, *twice)[1] == [-2, 0, 1, 0]
    assert thought(play, part, *twice, *twice)[1] == [-2, 0, 1, 0]


def test_a_new_game_makes_all_forget(play: Play) -> None:
    part = Opinions()
    assert thought(play, part, donated([(0, 1, 0.0)]), Tell("endowed")) == [[GOOD] * 4] * 4


# Who sees what


def test_one_sees_neighbours_and_knows_what_was_done_to_oneself(play: Play) -> None:
    """On the line 0 - 1 - 2 - 3, agent 0 keeps from 2: 3 does not hear of it, 2 has suffered it."""
    hear = from_networkx([nx.path_graph(4)], np.arange(4))
    minds = thought(play, Opinions(), donated([(0, 2, 0.0)]), hear=hear)
    assert [row[0] for row in minds] == [BAD, BAD, BAD, GOOD]


def test_the_inattentive_know_only_what_they_did_and_suffered(play: Play) -> None:
    minds = thought(play, Opinions(known=0), donated([(0, 1, 0.0)]))
    assert [row[0] for row in minds] == [BAD, BAD, GOOD, GOOD]


def test_known_is_the_chance_to_see_a_deed_each_observer_for_itself(play: Play) -> None:
    n = 2000
    part, deeds = Opinions(known=0.3), donated([(0, 1, 0.0)], (n, 4))
    bad = opinions(lived(play, part, deeds, replicates=n)).reshape(n, 4, 4)[:, 2:, 0] == BAD
    assert bad.mean() == pytest.approx(0.3, abs=4 * (0.21 / (2 * n)) ** 0.5)
    assert bad.all(1).mean() == pytest.approx(0.09, abs=4 * (0.09 * 0.91 / n) ** 0.5)


def test_whoever_always_errs_thinks_the_opposite_but_knows_itself(play: Play) -> None:
    minds = thought(play, Opinions(perception_error=1), donated([(0, 1, 0.0), (2, 3, 1.0)]))
    assert minds == [[BAD, 0, BAD, 0], [GOOD, 0, BAD, 0], [GOOD, 0, GOOD, 0], [GOOD, 0, BAD, 0]]


def test_errors_strike_each_observer_and_each_donor_by_chance(play: Play) -> None:
    n = 2000
    part, deeds = Opinions(perception_error=0.2), donated([(0, 1, 0.0), (2, 3, 0.0)], (n, 4))
    wrong = opinions(lived(play, part, deeds, replicates=n)).reshape(n, 4, 4) == GOOD
    by_one = wrong[:, 3, [0, 2]]
    assert by_one.mean() == pytest.approx(0.2, abs=4 * (0.16 / (2 * n)) ** 0.5)
    assert by_one.all(1).mean() == pytest.approx(0.04, abs=4 * (0.04 * 0.96 / n) ** 0.5)


def test_it_does_not_matter_who_sits_where(play: Play) -> None:
    """Agents 2, 0, 3, 1 on seats 0 to 3 think of each other as they do on seats in order."""
    part = Opinions(perception_error=0.5, known=0.7)
    straight = opinions(lived(play, part, donated([(0, 1, 0.0), (2, 3, 1.0)])))
    ids = [2, 0, 3, 1]
    seated = donated([(ids.index(0), ids.index(1), 0.0), (ids.index(2), ids.index(3), 1.0)])
    shuffled = opinions(lived(play, part, seated, ids=ids))
    assert shuffled.tolist() == straight[np.ix_(ids, ids)].tolist()


# Giving


def gift(play: Play, part: Opinions, reply: Any, kind: str = "donate", **fields: Any) -> Any:
    """Agents 1 and 2 meet 0, who has kept from 3, and 3; 0 and 3 meet 1 and 2."""

    def script(env: Environment) -> Script:
        yield donated([(0, 3, 0.0)])
        facts = {"resources": own([[8] * 4]), "recipient": own([[1, 0, 3, 2]])}
        yield Ask(kind, reply, facts)

    over = play(script, part, agents=4, graphs=everybody(1))
    return over.answers(kind, **fields)[0].tolist()


@pytest.mark.parametrize(
    ("norm", "units"),
    [("L6", [4, 0, 4, 4]), ("always", [4, 4, 4, 4]), ("never", [0, 0, 0, 0])],
)
def test_the_good_are_given_the_share_and_the_bad_nothing(
    play: Play, norm: Norm, units: list[float]
) -> None:
    assert gift(play, Opinions(norm), Real(0, 8)) == [units]


def test_under_a_fixed_stake_one_gives_or_not_whatever_the_share(play: Play) -> None:
    part = Opinions(generosity=0.1)
    assert gift(play, part, Choice("keep", "give")) == [[1, 0, 1, 1]]
    assert gift(play, part, Choice("keep", "give", "punish")) == [[1, 0, 1, 1]]


def test_whoever_would_give_for_certain_says_so(play: Play) -> None:
    """And the other way round: the chances to keep, to give and to punish."""
    chances = gift(play, Opinions(generosity=0.1), MixedStrategy("keep", "give", "punish"))
    assert chances == [[[0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]]


def test_followers_do_not_punish_but_by_keeping(play: Play) -> None:
    reply = Fields({"deed": Choice("donate", "punish"), "amount": Real(0, 8)})
    assert gift(play, Opinions(), reply, field="deed") == [[0, 0, 0, 0]]
    assert gift(play, Opinions(), reply, field="amount") == [[4, 0, 4, 4]]


def test_one_does_not_meet_the_bad_but_who_never_gives_meets_anybody(play: Play) -> None:
    meet = Choice("refuse", "accept")
    assert gift(play, Opinions(), meet, "accept") == [[1, 0, 1, 1]]
    assert gift(play, Opinions("never"), meet, "accept") == [[1, 1, 1, 1]]


def test_a_stricter_observer_asks_for_a_higher_score(play: Play) -> None:
    """From a score of 1 on: nobody has earned one yet."""
    part = Opinions("image_scoring", scores=(-5, 5), least=1)
    assert gift(play, part, Choice("keep", "give")) == [[0, 0, 0, 0]]


def test_lives_later_in_the_lineage_are_found_on_their_seats(play: Play) -> None:
    """A life is births * N + id: life 9 of 4 agents is agent 1, in its third life."""

    def script(env: Environment) -> Script:
        yield donated([(1, 0, 0.0)])
        facts = {"resources": own([[8] * 4]), "recipient": own([[9, 10, 11, 8]])}
        yield Ask("donate", Real(0, 8), facts)

    over = play(script, Opinions(), agents=4, graphs=everybody(1))
    assert over.answers("donate")[0].tolist() == [[0, 4, 4, 4]]


@pytest.mark.parametrize(
    ("norm", "shares"),
    [
        ("L3", [0.5, 0, 0.5, 0.5, 0.5]),
        ("L6", [0.5, 0, 0.5, 0.5, 0]),
        ("image_scoring", [0.5, 0, 0.5, 0, 0.5]),
    ],
)
def test_a_supposed_recipient_is_judged_by_its_trace(
    answer: Answer, norm: Norm, shares: list[float]
) -> None:
    """A stranger; one who kept, who gave, who kept from one who kept, who gave to one who kept."""
    traces = [[NOTHING, NOTHING], [0, NOTHING], [1, NOTHING], [0, 0], [1, 0]]
    facts = {"resources": own([[1] * 5]), "trace_share": own([traces])}
    said = answer("suppose", Real(0, 1), Opinions(norm), facts=facts, agents=5)
    assert said.tolist() == [shares]


# Gossip


def gossiped(about: Sequence[int], good: Sequence[bool]) -> Tell:
    facts = {"about": seen("hear", [about]), "good": seen("hear", [good])}
    return Tell("gossiped", facts)


def test_words_are_believed_as_if_one_had_seen_a_deed(play: Play) -> None:
    said = gossiped([1, NOBODY, NOBODY, NOBODY], [False] * 4)
    minds = thought(play, Opinions(trust=1), said)
    # The speaker hears nothing new, and nobody believes what is said of itself.
    assert [row[1] for row in minds] == [GOOD, GOOD, BAD, BAD]


def test_a_word_outweighs_no_more_than_one_deed(play: Play) -> None:
    """Scores from -3 to 3: agent 0 gives to 3 twice, then two call it bad, and one more."""
    part = Opinions("image_scoring", scores=(-3, 3), trust=1)
    deeds = [donated([(0, 3, 1.0)])] * 2
    two = gossiped([NOBODY, 0, 0, NOBODY], [False] * 4)
    assert thought(play, part, *deeds, two)[3][0] == 0
    assert thought(play, part, *deeds, two, two)[3][0] == -2
    assert thought(play, part, *deeds, two, two)[0][0] == 2  # as it has done itself


def test_the_distrustful_believe_nothing(play: Play) -> None:
    said = gossiped([1, 0, 1, 1], [False] * 4)
    assert thought(play, Opinions(trust=0), said) == [[GOOD] * 4] * 4


def test_contrary_words_about_somebody_cancel_out(play: Play) -> None:
    """0 and 2 call 1 bad, 3 calls it good: the others hear two of them."""
    minds = thought(
        play, Opinions(trust=1), gossiped([1, NOBODY, 1, 1], [False, False, False, True])
    )
    assert [row[1] for row in minds] == [GOOD, GOOD, GOOD, BAD]


def test_gossip_does_not_travel_beyond_those_who_see_the_speaker(play: Play) -> None:
    hear = from_networkx([nx.path_graph(4)], np.arange(4))
    said = gossiped([3, NOBODY, NOBODY, NOBODY], [False] * 4)
    minds = thought(play, Opinions(trust=1), said, hear=hear)
    assert [row[3] for row in minds] == [GOOD, BAD, GOOD, GOOD]


@pytest.mark.parametrize(("gossip_error", "verdict"), [(0, 0), (1, 1)])
def test_one_says_what_one_thinks_or_errs(play: Play, gossip_error: float, verdict: int) -> None:
    """Everybody sees only agent 0, who is bad; and 0 sees nobody."""
    star: nx.DiGraph[int] = nx.DiGraph()
    star.add_nodes_from(range(4))
    star.add_edges_from([(1, 0), (2, 0), (3, 0)])

    def script(env: Environment) -> Script:
        yield donated([(0, 3, 0.0)])
        yield Ask("gossip", SAYS)

    hear = from_networkx([star], np.arange(4))
    over = play(script, Opinions(gossip_error=gossip_error), agents=4, graphs={"hear": hear})
    assert over.answers("gossip", "about")[0].tolist() == [[NOBODY, 0, 0, 0]]
    assert over.answers("gossip", "verdict")[0][0, 1:].tolist() == [verdict] * 3


# Words, and children


def test_a_norm_describes_itself(answer: Answer) -> None:
    sentences: tuple[tuple[Norm, str], ...] = (
        ("L6", "to give 25 % of what I own to those whom the norm L6 tells me to give to, and"),
        ("always", "to give 25 % of what I own, whoever it is."),
        ("never", "to give nothing."),
    )
    for norm, words in sentences:
        (said, *_), *_ = answer("devise", Text(), Opinions(norm, 0.25)).tolist()
        assert said.startswith(f"My strategy will be {words}")


def test_under_a_fixed_stake_a_norm_speaks_of_no_shares(answer: Answer) -> None:
    sentences: tuple[tuple[Norm, str], ...] = (
        ("L6", "to give to those whom the norm L6 tells me to give to, and nothing to others."),
        ("always", "to give, whoever it is."),
        ("never", "to give nothing."),
    )
    for norm, words in sentences:
        (said, *_), *_ = answer("devise", Text(), Opinions(norm, 0.25), stake="fixed").tolist()
        assert said == f"My strategy will be {words}"


@pytest.mark.parametrize(
    ("scores", "least", "words"),
    [
        ((-1, 0), 5, "who is good at 5 or more is never so; take a least above -1, and at most 0"),
        ((0, 0), 0, "with scores from 0 to 0, who is good at 0 or more is always so"),
        ((-1, 0), -3, "who is good at -3 or more is always so"),
        ((-1, 3), -1, "who is good at -1 or more is always so"),
    ],
)
def test_standings_that_no_deed_can_change_are_refused(
    scores: tuple[int, int], least: int, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Opinions(scores=scores, least=least)


def test_any_norm_is_any_of_them(column: Any) -> None:
    n = 3000
    norms = np.bincount(column("norm", Opinions("any"), agents=n)[0], minlength=len(NORMS))
    share = 1 / len(NORMS)
    assert norms == pytest.approx(n * share, abs=4 * (n * share * (1 - share)) ** 0.5)


@pytest.mark.parametrize(("mutation", "kept"), [(0, 1), (0.5, 0.5 + 0.5 / len(NORMS))])
def test_children_follow_the_norm_of_their_parent_unless_they_mutate(
    play: Play, mutation: float, kept: float
) -> None:
    n = 2000

    def script(env: Environment) -> Script:
        newborn = np.ones((n, 2), bool)
        yield Inherit("born", np.zeros((n, 2), int), HERITABLE, newborn=newborn)

    over = play(script, Opinions("L5", mutation=mutation), agents=2, replicates=n)
    same = over.pages[-1].public["norm"] == NORMS.index("L5")
    assert same.mean() == pytest.approx(kept, abs=4 * (0.25 / (2 * n)) ** 0.5)
