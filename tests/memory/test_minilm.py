"""The real sentence model: it finds memories by meaning, and it does not measure valence."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from society.memory import embedders
from society.memory.associative import AssociativeMemory
from society.memory.embedders import MiniLM, embedder
from society.memory.norm_space import clusters, similarity

# One worker loads the model (half a gigabyte), not each of them.
pytestmark = pytest.mark.xdist_group("embeddings")

# Written in pairs: each altruistic norm has a selfish one on the same matter.
ALTRUISTIC = [
    "Share what you catch with those who went home with empty nets.",
    "Leave enough fish in the lake for everyone to eat next season.",
    "Give up a part of your own catch when a neighbour is in need.",
    "Fish less than you could, so that the whole village can live.",
]
SELFISH = [
    "Keep all you catch and let the others look after themselves.",
    "Take as many fish from the lake as your boat can carry today.",
    "Never give up a part of your own catch, whoever may be in need.",
    "Fish as much as you can before the rest of the village does.",
]
NEGATIONS = {
    "Help strangers.": "Do not help strangers.",
    "Help your neighbours whenever they ask.": "Never help your neighbours, even when they ask.",
    "Share your catch with the hungry.": "Do not share your catch with the hungry.",
}


def test_the_model_loads_quietly_and_without_a_network(
    minilm: MiniLM, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*address: object) -> None:
        raise AssertionError(f"the network was asked for: {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(embedders, "_loaded", embedders._loaded.__wrapped__)
    embedder("minilm").embed(["Leave enough for tomorrow."])
    assert capfd.readouterr() == ("", "")


def test_the_model_is_loaded_once(minilm: MiniLM) -> None:
    assert MiniLM()._model is minilm._model


def test_rows_have_length_one_and_words(minilm: MiniLM) -> None:
    rows = minilm.embed(["Leave enough for tomorrow.", "", "Leave enough for tomorrow."])
    assert rows.shape == (3, minilm.size)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1])
    assert (rows[0] == rows[2]).all()


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("Was anybody punished?", "Bo had to pay a fine"),
        ("How are the stocks of our waters?", "The lake holds fewer trout than last year"),
        ("Is anybody hungry?", "Eve's children had nothing to eat yesterday"),
        ("How was the weather?", "It rained on the day of the wedding"),
    ],
)
def test_a_memory_is_found_by_its_meaning(minilm: MiniLM, question: str, memory: str) -> None:
    """No question shares a word that matters with the memory that answers it.

    These are plain ones. "How did the others react when somebody took too much?" finds the hungry
    children, and not the fine.
    """
    events = [
        "Bo had to pay a fine",
        "The lake holds fewer trout than last year",
        "The village voted for a limit of three fish",
        "Eve's children had nothing to eat yesterday",
        "Ada painted her boat green",
        "It rained on the day of the wedding",
    ]
    mind = AssociativeMemory()
    for event, row in zip(events, minilm.embed(events), strict=True):
        mind.add(1, event, row, 0.5)
    [found] = mind.recall(minilm.embed([question])[0], 1, 1)
    assert found.text == memory


def test_wordings_of_one_norm_form_a_cluster(minilm: MiniLM) -> None:
    norms = [
        "Nobody may catch more than three fish a day.",
        "Pay a fine if you skip the village meeting.",
        "The daily catch is limited to three fish for everybody.",
        "Each fisher takes at most three fish per day.",
    ]
    assert clusters(minilm.embed(norms), 0.6).tolist() == [0, 1, 0, 0]


# What it is not for


def test_similarity_does_not_tell_altruists_from_egoists(minilm: MiniLM) -> None:
    """Measured: .375 among altruistic norms, .418 among selfish ones, .453 between the two.

    A useful measure of valence would show more within than between; here the matter decides.
    """
    altruistic, selfish = minilm.embed(ALTRUISTIC), minilm.embed(SELFISH)
    within = (similarity(altruistic) + similarity(selfish)) / 2
    across = float((altruistic @ selfish.T).mean())
    assert (within, across) == pytest.approx((0.397, 0.453), abs=0.005)


def test_two_camps_look_more_alike_than_either_camp(minilm: MiniLM) -> None:
    """Measured: S_ind is .375 and .418 within the camps, and .429 in a village of both."""
    altruistic, selfish = minilm.embed(ALTRUISTIC), minilm.embed(SELFISH)
    village = np.concatenate([altruistic, selfish])
    assert similarity(village) > max(similarity(altruistic), similarity(selfish))


def test_a_norm_lies_next_to_its_own_negation(minilm: MiniLM) -> None:
    """Measured: .78, .87, .89, which is nearer than any other altruistic norm comes."""
    norms, rows = list(NEGATIONS), minilm.embed(list(NEGATIONS))
    negated = (rows * minilm.embed(list(NEGATIONS.values()))).sum(1)
    others = (rows @ minilm.embed(norms + ALTRUISTIC).T)[~np.eye(3, 7, dtype=bool)].reshape(3, 6)
    assert negated == pytest.approx([0.78, 0.87, 0.89], abs=0.01)
    assert (negated > others.max(1)).all()


def test_refusing_scores_as_altruistic_as_helping(minilm: MiniLM) -> None:
    """A tempting score of altruism: nearness to the altruistic norms minus that to the selfish.

    Measured: -.015, .055, -.038 for three altruistic norms, -.024, .062, -.038 for their
    negations. Never to help scores highest of the six.
    """
    altruistic, selfish = minilm.embed(ALTRUISTIC), minilm.embed(SELFISH)
    said = minilm.embed([*NEGATIONS, *NEGATIONS.values()])
    altruism = (said @ altruistic.T).mean(1) - (said @ selfish.T).mean(1)
    norms, negations = altruism[:3], altruism[3:]
    assert norms == pytest.approx([-0.015, 0.055, -0.038], abs=0.005)
    assert negations == pytest.approx([-0.024, 0.062, -0.038], abs=0.005)
