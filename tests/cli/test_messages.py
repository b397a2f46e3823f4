"""Messages about a newcomer's mistakes: what came, what was expected, what to do, and where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from society.cli.main import main

Mistake = Callable[..., str]

WOOD = """\
import numpy as np
from society import (
    Ask, Cohort, Component, Measure, Params, Real, Tell, common, mechanism, own, per_agent,
    scenario, seen,
)


class Wood(Params):
    growth: float = 0.2


class Feller(Component):
    answers = ("fell",)

    def answer(self, ask, agents):
        return agents.draws.uniform("share") * ask.facts["left"] / 20


def fellers(params, count):
    return [Cohort("feller", count, (Feller(),))]


@scenario(params=Wood, cast=fellers, agents=5, rounds=3)
def wood(env):
    left = np.full((env.replicates, 1), 100.0)
    for _ in env.rounds():
        cut = yield Ask("fell", Real(0, left / env.agents), {"left": common(left)})
        left = np.minimum((left - cut.sum(1, keepdims=True)) * (1 + env.params.growth), 100)
        yield Tell("felled", {"cut": own(cut), "left": common(left)})
"""
SHARE = 'agents.draws.uniform("share") * ask.facts["left"] / 20'


@pytest.fixture
def mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Mistake:
    """Type `society WORDS` beside wood.py, with some of its text changed; return the message."""
    monkeypatch.chdir(tmp_path)

    def made(*words: str, wood: tuple[str, str] | None = None, **files: str) -> str:
        text = WOOD
        if wood is not None:
            assert wood[0] in text
            text = text.replace(*wood)
        Path("wood.py").write_text(text)
        for name, content in files.items():
            Path(f"{name}.yaml").write_text(content)
        before = set(tmp_path.rglob("*"))
        try:
            code = main([*(words or ("run", "wood.py", "--quiet", "--out", "a.run"))])
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        assert (code, said.out) == (2, "")
        assert "Traceback" not in said.err
        assert set(tmp_path.rglob("*")) == before, "something was written"
        lines = said.err.splitlines()  # before an error there may be warnings, a line each
        while lines[0].startswith("warning: "):
            del lines[0]
        message = "\n".join(lines).removeprefix("society: ")
        return message.strip().removesuffix("; nothing was saved")

    return made


def line_of(text: str, inside: str = WOOD) -> int:
    """The number of the line that holds a text."""
    return inside[: inside.index(text)].count("\n") + 1


def test_an_ask_without_yield_is_named_at_its_own_line(mistake: Mistake) -> None:
    assert mistake(wood=("cut = yield Ask", "cut = Ask")) == (
        f"wood.py:{line_of('cut = yield')}: `cut = Ask(...)` without `yield` asks nobody; "
        "write `cut = yield Ask(...)`"
    )


def test_a_tell_without_yield_is_named_at_its_own_line(mistake: Mistake) -> None:
    assert mistake(wood=("yield Tell(", "told = 1 + Tell(")) == (
        f"wood.py:{line_of('yield Tell')}: `Tell(...)` without `yield` tells nobody; "
        "write `yield Tell(...)`"
    )


MEASURED = "rounds=3, measures=(Measure('cut', 'trees', lambda told, env: {}),))"


def test_a_measure_of_the_wrong_shape_is_named_with_both_shapes(mistake: Mistake) -> None:
    assert mistake(wood=("rounds=3)", MEASURED.format("told['cut']"))) == (
        f"wood.py:{line_of('rounds=3')}: the measure 'cut' gives shape (1, 5); expected (1,) or "
        "(1, 1), a number for each replicate, such as values.mean(1)"
    )


def test_a_measure_that_is_no_number_is_named_with_its_value(mistake: Mistake) -> None:
    assert "the measure 'cut' gives 'many'; expected (1,) or (1, 1)" in mistake(
        wood=("rounds=3)", MEASURED.format("'many'"))
    )


def test_a_class_of_parameters_without_params_is_named(mistake: Mistake) -> None:
    assert mistake(wood=("class Wood(Params)", "class Wood")) == (
        f"wood.py:{line_of('@scenario')}: params=Wood of wood is no class of parameters; write "
        "`class Wood(Params):`, and give the class itself"
    )


def test_bounds_the_wrong_way_round_blame_the_line_of_the_user(mistake: Mistake) -> None:
    assert mistake(wood=("Real(0, left / env.agents)", "Real(0, -1)")) == (
        f"wood.py:{line_of('cut = yield')}: Real between low=0 and high=-1; give numbers, low at "
        "most as large as high"
    )


def test_a_fact_that_no_run_file_can_keep_is_named_with_its_line(mistake: Mistake) -> None:
    words = mistake(
        wood=('"left": common(left)})\n        left', '"left": common(object)})\n        left')
    )
    assert words == (
        f"wood.py:{line_of('cut = yield')}: Ask('fell'): fact 'left' has <class 'object'>, of "
        "type type, which a run file cannot keep; give numbers or text"
    )


def test_a_stop_iteration_in_a_script_blames_the_call_of_next(mistake: Mistake) -> None:
    assert mistake(wood=("        cut = yield", "        next(iter(()))\n        cut = yield")) == (
        f"wood.py:{line_of('cut = yield')}: next() found nothing more; loop with `for`, or give "
        "next() a default"
    )


def test_a_mechanism_that_raises_while_it_wraps_is_named_with_its_line(mistake: Mistake) -> None:
    broken = "@mechanism\ndef doubled(play):\n    return {}['']\n\n\n@scenario"
    words = mistake(
        "run", "a.yaml", wood=("@scenario", broken),
        a="scenario: wood.py\nmechanisms: [doubled]\n",
    )  # fmt: skip
    assert words == (
        f"a.yaml:2:14 mechanisms[0].doubled: wood.py:{line_of('@scenario') + 2}: the mechanism "
        "doubled fails around wood: KeyError: ''"
    )


def test_a_society_that_no_memory_can_hold_is_refused_before_it_is_made(mistake: Mistake) -> None:
    words = mistake("run", "wood.py", "--agents", "10000000", "--replicates", "10000000")
    assert words.startswith(
        "10,000,000 agents x 10,000,000 replicates need at least 745,058 GiB for 0 columns and an "
        "answer; this machine has "
    )
    assert words.endswith(" GiB; take fewer agents or replicates")


@pytest.mark.parametrize(
    ("given", "came"),
    [
        ("None", "None (is a `return` missing?)"),
        ("'many'", "'many'"),
        ("{'a': 1}", "{'a': 1}"),
    ],
)
def test_an_answer_that_is_no_number_is_shown_with_its_component(
    mistake: Mistake, given: str, came: str
) -> None:
    assert mistake(wood=(SHARE, given)) == (
        f"wood.py:{line_of('def answer')}: feller answered 'fell' with {came}; expected a number "
        "within its own bounds, one per member (5 members)"
    )


def test_an_answer_of_one_member_that_is_no_number_is_shown_with_its_seat(
    mistake: Mistake,
) -> None:
    assert mistake(wood=(SHARE, "[1, 2, 'x', 4, 5]")) == (
        f"wood.py:{line_of('def answer')}: feller, agent 2 of replicate 0, answered 'fell' with "
        "'x'; expected a number within its own bounds, one per member (5 members)"
    )


def test_an_answer_that_is_not_legal_is_shown_with_its_component(mistake: Mistake) -> None:
    assert mistake(wood=(SHARE, "np.full(len(agents), np.nan)")) == (
        f"wood.py:{line_of('def answer')}: feller, agent 0 of replicate 0, answered 'fell' "
        "with nan; expected a number"
    )


def test_a_relation_that_is_not_declared_is_named_with_the_mend(mistake: Mistake) -> None:
    assert mistake(wood=("own(cut)", "seen('see', cut)")) == (
        f"wood.py:{line_of('yield Tell')}: Tell('felled'): there is no graph 'see'; "
        "say relations=('see',) in @scenario"
    )


def test_parameters_of_a_class_without_dataclass_are_named_with_the_mend(mistake: Mistake) -> None:
    words = mistake(
        "run", "a.yaml", wood=("    answers = (", "    rate: float = 0.5\n    answers = ("),
        a="scenario: wood.py\ncohorts:\n  - {name: a, count: 5, components: [{feller: {rate: 2}}]}",
    )  # fmt: skip
    assert words == (
        "a.yaml:3:48 cohorts[0].components[0].feller.rate: Feller is no dataclass, so it takes no "
        "parameters; put @dataclass(frozen=True) above `class Feller` "
        f"(wood.py:{line_of('class Feller')})"
    )


def test_a_cast_that_is_too_small_is_counted(mistake: Mistake) -> None:
    assert mistake(wood=('"feller", count', '"feller", 3')) == (
        f"wood.py:{line_of('def fellers')}: the cast has 3 agents (3 feller), not 5; let the "
        "counts of its cohorts sum to 5, or set agents=3"
    )


def test_a_column_that_is_not_declared_comes_before_the_wrong_hook(mistake: Mistake) -> None:
    assert mistake(
        wood=("        return agents", '        agents["x"] = 1\n        return agents')
    ) == (
        f"wood.py:{line_of('return agents')}: feller sets column 'x', which it has not declared; "
        "add Column('x') to its columns, and set it in begin, notice or born"
    )


def test_all_questions_that_nobody_answers_are_named_at_once(mistake: Mistake) -> None:
    asked = 'yield Ask("effort", Real(0, 1))\n        yield Ask("plant", Real(0, 1))\n        cut ='
    words = mistake(wood=("cut =", asked))
    assert words == (
        f"wood.py:{line_of('@scenario')}: nobody in cohort 'feller' answers 'effort', 'plant'; "
        "'effort' is answered by harvest; "
        "no component known answers 'plant': write one, answers = ('plant',)"
    )


def test_a_question_that_is_almost_answered_names_the_answer(mistake: Mistake) -> None:
    assert mistake(wood=('answers = ("fell",)', 'answers = ("fill",)')) == (
        f"wood.py:{line_of('@scenario')}: nobody in cohort 'feller' answers 'fell'; feller answers "
        "'fill': did you mean 'fell'?"
    )


def test_a_component_in_a_file_that_is_not_used_is_told_how_to_be(
    mistake: Mistake, tmp_path: Path
) -> None:
    (tmp_path / "modest.py").write_text("")
    cohort = "{name: feller, count: 5, components: [modest]}"
    words = mistake("run", "a.yaml", a=f"scenario: wood.py\ncohorts: [{cohort}]\n")
    assert words.startswith("a.yaml:2:49 cohorts[0].components[0]: there is no component 'modest';")
    assert words.endswith("; if modest.py defines it, write uses: [modest.py]")


def test_a_scenario_in_a_file_of_its_name_is_told_to_name_the_file(mistake: Mistake) -> None:
    words = mistake("run", "wood")
    assert words.endswith("; if wood.py defines it, name the file, wood.py")


@pytest.mark.parametrize("key", ["model", "models"])
def test_a_model_at_the_top_of_a_file_is_told_how_it_is_written(mistake: Mistake, key: str) -> None:
    words = mistake("run", "a.yaml", a=f"scenario: wood.py\n{key}: offline\n")
    assert words.endswith("; write models: {default: NAME}")


def test_a_mistyped_scenario_file_is_named_with_the_one_that_is_there(mistake: Mistake) -> None:
    missing = "No such file or directory; did you mean"
    assert mistake("run", "wodo.py") == f"cannot read wodo.py: {missing} 'wood.py'?"
    lake = "scenario: fishing_village\n"
    assert mistake("run", "lkae.yaml", lake=lake) == (
        f"cannot read lkae.yaml: {missing} 'lake.yaml'?"
    )


def test_an_experiment_is_played_by_sweep_and_a_scenario_by_run(mistake: Mistake) -> None:
    experiment = "base: fishing_village\nfactors: {growth: [0.1, 0.2]}\n"
    assert mistake("run", "e.yaml", e=experiment) == (
        "e.yaml is an experiment; play it by: society sweep e.yaml"
    )
    assert mistake("sweep", "s.yaml", s="scenario: fishing_village\n") == (
        "s.yaml is a scenario file, which has no conditions; play it by: society run s.yaml; "
        "to compare conditions of it, write base: s.yaml and factors: into another file"
    )


@pytest.mark.parametrize("command", ["replay", "show", "verify", "resume"])
def test_a_mistyped_run_file_is_named_with_the_one_that_is_there(
    mistake: Mistake, command: str
) -> None:
    assert mistake(command, "REEDME.md") == (
        "there is no file REEDME.md; `society run SCENARIO` makes a run file"
    )
    Path("runs").mkdir()
    Path("runs/wood-1.run").touch()
    assert mistake(command, "runs/wod-1.run") == (
        "there is no file runs/wod-1.run; did you mean 'runs/wood-1.run'?"
    )
    assert mistake(command, "REEDME.md") == (
        "there is no file REEDME.md; `society list runs` names those in runs/"
    )


def test_a_list_that_is_too_short_is_told_how_long_it_must_be(mistake: Mistake) -> None:
    chosen = "mechanisms: [{institution_choice: {options: [baseline]}}]"
    assert mistake("run", "a.yaml", a=f"scenario: prisoners_dilemma\n{chosen}\n") == (
        "a.yaml:2:45 mechanisms[0].institution_choice.options: got ['baseline']; expected a list "
        "with at least 2 entries"
    )


def test_a_misspelt_component_is_named_beside_misspelt_parameters(mistake: Mistake) -> None:
    cast = "cohorts:\n  - {name: a, count: 10, components: [harvset, {norm_belief: {nrom: 2}}]}\n"
    words = mistake(
        "run", "a.yaml", a=f"scenario: fishing_village\nparameters: {{grwoth: 1}}\n{cast}"
    )
    assert words.splitlines() == [
        "a.yaml:2:14 parameters.grwoth: there is no parameter 'grwoth'; did you mean 'growth'?",
        "a.yaml:4:39 cohorts[0].components[0]: there is no component 'harvset'; "
        "did you mean 'harvest'?",
        "a.yaml:4:63 cohorts[0].components[1].norm_belief.nrom: there is no parameter 'nrom'; "
        "choose one of: belief_noise, beliefs",
    ]


LAKE = """\
from society import Ask, Cohort, Params, Real, scenario
from society.components.language.llm_policy import LanguagePolicy


class Lake(Params):
    growth: float = 0.2


@scenario(params=Lake, cast=lambda p, n: [Cohort("a", n, (LanguagePolicy(),))], agents=2, rounds=1)
def lake(env):
    for _ in env.rounds():
        yield Ask("take", Real(0, 1), fallback=0)
        yield Ask("give", Real(0, 1), fallback=0)
"""


def test_a_prompt_that_names_no_parameter_is_found_before_anybody_is_asked(
    mistake: Mistake, tmp_path: Path
) -> None:
    """The first question has no such prompt: its answers would have been paid for."""
    (tmp_path / "lake.py").write_text(LAKE)
    prompts = tmp_path / "prompts" / "lake"
    prompts.mkdir(parents=True)
    (prompts / "give.md").write_text("Give!\n{{ p.growth }}, {{ p.growht }}, {{ p.x is defined }}")
    assert mistake("run", "lake.py") == (
        "prompts/lake/give.md:2: p has no 'growht'; did you mean 'growth'?"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rnu wood.py", "society: there is no command 'rnu'; did you mean 'run'?"),
        ("run wood.py --sed 3", "society run: there is no option --sed; did you mean '--seed'?"),
        (
            "run wood.py --seed x",
            "society run: argument --seed: got 'x'; expected a whole number of at least 0",
        ),
        ("run wood.py more", "society run: 'more' is one word too many"),
        (
            "run wood.py --record ful",
            "society run: argument --record: got 'ful'; did you mean 'full'?",
        ),
        ("run", "society run: the following arguments are required: scenario"),
        (
            "run wood.py --out -",
            "society run: argument --out: got '-'; a run is no text for stdout: give a file, and "
            "--json for results on stdout",
        ),
    ],
)  # fmt: skip
def test_a_wrong_word_is_refused_in_one_line(mistake: Mistake, words: str, message: str) -> None:
    command = "society run" if words.startswith("run") else "society"
    said = f"{message} (`{command} --help` explains)"
    assert mistake(*words.split()) == said.removeprefix("society: ")


COMMANDS = ("run wood.py --quiet --out a.run", "prompts wood.py", "list wood.py")
IN_CAST = "wood.py:20: "


@pytest.mark.parametrize(
    ("written", "instead", "words"),
    [
        ("(Feller(),)", "(Feller,)", IN_CAST + "cohort 'feller' has the class Feller among its "
         "components; write Feller(), with parentheses"),
        ("(Feller(),)", "Feller()", IN_CAST + "the components of cohort 'feller' are a single "
         "Feller; write (Feller(...),), with the comma"),
        ("return [Cohort", "[Cohort", "wood.py:19: the cast of wood is None (is a `return` missing?"
         "); return a list of cohorts: [Cohort(NAME, COUNT, (COMPONENT(),))]"),
        ("return [Cohort(\"feller\", count, (Feller(),))]", "return Cohort(\"feller\", count, "
         "(Feller(),))", "wood.py:19: the cast of wood is a single Cohort; return a list of "
         "cohorts: [Cohort(NAME, COUNT, (COMPONENT(),))]"),
        ("def wood(env)", "async def wood(env)", "wood.py:23: the script of wood is `async`, and "
         "scripts await nothing; write `def wood(env):`, and let a component consult"),
        ("rounds=3)", "rounds=3, display=__import__('society').DisplaySpec(gauge='left'))",
         "wood.py:23: gauge='left' of a display; write a common fact and full scale, which is a "
         "parameter or a number above 0: gauge=('left', 100)"),
        ("fellers(params, count)", "fellers(params)", "wood.py:23: cast=fellers of wood takes "
         "(params); write (params, count), as it is called"),
        ("rounds=3)", "round=3)", "wood.py:23: @scenario takes no 'round'; did you mean 'rounds'?"),
        ("rounds=3)", "rounds=3, relations='see')", "wood.py:23: relations of wood is a str; write "
         "relations=('see',), with the comma, also for a single one"),
        ("@scenario(params=Wood, cast=fellers, agents=5, rounds=3)", "@scenario", "wood.py:23: "
         "@scenario takes values by name: write @scenario(cast=FUNCTION, ...)"),
        ("cast=fellers, ", "", "wood.py:23: @scenario needs cast=FUNCTION, which gives a list of "
         "Cohort"),
        ("answer(self, ask, agents)", "answer(self, ask)", "wood.py:12: Feller.answer takes "
         "(self, ask); write (self, ask, agents), as it is called"),
        ('answers = ("fell",)', 'answers = "fell"', "wood.py:12: Feller has answers = 'fell'; "
         "write ('fell',), with the comma"),
        ('answers = ("fell",)', 'columns = __import__("society").Column("x")', "wood.py:12: Feller "
         "has columns = Column('x'); write (Column('x'),), with the comma"),
        ("def answer", "async def answer", "wood.py:12: Feller.answer is `async`, and rules answer "
         "at once; leave `async` out, or write `async def consult(self, ask, agent)`, which "
         "answers for one agent at a time"),
        ("def answer(self, ask, agents)", "def consult(self, ask, agent)", "wood.py:12: "
         "Feller.consult is awaited; write `async def consult`"),
        ("def answer(self, ask, agents)", "async def ponder(self, ask, agent)", "wood.py:12: "
         "Feller.ponder is `async`, and nobody awaits it; leave `async` out: models are asked in "
         "begin, notice and consult"),
        ("rounds=3)", "rounds=3, measures=(Measure('a', 'b', lambda told: 1),))", "wood.py:23: the "
         "function of measure 'a' takes (told); write (told, env), as it is called"),
        ("rounds=3)", "rounds=3, measures=(Measure('a', 'b', lambda told, env: 1, 'las'),))",
         "wood.py:23: fold='las' of the measure 'a'; did you mean 'last'?"),
        ("answer(self, ask, agents)", "answer(self, agents, ask)", "wood.py:12: Feller.answer "
         "takes (self, agents, ask); write (self, ask, agents), as it is called"),
        ('answers = ("fell",)', 'columns = ("x",)', "wood.py:12: Feller has columns = ('x',); "
         "write (Column('x'),)"),
        ("def wood(env)", "def wood(env, params)", "wood.py:23: the script of wood takes (env, "
         "params); write (env), as it is called"),
        ("agents=5", "agents='5'", "wood.py:23: agents of wood: got '5'; expected a whole number "
         "of at least 1"),
        ("rounds=3)", "rounds=3, facts={'cut': 'wood'})", "wood.py:23: facts of wood: 'cut' is "
         "'wood'; write 'cut': FactSpec('wood', unit=...)"),
        ("rounds=3)", "rounds=3, display=__import__('society').DisplaySpec(columns='cut'))",
         "wood.py:23: columns of a display is a str; write columns=('cut',), with the comma, also "
         "for a single one"),
        ("growth: float = 0.2", "growth = 0.2", "wood.py:8: parameter `growth = 0.2` has no type; "
         "write, for example, `growth: float = 0.2`"),
        ("Ask, Cohort", "Aks, Cohort", "wood.py:2: ImportError: cannot import name 'Aks' from "
         "'society'; did you mean 'Ask'?"),
    ],
)  # fmt: skip
def test_what_is_handed_over_wrongly_is_refused_where_it_is_written(
    mistake: Mistake, written: str, instead: str, words: str
) -> None:
    assert mistake(wood=(written, instead)) == words


@pytest.mark.parametrize(
    ("written", "instead", "words"),
    [
        ("Real(0, left / env.agents)", "__import__('society').Choice(('a', 'b'))",
         "labels stand one by one, not in a tuple; write ('a', 'b')"),
        ("Real(0, left / env.agents)", "__import__('society').Choice(1, 2)",
         "label 1 is a int; give text"),
        ("cut = yield", "cut = env.draws.uniform('rain'); yield", "AttributeError: 'function' "
         "object has no attribute 'uniform'; say who draws: env.draws(\"NAME\").uniform(...)"),
        ("cut = yield", "cut = env.params.grwoth; yield", "AttributeError: 'Wood' object has no "
         "attribute 'grwoth'; did you mean 'growth'?"),
        ("cut = yield", "cut = 1 / 0; yield", "ZeroDivisionError: division by zero"),
        ("cut = yield", "cut = env.growth; yield", "AttributeError: 'Environment' object has no "
         "attribute 'growth'; it is a parameter: write params.growth"),
        ("cut = yield", "cut = env.moments; yield", "AttributeError: 'Environment' object has no "
         "attribute 'moments'; did you mean 'moment'?"),
        ("Real(0, left / env.agents)", "(0, 9)", "Ask('fell', (0, 9)) does not say how to answer; "
         "give an action space second, such as Real(0, 10) or Text(200)"),
        ('{"left": common(left)})', "left)", "the facts of Ask('fell') are a ndarray; give each "
         'its name: {"NAME": common(...)}'),
        ("common(left)})", "common(left)}, txt='How?')", "TypeError: Ask.__init__() got an "
         "unexpected keyword argument 'txt'; did you mean 'text'?"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", COMMANDS)
def test_a_script_that_raises_is_named_with_its_line_by_every_command(
    mistake: Mistake, command: str, written: str, instead: str, words: str
) -> None:
    """No traceback goes through files of ours."""
    assert mistake(*command.split(), wood=(written, instead)) == (
        f"wood.py:{line_of('cut = yield')}: {words}"
    )


OWN = """\
from dataclasses import dataclass

from society import {marks}


{above}
class {name}:
    \"\"\"Something of one's own.\"\"\"

    {hook}
"""


def test_a_class_without_base_class_or_decorator_is_told_what_it_lacks(
    mistake: Mistake, tmp_path: Path
) -> None:
    hook = 'answers = ("effort",)'
    (tmp_path / "idle.py").write_text(
        OWN.format(marks="Component", above="@dataclass", name="Idle", hook=hook)
    )
    said = "scenario: fishing_village\nuses: [idle.py]\n"
    cast = "cohorts: [{name: a, count: 10, components: [idle]}]\n"
    assert mistake("run", "a.yaml", a=said + cast).splitlines() == [
        "a.yaml:3:45 cohorts[0].components[0]: idle.py:6: Idle is no component; write "
        "`class Idle(Component):`"
    ]
    hook = "def on_payoff(self, tell, payoff): return 0"
    (tmp_path / "idle.py").write_text(
        OWN.format(marks="mechanism", above="", name="Idle", hook=hook)
    )
    assert mistake("run", "a.yaml", a=f"{said}mechanisms: [idle]\n").endswith(
        "Idle is no mechanism; write @mechanism above Idle"
    )


def test_what_a_file_that_cannot_be_read_lacks_is_not_said_as_well(mistake: Mistake) -> None:
    said = "scenario: fishing_village\nuses: [ilde.py]\n"
    cast = "cohorts: [{name: a, count: 10, components: [idle]}]\n"
    assert mistake("run", "a.yaml", a=said + cast) == (
        "a.yaml:2:8 uses[0]: cannot read ilde.py: No such file or directory"
    )


@pytest.mark.parametrize(
    ("paid", "words"),
    [
        ("None", "the value None (is a `return` missing?) where numbers were expected"),
        ('float("nan") * payoff', "the value nan where the payoff is a number"),
        ('"much"', "the value 'much' where numbers were expected"),
    ],
)
def test_an_extra_payoff_that_is_no_number_is_refused_at_its_line(
    mistake: Mistake, tmp_path: Path, paid: str, words: str
) -> None:
    (tmp_path / "levy.py").write_text(
        f"from society import mechanism\n\n\n@mechanism\nclass Levy:\n    "
        f'"""A levy."""\n\n    def on_payoff(self, tell, payoff):\n        return {paid}\n'
    )
    file = "scenario: stag_hunt\nuses: [levy.py]\nmechanisms: [levy]\n"
    said = mistake("run", "a.yaml", "--quiet", "--out", "a.run", a=file)
    assert said.startswith(f"levy.py:8: an extra payoff has {words}; give each agent its own")


def test_a_fact_that_is_looked_for_in_its_question_is_pointed_to(mistake: Mistake) -> None:
    words = mistake(wood=('ask.facts["left"]', 'ask["left"]'))
    assert words.endswith('; facts stand in .facts: write ask.facts["left"]')


def test_a_sentence_of_rules_with_an_unknown_figure_is_refused(mistake: Mistake) -> None:
    question = '{"left": common(left)})\n        left'
    asked = (question, question.replace("})", "}, text='Of {lefd}?')"))
    assert mistake("run", "wood.py", "--strict", wood=asked) == (
        f"wood.py:{line_of('cut = yield')}: Ask('fell'): the text holds {{lefd}}, which is neither "
        "a fact of this line nor a parameter; did you mean 'left'?"
    )


def test_an_if_over_many_agents_says_what_to_write(mistake: Mistake) -> None:
    words = mistake(wood=(SHARE, "1 if ask.facts['left'] > 5 else 0"))
    assert words.startswith(f"wood.py:{line_of(SHARE)}: ValueError: The truth value of an array")
    assert words.endswith(
        "; `if` cannot decide for many agents at once: write np.where(condition, a, b), or answer "
        "for one agent at a time under @per_agent"
    )


def test_a_script_that_yields_no_line_is_named_with_its_line(mistake: Mistake) -> None:
    assert mistake(wood=('yield Tell("felled"', 'yield ("felled"')) == (
        f"wood.py:{line_of('yield Tell')}: wood yields tuple; a script yields Ask, Tell or Inherit"
    )


def test_a_parameter_at_the_top_of_a_file_is_told_where_it_belongs(mistake: Mistake) -> None:
    words = mistake("run", "a.yaml", a="scenario: fishing_village\ngrowth: 0.2\n")
    assert words.startswith("a.yaml:2:1 growth: there is no key 'growth'; choose one of: agents,")
    assert words.endswith("uses; parameters of the scenario stand in `parameters`")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" fine: 3", "a.yaml:4:2: expected <block end>, but found '<block mapping start>'; keys "
         "that belong together stand equally far to the right"),
        ("\tfine: 3", "a.yaml:4:1: found character '\\t' that cannot start any token; indent by "
         "spaces, and put such a sign into quotes"),
    ],
)  # fmt: skip
def test_yaml_that_cannot_be_read_says_what_to_look_for(
    mistake: Mistake, text: str, words: str
) -> None:
    file = f"scenario: fishing_village\nparameters:\n  growth: 0.3\n{text}\n"
    assert mistake("run", "a.yaml", a=file) == words


def test_a_script_without_end_is_ended(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("society.engine.mechanism.MOST_LINES", 50)
    for command in COMMANDS:
        assert mistake(*command.split(), wood=("for _ in env.rounds():", "while True:")) == (
            "the script has yielded 50 lines in one round, and goes on; let it play "
            "`for _ in env.rounds():`, which ends"
        )


def test_the_traceback_of_a_mistake_is_shown_if_it_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wood.py").write_text(WOOD.replace(SHARE, "1 / 0"))
    for words, shown in ((["run", "wood.py"], False), (["run", "wood.py", "-v"], True)):
        assert main([*words, "--quiet", "--out", "a.run"]) == 2
        said = capsys.readouterr().err
        assert ("Traceback" in said) == shown
        assert "wood.py:16: ZeroDivisionError: division by zero; nothing was saved" in said


def test_a_name_that_is_listed_nowhere_is_refused_with_the_nearest(mistake: Mistake) -> None:
    assert mistake("list", "fishing_vilage") == (
        "there is no kind and no name 'fishing_vilage'; did you mean 'fishing_village'?"
    )
    assert mistake("list", "half") == (
        "there is no kind and no name 'half'; choose one of: components, embedders, experiments, "
        "graphs, instruments, mechanisms, models, perturbations, reproductions, runs, scenarios"
    )


def test_an_experiment_that_does_not_come_with_the_program_is_refused(mistake: Mistake) -> None:
    assert mistake("sweep", "evolution_tabel") == (
        "there is no file and no experiment 'evolution_tabel'; did you mean 'evolution_table'?"
    )


def test_a_scenario_is_not_swept(mistake: Mistake) -> None:
    assert mistake("sweep", "fishing_village") == (
        "fishing_village is a scenario, which has no conditions; play it by: "
        "society run fishing_village"
    )
