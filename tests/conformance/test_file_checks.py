"""`society check FILE`: experiments, mechanisms and prompt packs, sound and with mistakes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import society
from society.conformance.experiment_checks import choose_conditions
from society.errors import ScenarioError
from society.experiments.experiment import Condition, read_experiment

if TYPE_CHECKING:
    from tests.conftest import Typed

ROOT = Path(__file__).resolve().parents[2]

TAXED = '''from society import mechanism

@mechanism
class Taxed:
    """A tenth of each payoff is taken away."""

    rate: float = 0.1

    def on_payoff(self, tell, payoff):
        return -self.rate * payoff
'''


SPOKEN = """from typing import Literal

from society import Ask, Cohort, Component, Declared, Params, Real, Tell
from society import declares, own, scenario
from society.components.language.llm_policy import LanguagePolicy


class Spring(Params):
    minds: Literal["rules", "words"] = "rules"


class Drinker(Component):
    answers = ("drink",)

    def answer(self, ask, agents):
        return agents.draws.uniform("thirst")


def cast(params, count):
    mind = LanguagePolicy() if params.minds == "words" else Drinker()
    return [Cohort("drinker", count, (mind,))]


@scenario(params=Spring, cast=cast, agents=3, rounds=2)
@declares(Declared(move="drink", told="drunk", payoff="drunk"))
def spring(env):
    for _ in env.rounds():
        drunk = yield Ask("drink", Real(0, 1), fallback=0)
        yield Tell("drunk", {"drunk": own(drunk), "thirst": own(1 - drunk)})
"""


def outcomes(said: str) -> list[str]:
    """The lines about the whole file, without those of single rules."""
    rules = (
        "the same",
        "each replicate",
        "splitting",
        "answering",
        "answers are",
        "answers fit",
        "replay",
        "plays",
    )
    lines = (line.split(maxsplit=1) for line in said.splitlines())
    return [
        f"{outcome} {words}"
        for outcome, words in lines
        if not words.partition(": ")[2].startswith(rules) or "conditions" in words
    ]


# Experiments


def test_all_conditions_of_a_small_experiment_are_played(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text("base: fishing_village\nfactors: {fine: [0, 2]}\n")
    said = typed("check", "e.yaml")
    assert (said.code, outcomes(said.out)) == (
        0,
        [
            "ok e.yaml: names and values of 2 conditions",
            "ok e.yaml: plays 2 of 2 conditions small",
        ],
    )


def test_a_condition_that_does_not_play_is_named(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "taxed.py").write_text(TAXED.replace("self.rate", "self.rat"))
    (tmp_path / "e.yaml").write_text(
        "base: prisoners_dilemma\n"
        "factors: {tax: {none: {}, tenth: {uses: [taxed.py], mechanisms: [{taxed: {}}]}}}\n"
    )
    said = typed("check", "e.yaml")
    assert said.code == 2
    assert outcomes(said.out) == [
        "ok e.yaml: names and values of 2 conditions",
        "error e.yaml, tax=tenth: does not play to its end: taxed.py:10: AttributeError: 'Taxed' "
        "object has no attribute 'rat'; did you mean 'rate'?",
    ]


def test_what_no_condition_accepts_is_said_in_place(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text("base: fishing_village\nfactors: {fnie: [0, 2]}\n")
    said = typed("check", "e.yaml")
    assert said.code == 2
    assert said.out.startswith("error    e.yaml: e.yaml:2:")
    assert "did you mean 'fine'?" in said.out


def conditions_of(file: Path, factors: str) -> tuple[Condition, ...]:
    file.write_text(f"base: prisoners_dilemma\nfactors: {factors}\n")
    return read_experiment(file).conditions


def test_few_of_many_conditions_have_each_level_of_each_factor(tmp_path: Path) -> None:
    rounds, seats = list(range(1, 8)), ["{}", "{replicates: 3}"]
    conditions = conditions_of(
        tmp_path / "e.yaml", f"{{rounds: {rounds}, mark: {{a: {seats[0]}, b: {seats[0]}}}}}"
    )
    chosen = choose_conditions(conditions, most=10)
    assert (len(conditions), len(chosen)) == (14, 10)
    assert {one.factors["rounds"] for one in chosen} == set(rounds)
    assert {one.factors["mark"] for one in chosen} == {"a", "b"}
    assert choose_conditions(conditions, most=14) == conditions


# Mechanisms


def test_a_mechanism_is_tried_around_every_game(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "taxed.py").write_text(TAXED)
    said = typed("check", "taxed.py")
    lines = [line for line in outcomes(said.out) if line.startswith("ok taxed: ")]
    assert said.code == 0, said.out
    assert lines == [
        "ok taxed: stands around 11 of 24 scenarios, each played small: collective_risk, "
        "common_pool, fishing_village, language_village, matching_pennies, normal_form, "
        "prisoners_dilemma, public_goods, stag_hunt, travellers_dilemma, trust",
        "ok taxed: not around collective_labour, cultural_evolution, haggling, "
        "irrigation_election, marketplace, norm_coding, persona_writing, program_tournament, "
        "pub_coordination, self_play, strategy_writing, village_meeting: taxed: the play declares "
        "no move and no payoff to act on; wrap one that does, or put "
        "@declares(Declared(move=..., told=...)) above it",
        "ok taxed: not around donor_game: taxed: this play takes no payments, since what is owned "
        "in it grows or vanishes from round to round; take a play with payoffs",
    ]


def test_a_mechanism_that_fails_is_blamed_around_each_game(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "taxed.py").write_text(TAXED.replace("self.rate", "self.rat"))
    said = typed("check", "taxed.py")
    failed = [line for line in said.out.splitlines() if line.startswith("error")]
    assert (said.code, len(failed)) == (2, 11)
    assert failed[-1] == (
        "error    taxed around trust: does not play to its end: taxed.py:10: AttributeError: "
        "'Taxed' object has no attribute 'rat'; did you mean 'rate'?"
    )
    assert "stands around" not in said.out
    assert "could not be checked" not in said.out


def test_a_mechanism_that_reads_a_fact_stands_around_scenarios_that_tell_it(
    typed: Typed, tmp_path: Path
) -> None:
    """One that is made for a scenario of its own is sound, and a misspelt fact is not."""
    (tmp_path / "spring.py").write_text(SPOKEN)
    hook = "return -self.rate * "
    text = TAXED.replace(f"{hook}payoff", f'{hook}tell.facts["thirst"].values')
    (tmp_path / "taxed.py").write_text(text)
    (tmp_path / "taxes.yaml").write_text(
        "scenario: spring.py\nuses: [taxed.py]\nmechanisms: [taxed]\n"
    )
    said = typed("check", "taxed.py")
    assert said.code == 0, said.out
    assert "travellers_dilemma, trust: it reads the fact 'thirst', which is not told there" in (
        said.out
    )
    (tmp_path / "taxed.py").write_text(text.replace('"thirst"', '"thrist"'))
    said = typed("check", "taxes.yaml")
    assert "taxed.py:10: 'drunk' has no fact 'thrist'; did you mean 'thirst'?" in said.out


@pytest.mark.thorough
def test_a_mechanism_that_stands_nowhere_says_why(typed: Typed, tmp_path: Path) -> None:
    text = TAXED.replace("rate: float = 0.1", "rate: float")
    (tmp_path / "taxed.py").write_text(text)
    said = typed("check", "taxed.py")
    first, second = said.out.splitlines()
    assert said.code == 2
    assert first == "error    taxed: stands around none of the scenarios that come with the program"
    assert second.startswith("error    taxed: not around collective_labour, collective_risk, ")
    assert "rate" in second


# Prompt packs


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack with all templates of one scenario, as they come with the program."""
    prompts = ROOT / "scenarios/village/prompts/village_meeting"
    shutil.copytree(prompts, tmp_path / "pack/village_meeting")
    return tmp_path / "pack"


def test_every_template_of_a_pack_is_rendered(typed: Typed, pack: Path) -> None:
    said = typed("check", "pack", "--strict")
    count = sum(one.is_file() for one in pack.rglob("*"))
    assert said.code == 0, said.out
    assert said.out.startswith(f"ok       pack: {count} of {count} templates rendered, in ")


def test_a_template_that_nothing_asks_for_is_an_error(typed: Typed, pack: Path) -> None:
    for wrong in ("spaek", "jugde"):
        (pack / f"village_meeting/{wrong}.md").write_text("Well? {{ hint }}\n")
    said = typed("check", "pack")
    assert said.code == 2
    assert said.out.splitlines() == [
        "error    village_meeting: prompts: pack/village_meeting/jugde.md is not a prompt of "
        "village_meeting; did you mean 'village_meeting/judge.md'?",
        "error    village_meeting: pack/village_meeting/spaek.md is not a prompt of "
        "village_meeting; did you mean 'village_meeting/speak.md'?",
    ]


def test_a_folder_of_no_scenario_is_an_error(typed: Typed, pack: Path) -> None:
    (pack / "vilage_meeting").mkdir()
    (pack / "vilage_meeting/speak.md").write_text("Well? {{ hint }}\n")
    said = typed("check", "pack")
    assert said.code == 2
    assert said.out.splitlines()[0] == (
        "error    vilage_meeting: pack/vilage_meeting is no folder of a scenario or mechanism; "
        "did you mean 'village_meeting'?"
    )


def test_a_template_that_fails_with_real_facts_is_an_error(typed: Typed, pack: Path) -> None:
    speak = pack / "village_meeting/speak.md"
    speak.write_text(speak.read_text() + "{{ weather }}\n")
    said = typed("check", "pack")
    assert said.code == 2
    assert "pack/village_meeting/speak.md:" in said.out
    assert "speak.md:9: there is no 'weather' in the question 'speak'" in said.out


def test_templates_of_repairs_and_mechanisms_are_rendered(typed: Typed, tmp_path: Path) -> None:
    for name in ("any/repair.md", "cheap_talk/terms.md"):
        (tmp_path / "pack" / name).parent.mkdir(parents=True)
    (tmp_path / "pack/any/repair.md").write_text(
        "{{ reply | fenced }}\nAgain, please: {{ hint }}\n"
    )
    (tmp_path / "pack/cheap_talk/terms.md").write_text("Everybody may say something first.\n")
    said = typed("check", "pack")
    assert (said.code, said.out.count("2 of 2 templates rendered")) == (0, 1), said.out


def test_a_pack_for_a_scenario_of_ones_own_is_rendered(typed: Typed, tmp_path: Path) -> None:
    """The scenario is found in the Python files beside the folder of the pack."""
    assert typed("new", "scenario", "pond").code == 0
    template = tmp_path / "plain/pond/take.md"
    template.parent.mkdir(parents=True)
    template.write_text("{{ stock }} fish are left. {{ hint }}\n")
    said = typed("check", "plain")
    assert (said.code, said.out) == (
        0,
        "ok       plain: 1 of 1 templates rendered, in 1 small plays\n",
    )
    template.write_text("{{ stcok }} fish are left. {{ hint }}\n")
    said = typed("check", "plain")
    assert (said.code, said.out) == (
        2,
        "error    pond: plain/pond/take.md:1: there is no 'stcok' in the question 'take'; did you "
        "mean 'stock'?\n",
    )


def test_a_pack_for_a_scenario_of_rules_is_rendered_where_a_parameter_has_it_ask_models(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "spring.py").write_text(SPOKEN)
    template = tmp_path / "plain/spring/drink.md"
    template.parent.mkdir(parents=True)
    template.write_text("How much do you drink? {{ hint }}\n")
    said = typed("check", "plain")
    assert said.out == "ok       plain: 1 of 1 templates rendered, in 1 small plays\n"
    template.write_text("How {{ mcuh }} do you drink?\n")
    said = typed("check", "plain")
    assert "error    spring: plain/spring/drink.md:1: there is no 'mcuh'" in said.out


@pytest.mark.thorough
def test_a_template_that_was_not_rendered_is_warned_of(typed: Typed, pack: Path) -> None:
    (pack / "village_meeting/told/rained.md").write_text("It rained.\n")
    said = typed("check", "pack")
    assert said.code == 0
    count = sum(one.is_file() for one in pack.rglob("*"))
    warned, summed = said.out.splitlines()
    assert warned == (
        "warning  pack: no play that was tried has rendered pack/village_meeting/told/rained.md"
    )
    assert summed.startswith(f"ok       pack: {count - 1} of {count} templates rendered, in ")


# Parts of a scenario of one's own

POND = '''import numpy as np
from society import Ask, Cohort, Component, Declared, Params, Real, Tell, declares, own, scenario


class Pond(Params):
    """How much water each one needs."""

    need: float = 2.0


class Drinker(Component):
    """Drinks by chance."""

    answers = ("take",)

    def answer(self, ask, agents):
        return agents.draws.uniform("thirst")


@scenario(params=Pond, cast=lambda p, n: [Cohort("drinker", n, (Drinker(),))], agents=3, rounds=3)
@declares(Declared(move="take", told="drunk"))
def pond(env):
    """People drink from a pond."""
    for _ in env.rounds():
        taken = yield Ask("take", Real(0, 9), fallback=0)
        yield Tell("drunk", {"payoff": own(np.minimum(taken, env.params.need))})
'''
NEEDY = '''from dataclasses import dataclass

from society import Component


@dataclass(frozen=True)
class Needy(Component):
    """Takes what it needs."""

    need: float
    answers = ("take",)

    def answer(self, ask, agents):
        return self.need
'''
POND_YAML = (
    "scenario: pond.py\n"
    "uses: [needy.py, taxed.py]\n"
    "mechanisms: [taxed]\n"
    "cohorts: [{name: needy, count: 2, components: [needy]}]\n"
)


@pytest.fixture
def pond(typed: Typed, tmp_path: Path) -> Path:
    for name, text in (("pond.py", POND), ("needy.py", NEEDY), ("taxed.py", TAXED)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_part_is_played_in_the_scenario_file_beside_it_that_has_it(
    typed: Typed, pond: Path
) -> None:
    (pond / "dry.yaml").write_text(POND_YAML)
    assert outcomes(typed("check", "needy.py", "--strict").out) == [
        "ok needy in dry.yaml: names, values and wiring"
    ]
    assert (
        "ok       taxed in dry.yaml: plays 3 rounds in 3 replicates"
        in typed("check", "taxed.py").out
    )


def test_a_part_of_another_scenario_says_what_would_check_it(typed: Typed, pond: Path) -> None:
    said = typed("check", "needy.py")
    first, second = said.out.splitlines()
    assert said.code == 2
    assert first == "error    needy: needy: need: is missing; expected a number"
    assert second == (
        "warning  needy: it was tried in irrigation_election, since that asks or tells what it "
        "answers or notices; if it is meant for a scenario of yours, write a scenario file beside "
        "it that has it in a cohort and its file under `uses`, and check again"
    )


def test_components_are_checked_by_name_and_as_objects(typed: Typed, pond: Path) -> None:
    said = typed("check", "harvest")
    assert (said.code, outcomes(said.out)) == (
        0,
        ["ok harvest in fishing_village: names, values and wiring"],
    )
    namespace: dict[str, object] = {"__name__": "cell"}
    exec(POND, namespace)
    assert society.check(namespace["pond"])[0] == ("pond", "ok", "names, values and wiring")
    assert society.check(namespace["Drinker"])[0].subject == "drinker in irrigation_election"
    with pytest.raises(ScenarioError, match="got the function '<lambda>'; expected a scenario"):
        society.check(lambda: 3)


def test_declares_above_a_scenario_says_where_it_belongs(typed: Typed, pond: Path) -> None:
    lines = POND.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("@scenario"))
    lines[place : place + 2] = lines[place + 1], lines[place]
    (pond / "pond.py").write_text("\n".join(lines))
    said = typed("check", "pond.py")
    assert said.code == 2
    assert "put it below @scenario, right above the def" in said.out


HABITUAL = """from dataclasses import dataclass

import numpy as np
from society import Column, Component


@dataclass(frozen=True)
class Habitual(Component):
    first: float = 0.5
    at_birth = ("first",)
    answers = ("effort",)
    columns = (Column("habit"),)

    def begin(self, agents):
        agents["habit"] = self.first

    def answer(self, ask, agents):
        return {answer}
"""
HABITS = (
    "scenario: fishing_village\n"
    "uses: [habitual.py]\n"
    "cohorts:\n"
    "  - {name: some, count: 3, replace: {harvest: {habitual: {first: 0.2}}}}\n"
    "  - {name: others, count: 3, replace: {harvest: {habitual: {first: 0.9}}}}\n"
)


def test_what_begin_alone_reads_may_stand_in_at_birth(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "habitual.py").write_text(HABITUAL.format(answer='agents["habit"]'))
    said = typed("check", "habitual.py", "--strict")
    assert said.code == 0, said.out


def test_an_at_birth_that_an_answer_reads_as_well_is_false(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "habitual.py").write_text(HABITUAL.format(answer='agents["habit"] * self.first'))
    said = typed("check", "habitual.py")
    assert (said.code, said.out) == (
        2,
        "error    habitual: habitual.py:10: at_birth of habitual names 'first', which answer reads "
        "as well, so that cohorts which differ in it must not be asked together; leave it out of "
        "at_birth, or keep it in a column from `begin` on\n",
    )


def test_an_at_birth_of_who_looks_at_the_whole_cohort_is_found_by_playing(
    typed: Typed, tmp_path: Path
) -> None:
    """Cohorts that are joined are asked apart, too, and go another way then."""
    answer = 'np.full(len(agents), agents["habit"].mean())'
    (tmp_path / "habitual.py").write_text(HABITUAL.format(answer=answer))
    (tmp_path / "a.yaml").write_text(HABITS)
    said = typed("check", "a.yaml")
    assert said.code == 2
    assert (
        "not on how many members there are; at_birth of habitual gives the word that hooks look at "
        "nothing else" in said.out
    )
