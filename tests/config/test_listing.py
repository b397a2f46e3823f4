"""What `society list` tells about all that can be named."""

from __future__ import annotations

import doctest
import os
from pathlib import Path
from typing import get_args

import pytest

from society.config import listing
from society.config.listing import Kind, describe_name, entries, listing_lines

KINDS: tuple[Kind, ...] = get_args(Kind)


@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_is_listed_has_a_line_that_says_what_it_is(kind: Kind) -> None:
    found = entries(kind)
    assert found
    assert all(entry.words for entry in found.values()), found


@pytest.mark.parametrize("kind", KINDS)
def test_the_parameters_fit_on_a_terminal_of_eighty_columns(kind: Kind) -> None:
    lines = [line for text in listing_lines(kind, parameters=True) for line in text.splitlines()]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("kind", KINDS)
def test_without_parameters_each_has_one_line(kind: Kind) -> None:
    assert len(list(listing_lines(kind, parameters=False))) == 1 + len(entries(kind))


def test_a_parameter_is_told_with_its_default_its_range_and_its_meaning() -> None:
    village = entries("scenarios")["fishing_village"].parameters
    assert "growth = 0.6 · a number from 0 to 3 · r, a round" in village
    assert "vote = median · one of median, plurality, none · how the cap is chosen" in str(village)
    assert (
        "punish_until = none · a whole number of at least 0 or none · "
        "last round with fines; none: always, 0: never"
    ) in village


def test_a_parameter_of_the_default_cast_is_told_to_be_one() -> None:
    village = entries("scenarios")["fishing_village"].parameters
    told = [line.partition(" ")[0] for line in village if line.endswith("only without `cohorts`")]
    assert told == ["population", "altruists"]


def test_a_preset_tells_what_it_sets() -> None:
    mixed = entries("scenarios")["fishing_village_mixed"].parameters
    assert mixed == ("as fishing_village, population = mixed, growth = 0.2",)


def test_parameters_of_components_mechanisms_and_graphs_are_told_too() -> None:
    assert entries("components")["persona"].parameters == (
        "temper = general · one of general, altruist, selfish",
    )
    assert entries("mechanisms")["quota"].parameters == (
        "kind (required) · text",
        "at (required) · a number",
    )
    assert "rewiring = 0.1 · a number from 0 to 1" in entries("graphs")["small_world"].parameters
    assert entries("graphs")["complete"].parameters == ()


def test_long_lines_go_on_further_in() -> None:
    lines = "\n".join(listing_lines("scenarios", parameters=True)).splitlines()
    start = next(index for index, line in enumerate(lines) if "catchability = 0.05" in line)
    assert lines[start].startswith(" " * 6 + "catch")
    assert lines[start + 1].startswith(" " * 10)


def test_the_examples_in_its_docstrings_are_true() -> None:
    assert doctest.testmod(listing) == (0, doctest.testmod(listing).attempted)


def test_keys_that_are_set_are_named_and_never_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    assert entries("models")["keys"].words == "none set in the environment or in .env"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-knows")
    assert entries("models")["keys"].words == "OPENAI_API_KEY"
    assert "sk-nobody-knows" not in "".join(listing_lines("models", parameters=True))


STEWARD = '''
from dataclasses import dataclass

from society import Column, Component, mechanism


@dataclass(frozen=True)
class Steward(Component):
    """Gives what it can spare."""

    share: float = 0.5
    answers = ("donate",)
    columns = (Column("more", public=True),)

    def answer(self, ask, agents):
        return self.share


@mechanism
class Levy:
    """Everybody pays a levy."""

    levy: float = 0.5

    def on_payoff(self, tell, payoff):
        return -self.levy + 0 * payoff
'''


def test_a_file_without_a_scenario_is_described_by_its_components_and_mechanisms(
    tmp_path: Path,
) -> None:
    (tmp_path / "steward.py").write_text(STEWARD)
    assert describe_name(str(tmp_path / "steward.py"), KINDS).parts == {
        "component steward": [
            "Gives what it can spare.",
            "answers: donate",
            "columns: more · float64 · public",
            "parameters: share = 0.5 · a number",
        ],
        "mechanism levy": ["Everybody pays a levy.", "parameters: levy = 0.5 · a number"],
    }


def test_a_scenario_file_is_described_with_the_parameters_that_it_sets(tmp_path: Path) -> None:
    file = tmp_path / "rich.yaml"
    file.write_text("scenario: fishing_village\nparameters: {growth: 0.9}\n")
    described = describe_name(str(file), KINDS)
    assert described.words.startswith("fishing_village: A lake shared by villagers")
    assert "growth = 0.9 · a number from 0 to 3 · r, a round" in described.parts["parameters"]
    assert "fine = 10 · " in str(described.parts["parameters"]), "which has its default"


def test_an_experiment_is_told_with_its_factors_and_how_it_is_played() -> None:
    table = describe_name("evolution_table", KINDS)
    assert table.words == (
        "The winners of cultural evolution in three dilemmas and two sizes of groups, as in table "
        "2 of Willis et al. 2026, which has 100 evolutions of each"
    )
    assert table.parts == {
        "design": [
            "plays cultural_evolution",
            "game: public_goods, collective_risk, common_pool",
            "players: 4, 64",
            "replicates: 100",
        ],
        "play it by": ["society sweep evolution_table"],
    }
