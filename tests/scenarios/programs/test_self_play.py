"""Self-play of two attitudes: welfare of each composition, and how programs are sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.history import InMemoryRecorder, Page
from society.errors import InputError
from society.scenarios.programs.self_play import sampled

if TYPE_CHECKING:
    from tests.scenarios.programs.conftest import Genes, WriteFolder

FOUR_EACH: Genes = {
    ("m", "collective"): ("cooperates",) * 4,
    ("m", "exploitative"): ("defects",) * 4,
}


def compositions(folder: str, replicates: int = 5, **given: Any) -> Society:
    changes = {"replicates": replicates, "parameters": {"folders": [folder], **given}}
    return build(load_config("self_play", {**changes, "agents": given.get("players", 4)}))


def played(setup: Society) -> list[Page]:
    recorder = InMemoryRecorder()
    setup.gamemaster([recorder]).play()
    return recorder.pages[1:]


def test_welfare_falls_by_a_quarter_of_what_is_to_gain_with_each_defector(
    write_folder: WriteFolder,
) -> None:
    """n = 4, k = 2: n_c cooperators come to 2 n_c / 4 each, and all in all to 1 + n_c / 4."""
    pages = played(compositions(write_folder(FOUR_EACH)))
    payoffs = [page.measures["payoff"].tolist() for page in pages]
    assert payoffs == [[2.0] * 5, [1.75] * 5, [1.5] * 5, [1.25] * 5, [1.0] * 5]
    assert [page.measures["efficiency"][0] for page in pages] == [1.0, 0.75, 0.5, 0.25, 0.0]


def test_both_ends_are_played_whatever_the_step(write_folder: WriteFolder) -> None:
    pages = played(compositions(write_folder(FOUR_EACH), step=3))
    assert [page.measures["cooperation"][0] for page in pages] == [1.0, 0.25, 0.0]


def test_no_program_sits_on_two_seats(write_folder: WriteFolder) -> None:
    pages = played(compositions(write_folder(FOUR_EACH), replicates=30))
    for page in pages:
        names = page.public["program"]
        assert all(len(set(row)) == 4 for row in names.tolist())


def test_attitudes_take_seats_by_chance(write_folder: WriteFolder) -> None:
    """With two defectors of four, each seat has one in half of the samples."""
    pages = played(compositions(write_folder(FOUR_EACH), replicates=400))
    shares = (pages[2].public["gene"] == "m exploitative").mean(0)
    assert shares == pytest.approx([0.5] * 4, abs=0.1)


@pytest.mark.parametrize("replacement", [False, True])
def test_every_program_is_drawn_equally_often(replacement: bool) -> None:
    uniform = np.random.default_rng(1).random((6_000, 2))
    drawn = sampled(np.arange(3), uniform, replacement=replacement)
    assert np.bincount(drawn[:, 0]) / 6_000 == pytest.approx([1 / 3] * 3, abs=0.02)
    assert np.bincount(drawn[:, 1]) / 6_000 == pytest.approx([1 / 3] * 3, abs=0.02)
    assert (drawn[:, 0] == drawn[:, 1]).mean() == pytest.approx(replacement / 3, abs=0.02)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"players": 6}, "4 exploitative strategies cannot fill 6 seats without replacement"),
        ({"attitude": "selfish"}, "there is no attitude 'selfish' in these folders"),
        ({"model": "n"}, "there is no model 'n' in these folders; choose one of: m"),
    ],
)
def test_samples_that_cannot_be_drawn_are_refused(
    given: dict[str, Any], words: str, write_folder: WriteFolder
) -> None:
    with pytest.raises(InputError, match=words):
        played(compositions(write_folder(FOUR_EACH), **given))


def test_few_programs_fill_many_seats_with_replacement(write_folder: WriteFolder) -> None:
    pages = played(compositions(write_folder(FOUR_EACH), players=6, replacement=True))
    assert len(pages) == 7
