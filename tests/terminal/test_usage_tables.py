"""What a run would cost: calls, tokens and dollars of each model, and what nobody knows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from society.llm.providers.estimate import Forecast
from society.terminal.forecast_text import print_forecast

if TYPE_CHECKING:
    from tests.terminal.conftest import Hand

CHEAP = Forecast("mini", 1200, 345_678, 2345, 99_999, cost=0.0123, most_cost=1.5)
STRANGE = Forecast("strange", 1, 5, 7, 7, cost=None, most_cost=None)


def printed(
    hand: Hand, *models: Forecast, rounds: int = 50, width: int = 80, **given: Any
) -> list[str]:
    file = io.StringIO()
    print_forecast(hand.manifest(**given), rounds, models, Console(file=file, width=width))
    return file.getvalue().splitlines()


def test_a_model_is_told_with_calls_tokens_and_what_they_cost_at_least_and_at_most(
    hand: Hand,
) -> None:
    assert printed(hand, CHEAP)[:4] == [
        "mini",
        "  calls   1,200 in 50 rounds",
        "  tokens  345,678 in prompts, 2,345 to 99,999 in replies",
        "  cost    0.0123 to 1.5000 US dollars",
    ]


def test_a_price_that_nobody_knows_makes_the_whole_unknown(hand: Hand) -> None:
    lines = printed(hand, CHEAP, STRANGE)
    assert lines[4:12] == [
        "strange",
        "  calls   1 in 50 rounds",
        "  tokens  5 in prompts, 7 in replies",
        "  cost    unknown, as no price is known",
        "all 2 models",
        "  calls   1,201 in 50 rounds",
        "  tokens  345,683 in prompts, 2,352 to 100,006 in replies",
        "  cost    unknown, as no price is known",
    ]


def test_a_run_without_models_is_free(hand: Hand) -> None:
    assert printed(hand) == ["No model is called: this run is free."]


def test_the_reader_learns_how_it_was_counted(hand: Hand) -> None:
    note = " ".join(printed(hand, CHEAP)[4:])
    assert note.startswith("Estimated from a run by the offline model")
    assert note.endswith("Nothing was spent.")


@pytest.mark.parametrize("width", [24, 60, 200])
def test_a_forecast_fits_the_terminal(hand: Hand, width: int) -> None:
    long = CHEAP._replace(model="provider/" + "m" * 200)
    assert all(cell_len(line) <= width for line in printed(hand, long, STRANGE, width=width))


def test_what_batches_and_sharing_would_save_is_said(hand: Hand) -> None:
    cheaper = CHEAP._replace(batch_cost=0.006, most_batch_cost=0.75, identical=20)
    assert printed(hand, cheaper)[4:6] == [
        "  batch   0.0060 to 0.7500 US dollars with --batch",
        "  alike   20 as before; asked once with --share-identical at temperature 0",
    ]
