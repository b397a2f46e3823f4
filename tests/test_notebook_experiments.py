"""Experiments from Python give what the commands give, as frames, figures and tables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import society
from society.engine.history import Page
from society.errors import InputError, PartError
from society.experiments.worker import JobResult
from society.notebook.progress import HtmlLine, NotebookRunProgress, SweepProgress, html_line
from tests.gift_minds import EXPERIMENT, SCENARIO
from tests.reproduction.test_reproduction_run import small

Typed = Callable[..., Any]
TWO = "base: fishing_village\nrounds: 40\nagents: 4\nreplicates: 4\nparameters: {growth: 0.2}\n"
TWO += "factors: {fine: [2, 18]}\n"


@pytest.fixture
def gifts(typed: Typed, tmp_path: Path) -> Path:
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    (tmp_path / "bonus.yaml").write_text(EXPERIMENT.format(mind="reads_order"), "utf-8")
    return tmp_path


FIVE: Any = 5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: society.audit("a.yaml", only=FIVE), "only: got 5; expected str, or a list"),
        (
            lambda: society.audit("a.yaml", packs=[FIVE]),
            "packs: got 5; expected str or Path, or a ",
        ),
        (
            lambda: society.reproduce("village", models=FIVE),
            "models: got 5; expected str, or a list",
        ),
        (
            lambda: society.fork("a.run", 0, remove=FIVE / 2),
            "remove: got 2.5; expected int or str, ",
        ),
        (
            lambda: society.interview("a.run", 1, ask="Why?", model={"temperature": 1}),
            r"model: got \{'temperature': 1\}; expected the name of a model, or a mapping",
        ),
        (lambda: society.interview("a.run", 1, ask=FIVE), "ask: got 5; expected str, or a list"),
    ],
)
def test_an_argument_of_another_type_is_refused_in_one_sentence(
    typed: Typed, call: Callable[[], object], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        call()


@pytest.fixture
def fines(typed: Typed, tmp_path: Path) -> Path:
    (tmp_path / "fines.yaml").write_text(TWO, "utf-8")
    return tmp_path


@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
def test_an_audit_gives_what_the_command_gives_as_json_frame_figure_and_table(
    typed: Typed, gifts: Path
) -> None:
    found = society.audit("bonus.yaml", only=["options_reversed", "units"])
    said = typed("audit", "bonus.yaml", "--only", "options_reversed", "units", "--json")
    assert json.loads(json.dumps(found.as_json())) == json.loads(said.out)
    frame = found.frame()
    assert frame["perturbation"].tolist() == ["none", "options_reversed"]
    assert frame["changed"].tolist()[1] is True
    assert frame["flips"].tolist()[1] == frame["sets"].tolist()[1] == 4
    assert frame.attrs["units"]["flip_share"] == "share of sets"
    assert frame.attrs["outcome"] == "given"
    title = "The conclusion does not hold under the perturbation options_reversed"
    assert found.plot().title == title
    assert "<svg" not in repr(found.plot()), "a figure that is printed is its words"
    assert found.sentences[0] == f"{title}."
    shown = found._repr_html_()
    assert shown.startswith("<table><caption>The conclusion does not hold")
    assert "<td>options_reversed</td>" in shown
    assert "not tested: units, since it changes no question here" in repr(found)


@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
def test_an_audit_that_reaches_a_limit_says_so_and_goes_on(gifts: Path) -> None:
    with pytest.raises(PartError, match=r"max_calls(.|\n)*what was played is kept"):
        society.audit("bonus.yaml", only="opening", limits={"max_calls": 20})
    found = society.audit("bonus.yaml", only="opening", limits={"max_calls": 200})
    assert found.sentences[0] == "The conclusion holds under the perturbation opening."


def test_a_perturbation_that_is_not_there_is_refused(gifts: Path) -> None:
    with pytest.raises(InputError, match="there is no perturbation 'openings'; did you mean"):
        society.audit("bonus.yaml", only="openings")


def test_power_is_that_of_the_plan_of_a_sweep(typed: Typed, fines: Path) -> None:
    plan = society.power("fines.yaml")
    said = json.loads(typed("sweep", "fines.yaml", "--plan", "--json").out)
    assert [pair._asdict() for pair in plan.pairs] == [
        {key: pair[key] for key in ("first", "second", "sd")}
        | {"differences": tuple(pair["differences"])}
        for pair in said["pairs"]
    ]
    frame = plan.frame()
    assert frame["n"].tolist() == said["sizes"]
    assert frame["difference"].tolist()[-1] == said["pairs"][0]["differences"][-1] > 0
    assert frame.attrs["units"]["difference"] == "rounds"
    assert (frame["first"][0], frame["second"][0]) == ("fine=2", "fine=18")
    assert "<caption>fines: what is found with a power of 80%" in plan._repr_html_()
    head, first, *_ = repr(plan).splitlines()
    assert head == "fines: what is found with a power of 80% at p < 0.05, median of all pairs"
    assert first.startswith(f"  {plan.sizes[0]} runs of each condition: ")


def test_a_study_shows_its_means_and_draws_the_figures_of_its_report(fines: Path) -> None:
    study = society.sweep("fines.yaml")
    shown = study._repr_html_()
    assert "<caption>Study(&#x27;fines&#x27;: 2 conditions" in shown
    assert "<td>fine=18</td><td>4</td><td>finished</td><td>" in shown
    figure = study.plot()
    assert figure.name == "outcome"
    assert '<img src="data:image/svg+xml;base64,' in figure._repr_html_()
    assert "<figcaption><b>" in figure._repr_html_()


@pytest.mark.thorough
def test_figures_are_drawn_by_the_names_of_their_files(fines: Path) -> None:
    study = society.sweep("fines.yaml")
    assert study.plot("time").name == "time"
    with pytest.raises(InputError, match=r"no figure 'times'; it has outcome, .*time"):
        study.plot("times")


@pytest.mark.thorough
def test_a_result_draws_the_figures_of_its_report() -> None:
    result = society.run("fishing_village", rounds=3, agents=4, seed=2)
    assert result.plot().name == result.study.plot().name


def test_a_run_is_verified_as_by_the_command(typed: Typed, tmp_path: Path) -> None:
    result = society.run("fishing_village", rounds=2, agents=4, seed=2, out=tmp_path / "a.run")
    found, said = society.verify(result), json.loads(typed("verify", "a.run", "--json").out)
    assert found.ok
    assert [check._asdict() for check in found.checks] == said["checks"]
    assert f"{found}\n" == typed("verify", "a.run").out
    assert "<caption>nothing is wrong</caption>" in found._repr_html_()


def test_a_run_that_was_paused_is_resumed_as_by_the_command(typed: Typed, tmp_path: Path) -> None:
    short = ("--rounds", 1, "--agents", 2, "--set", "norm_embedder=hashing", "--quiet")
    given = ("run", "language_village", *short)
    for name in ("a.run", "b.run"):
        assert typed(*given, "--max-calls", 1, "--out", name).code == 3
    assert typed("resume", "b.run", "--max-calls", "none", "--quiet").code == 0
    resumed = society.resume("a.run", limits={"max_calls": None})
    assert resumed.digest == society.open_run("b.run").conditions.digest[0]
    with pytest.raises(InputError, match="model: got 5; expected the name of a model"):
        society.resume("a.run", model=FIVE)


def test_prompts_are_those_of_the_command(typed: Typed, tmp_path: Path) -> None:
    [(question, words)] = society.preview_prompts("language_village", "effort").items()
    said = typed("prompts", "language_village", "--question", "effort").out
    assert said == f"== {question}\n{words}\n\n"


def test_comparisons_explanations_and_interviews_show_as_tables() -> None:
    one, other = (
        society.run("fishing_village", rounds=3, agents=4, seed=2, parameters={"fine": fine})
        for fine in (2, 18)
    )
    compared = society.compare(one, other)
    assert "<td>survival_time</td><td>3</td><td>3</td>" in compared._repr_html_()
    assert "<th>measure</th><th>first</th><th>second</th>" in compared._repr_html_()
    first, second, *_ = str(compared).splitlines()
    assert first.startswith("first and second: Round 1")
    assert " ".join(second.split()) == "survival_time 3 and 3 rounds, difference +0"
    assert compared.frame()["measure"].tolist()[0] == "survival_time"
    assert "<ul><li>" in society.why(one)._repr_html_()
    known = {"norm_embedder": "hashing"}
    talk = society.run("language_village", rounds=1, agents=2, seed=1, parameters=known)
    asked = society.interview(talk, at=1, ask="Why <b>?")
    assert str(asked).startswith(
        f"round 1, villager 0, answer: {asked.answers[0].items['answer']}\n"
    )
    assert "<caption>Why &lt;b&gt;?</caption>" in asked._repr_html_()
    frame = asked.frame()
    assert frame["name"].tolist() == ["villager 0", "villager 1"]
    assert frame.attrs["descriptions"] == {"answer": "Why <b>?"}


def test_a_scenario_shows_its_parameters_and_measures() -> None:
    from society.scenarios.village.fishing_village import fishing_village

    shown = fishing_village._repr_html_()
    assert "<td>parameter</td><td>growth</td>" in shown
    assert "<td>measure</td><td>survival_time</td><td></td><td>rounds</td>" in shown


class Line:
    """A line that keeps what is shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[float, str, bool]] = []

    def show(self, share: float, words: str, *, last: bool = False) -> None:
        self.shown.append((share, words, last))

    def end(self) -> None:
        """Nothing has to be ended."""


def test_a_sweep_shows_how_far_it_is() -> None:
    line = Line()
    watching = SweepProgress(2, line, pause=0.0)
    watching.advanced("a", 0.5, ())
    watching.done("a", JobResult("finished"))
    watching.done("b", JobResult("finished"))
    assert line.shown == [
        (0.25, "0 of 2 conditions are over", False),
        (0.5, "1 of 2 conditions are over", False),
        (1.0, "2 of 2 conditions are over", True),
    ]


def test_a_run_shows_its_rounds_once_it_takes_long(page_of: Callable[[int], Page]) -> None:
    line = Line()
    quick, slow = (
        NotebookRunProgress(4, line, after=3600.0),
        NotebookRunProgress(4, line, after=0.0),
    )
    for progress in (quick, slow):
        progress.page(page_of(1))
        progress.end()
    assert line.shown == [(0.25, "1 of 4 rounds", False), (1.0, "the run is over", True)]


@pytest.fixture
def page_of() -> Callable[[int], Page]:
    def made(number: int) -> Page:
        return Page(number, (number,), (), b"", {}, {}, None, None)  # type: ignore[arg-type]

    return made


def test_a_bar_of_a_notebook_is_drawn_anew_in_its_place() -> None:
    drawn: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            drawn.append(f"update {data['text/plain']}")

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        drawn.append(data["text/html"])
        return Handle()

    line = HtmlLine(display)
    line.show(0.5, "1 < 2")
    line.show(1.0, "2 of 2")
    bar = '<progress value="0.500" max="1" style="width: 20em"></progress>'
    assert drawn == [f"{bar} 1 &lt; 2", "update 2 of 2"]
    assert html_line() is None, "this is no notebook"


@pytest.mark.thorough
def test_a_reproduction_gives_the_verdicts_of_the_command(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.config.registry.reproduction", lambda name: small())
    found = society.reproduce("small", quick=True)
    assert found.path == Path("reproductions/small-quick")
    told = json.loads(typed("reproduce", "small", "--quick", "--json").out)["verdicts"]
    assert json.loads(json.dumps([one.facts() for one in found.verdicts])) == told
    assert found.frame()["claim"].tolist() == ["Altruists last"]
    assert found.page.path.exists()
    assert "<td>Altruists last</td><td>Fig. 4</td>" in found._repr_html_()


SLOW = """
import os
import signal
import numpy as np
from society import Cohort, Component, Measure, Tell, common, scenario

@scenario(
    cast=lambda params, count: [Cohort("nobody", count, (Component(),))],
    measures=(Measure("turn", "turns", lambda told, env: told["turn"]),),
    agents=1,
    rounds=1_000_000_000,
)
def slow(env):
    "Never ends, and asks to be interrupted."
    for turn, _ in enumerate(env.rounds()):
        if turn == 20:
            os.kill(os.getpid(), signal.SIGINT)
        yield Tell("turned", {"turn": common(np.full((env.replicates, 1), float(turn)))})
"""


@pytest.mark.usefixtures("watchdog")
def test_an_interrupt_ends_a_sweep_of_rules_that_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    (tmp_path / "e.yaml").write_text("base: slow.py\nconditions: {one: {}}\n", "utf-8")
    with pytest.raises(KeyboardInterrupt):
        society.sweep("e.yaml")
    assert society.open_sweep("sweeps/e").conditions["status"].tolist() == ["interrupted"]


@pytest.mark.thorough
def test_a_script_sweeps_without_a_guard_around_its_code(fines: Path) -> None:
    (fines / "script.py").write_text("import society\nprint(society.sweep('fines.yaml'))\n")
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=fines, capture_output=True, text=True, check=True)
    assert done.stdout == "Study('fines': 2 conditions (fine=2, fine=18))\n"
    assert done.stderr.count("2 of 2 conditions are over") == 1, "nothing is executed twice"
