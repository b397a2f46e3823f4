"""What a run file says, as tidy tables whose every value can be checked by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pytest

import society
from society.analysis.study import Study, open_study
from society.engine.calls import Address, Completion, Message, ParseIssue, Request
from society.engine.fact_specs import FactSpec
from society.engine.history import Page, Step
from society.engine.scenario import DisplaySpec, Finding
from society.errors import InputError
from society.runs.runfile import Level, Manifest, Status, Writer, open_run_file

MANIFEST = Manifest.model_validate(
    {
        "scenario": "lake",
        "spec": {"scenario": "lake"},
        "params": {},
        "seed": 7,
        "agents": 3,
        "replicates": 2,
        "horizon": 5,
        "level": "full",
        "measures": [
            {"name": "failed", "unit": "rounds", "fold": "first"},
            {"name": "catch", "unit": "fish a round", "fold": "mean"},
        ],
        "stage": DisplaySpec(notes={"cap": {}}, quotes={"norm": "now holds", "speak": "says"}),
        "cohorts": [{"name": "altruist", "seats": [0, 1]}, {"name": "selfish", "seats": [2]}],
        "versions": {},
        "files": {},
    }
)
REQUEST = Request(
    Address("language_policy", "answer speak", 0, 0, 1, 0),
    "default",
    (Message("system", "Be brief."), Message("user", "Well?")),
)
TROUBLE = ParseIssue("language_policy", "speak", "gpt", 0, 1, "fallback", "got nothing")


def step(
    sort: Literal["ask", "tell", "inherit"], kind: str, form: str, **said: Mapping[str, Any]
) -> Step:
    """Arrays by role and name; `seen_all` is the role "seen all"."""
    arrays = {
        (role.replace("_", " "), name): np.array(
            values, object if np.array(values).dtype.kind == "U" else None
        )
        for role, facts in said.items()
        for name, values in facts.items()
    }
    return Step(sort, kind, form, arrays)


def page(number: int, *steps: Step, norm: Any, present: Any, running: Any, **rest: Any) -> Page:
    """Two replicates of three agents."""
    measures = {name: np.array(values) for name, values in rest.pop("measures", {}).items()}
    public = {"norm": np.array(norm, None if number == 2 else object)}  # both sorts of text
    path = (number,) if number else ()
    shown = np.array(present, bool), np.array(running, bool)[:, None]
    return Page(number, path, steps, bytes(32), public, measures, *shown, **rest)


# Agent 2 of replicate 0 starves in round 1, and so ends replicate 1, though nobody is gone there.
PAGES = (
    page(
        0,
        norm=[("share", "share", 0), ("share", "take", "take")],  # 0: it has no such column
        present=np.ones((2, 3)),
        running=[1, 1],
    ),
    page(
        1,
        step(
            "ask",
            "effort",
            "amount 0..1",
            common={"cap": [[5.0], [np.inf]]},
            answer={"": [[0.5, 0.25, 1.0], [0.0, 0.1, 0.2]]},
        ),
        step(
            "ask",
            "move",
            "choice C/D",
            who={"": [[True, True, False]] * 2},
            answer={"": [[0, 1, -1], [1, 1, -1]]},
        ),
        step("ask", "punish", "peer on all", answer={"": [[-1, 2, -1], [-1, -1, 0]]}),
        step("tell", "harvested", "", seen_all={"catch": [[1, 2, 3], [4, 5, 6]]}),
        step(
            "tell",
            "starved",
            "",
            gone={"": [[False, False, True], [False] * 3]},
            ends={"": [[False], [True]]},
        ),
        norm=[("take", "share", "take"), ("share", "take", "take")],
        present=[[1, 1, 0], [1, 1, 1]],
        running=[1, 0],
        measures={"failed": [0.0, 1.0], "catch": [2.0, 5.0]},
        troubles=(TROUBLE,),
    ),
    page(
        2,
        step("ask", "catch", "amount 0..9", answer={"": [[7.0, 8.0, 9.0]] * 2}),
        step("tell", "harvested", "", own={"catch": [[0.5, 1.5, 9.0], [9.0, 9.0, 9.0]]}),
        step(
            "ask",
            "trade",
            "split: mix over keep/give; note: words up to 20",
            common={"cap": [[5.0], [4.0]]},
            answer={
                "split": [[[0.75, 0.25]] * 3] * 2,
                "note": [["yes", "", "?"], ["?", "?", "?"]],
            },
        ),
        step("inherit", "learnt", "norm,effort", parents={"": [[1, -1, -1], [-1, -1, -1]]}),
        norm=[("take", "share", "take"), ("?", "?", "?")],
        present=[[1, 1, 0], [1, 1, 1]],
        running=[1, 0],
        measures={"failed": [0.0, np.nan], "catch": [1.0, np.nan]},
    ),
)

Lake = Callable[..., Study]


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """`lake()` is the study of those pages, written to lake.run; names: other ones of measures."""
    monkeypatch.chdir(tmp_path)

    def opened(
        level: Level = "full",
        status: Status = "finished",
        finding: Finding | None = None,
        calls: Mapping[Request, Completion] | None = None,
        pages: int = len(PAGES),
        names: Mapping[str, str] = MappingProxyType({}),
        facts: Mapping[str, FactSpec] = MappingProxyType({}),
    ) -> Study:
        measures = tuple(
            note.model_copy(update={"name": names.get(note.name, note.name)})
            for note in MANIFEST.measures
        )
        manifest = MANIFEST.model_copy(
            update={"level": level, "measures": measures, "facts": dict(facts)}
        )
        with Writer(Path("lake.run"), manifest) as writer:
            for request, said in (calls or {}).items():
                asyncio.run(writer.call_store.keep(request, said))
            for each in PAGES[:pages]:
                taken = {names.get(name, name): each.measures[name] for name in each.measures}
                writer.page(each._replace(measures=taken))
            if finding:
                writer.conclude([finding])
            writer.close(status)
        return society.open_run("lake.run")

    return opened


def rows(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    """Return these columns of all rows, None where something is missing."""
    chosen = table[list(columns)].astype(object)
    return [tuple(row) for row in chosen.where(chosen.notna(), None).to_numpy().tolist()]


def test_runs_fold_measures_over_the_rounds_that_a_replicate_lived(lake: Lake) -> None:
    assert lake().runs.drop(columns="condition").to_dict("list") == {
        "replicate": [0, 1],
        "rounds": [2, 1],
        "cause": ["", "starved"],
        "failed": [2.0, 1.0],
        "failed_censored": [True, False],
        "catch": [1.5, 5.0],
    }


def test_runs_come_to_what_the_run_file_comes_to(lake: Lake) -> None:
    runs = lake().runs
    with open_run_file("lake.run") as file:
        outcome = file.outcome()
    for name, values in outcome.values.items():
        assert runs[name].tolist() == values.tolist()
    assert runs.failed_censored.tolist() == outcome.censored["failed"].tolist()


def test_a_measure_called_like_a_column_stays_apart_from_it(lake: Lake) -> None:
    study = lake(names={"catch": "rounds", "failed": "present"})
    assert rows(study.runs, "rounds", "rounds_value", "present") == [(2, 1.5, 2.0), (1, 5.0, 1.0)]
    assert rows(study.rounds, "present", "present_value")[2:] == [(3, 1.0), (3, None)]


def test_what_a_condition_does_not_wait_for_is_neither_censored_nor_not(lake: Lake) -> None:
    lake()
    Path("lake.run").rename("first.run")
    lake(names={"failed": "fed"})
    runs = open_study(["first.run", "lake.run"]).runs
    assert rows(runs, "failed_censored") == [(True,), (False,), (None,), (None,)]
    assert rows(runs, "fed_censored") == [(None,), (None,), (True,), (False,)]


def test_findings_stand_beside_measures_with_their_units(lake: Lake) -> None:
    runs = lake(finding=Finding("similarity", "cosine", np.array([0.25, np.nan]))).runs
    assert rows(runs, "replicate", "similarity") == [(0, 0.25), (1, None)]
    assert runs.attrs["units"]["similarity"] == "cosine"
    assert runs.attrs["units"]["catch"] == "fish a round"


def test_what_cannot_be_concluded_is_noted(lake: Lake) -> None:
    (note,) = lake().notes.values()
    assert note.startswith("no analysis of the run, which cannot be built again")


def test_rounds_are_those_of_each_replicate_in_turn(lake: Lake) -> None:
    names = "replicate", "round", "running", "present", "failed", "catch"
    assert rows(lake().rounds, *names) == [
        (0, 1, True, 2, 0.0, 2.0),
        (0, 2, True, 2, 0.0, 1.0),
        (1, 1, True, 3, 1.0, 5.0),
        (1, 2, False, 3, None, None),
    ]


def test_agents_are_those_who_took_part_in_a_round(lake: Lake) -> None:
    agents = lake().agents
    counts = agents.groupby(["replicate", "round"]).size().to_dict()
    assert counts == {(0, 0): 3, (0, 1): 3, (0, 2): 2, (1, 0): 3, (1, 1): 3}
    first = agents[agents["round"] == 1]
    assert rows(first, "replicate", "agent", "cohort", "present") == [
        (0, 0, "altruist", True),
        (0, 1, "altruist", True),
        (0, 2, "selfish", False),
        (1, 0, "altruist", True),
        (1, 1, "altruist", True),
        (1, 2, "selfish", True),
    ]


def test_units_and_labels_that_a_scenario_declares_stand_in_the_frame(lake: Lake) -> None:
    facts = {"effort": FactSpec("Effort", unit="hours a day")}
    agents = lake(facts=facts).agents
    assert agents.attrs["units"]["effort"] == "hours a day"
    assert agents.attrs["descriptions"] == {"effort": "Effort"}
    assert agents["effort"].dtype == float


def test_units_and_labels_of_several_runs_are_named_together(lake: Lake) -> None:
    fish = lake(facts={"catch": FactSpec(unit="fish", labels=("none", "one"))})
    Path("lake.run").rename("fish.run")
    points = lake(facts={"catch": FactSpec(unit="points", labels=("none", "two"))})
    both = Study("both", (*fish.played, *points.played)).specs["catch"]
    assert (both.unit, both.labels) == ("fish or points", ("none", "one", "two"))


def test_labels_are_ordered_categories_with_the_numbers_as_their_codes(lake: Lake) -> None:
    facts = {"catch": FactSpec(labels=("none", "one", "two", "three", "four"))}
    study = lake(facts=facts)
    first = study.agents[study.agents["round"] == 1]
    assert rows(first, "catch") == [
        *[("one",), ("two",), ("three",), ("four",)],
        *[("5",), ("6",)],  # which have no label
    ]
    assert first["catch"].cat.codes.tolist()[:4] == [1, 2, 3, 4]
    assert first["catch"].min() == "one"
    before = study.agents[study.agents["round"] == 0]
    assert before["catch"].isna().all()


def test_events_have_the_number_beside_its_label(lake: Lake) -> None:
    facts = {"catch": FactSpec(labels=("none", "one"))}
    events = lake(facts=facts).events
    caught = events[(events["round"] == 1) & (events.name == "catch")]
    assert rows(caught, "value", "text")[:2] == [(1.0, "one"), (2.0, "2")]


def test_agents_have_answers_by_label_and_peer_and_nothing_where_they_were_not_asked(
    lake: Lake,
) -> None:
    agents = lake().agents
    first = agents[agents["round"] == 1]
    assert rows(first, "effort", "move", "punish", "catch", "norm") == [
        (0.5, "C", None, 1.0, "take"),
        (0.25, "D", 2.0, 2.0, "share"),
        (1.0, None, None, 3.0, "take"),
        (0.0, "D", None, 4.0, "share"),
        (0.1, "D", None, 5.0, "take"),
        (0.2, None, 0.0, 6.0, "take"),
    ]


def test_fields_and_probabilities_have_a_column_each(lake: Lake) -> None:
    agents = lake().agents
    second = agents[agents["round"] == 2]
    assert rows(second, "trade split keep", "trade split give", "trade note") == [
        (0.75, 0.25, "yes"),
        (0.75, 0.25, ""),
    ]


def test_a_fact_outweighs_an_answer_of_the_same_name_and_events_have_both(lake: Lake) -> None:
    study = lake()
    assert rows(study.agents[study.agents["round"] == 2], "catch") == [(0.5,), (1.5,)]
    second = study.events[study.events["round"] == 2]
    catch = second[(second.kind == "catch") | (second.name == "catch")]
    assert rows(catch, "replicate", "agent", "scope", "value") == [
        (0, 0, "answer", 7.0),
        (0, 1, "answer", 8.0),
        (0, 0, "own", 0.5),
        (0, 1, "own", 1.5),
    ]


def test_events_are_one_value_each_of_those_whom_a_line_concerns(lake: Lake) -> None:
    events = lake().events
    first = events[(events["round"] == 1) & (events.replicate == 0)]
    names = "step", "sort", "kind", "scope", "name", "agent", "value", "text"
    assert rows(first, *names) == [
        (0, "ask", "effort", "common", "cap", None, 5.0, None),
        (0, "ask", "effort", "answer", "", 0, 0.5, None),
        (0, "ask", "effort", "answer", "", 1, 0.25, None),
        (0, "ask", "effort", "answer", "", 2, 1.0, None),
        (1, "ask", "move", "answer", "", 0, None, "C"),
        (1, "ask", "move", "answer", "", 1, None, "D"),
        (2, "ask", "punish", "answer", "", 0, None, None),
        (2, "ask", "punish", "answer", "", 1, 2.0, None),
        (2, "ask", "punish", "answer", "", 2, None, None),
        (3, "tell", "harvested", "seen all", "catch", 0, 1.0, None),
        (3, "tell", "harvested", "seen all", "catch", 1, 2.0, None),
        (3, "tell", "harvested", "seen all", "catch", 2, 3.0, None),
        (4, "tell", "starved", "gone", "", 2, 1.0, None),
    ]


def test_events_tell_which_replicates_ended_and_who_inherited_what(lake: Lake) -> None:
    events = lake().events
    ends = events[events.scope == "ends"]
    assert rows(ends, "replicate", "round", "agent", "kind") == [(1, 1, None, "starved")]
    heirs = events[events.sort == "inherit"]
    assert rows(heirs, "replicate", "agent", "name", "value") == [(0, 0, "norm,effort", 1.0)]


def test_quotes_are_texts_where_they_changed(lake: Lake) -> None:
    quotes = lake().quotes
    assert rows(quotes, "replicate", "round", "agent", "name", "text") == [
        (0, 0, 0, "norm", "share"),
        (0, 0, 1, "norm", "share"),
        (1, 0, 0, "norm", "share"),
        (1, 0, 1, "norm", "take"),
        (1, 0, 2, "norm", "take"),
        (0, 1, 0, "norm", "take"),
        (0, 1, 2, "norm", "take"),
        (0, 1, None, "cap", "5"),
        (1, 1, None, "cap", "inf"),
    ]


def test_calls_have_words_and_costs_and_nothing_is_known_of_what_nobody_told(lake: Lake) -> None:
    turn = REQUEST.address._replace(turn=1)
    again = REQUEST._replace(address=turn, again="repair", reason="no text")
    said = Completion("I see.", "stop", 10, 3, 0.5, 1.25, 2, "gpt")
    study = lake(calls={REQUEST: said, again: Completion("Yes.", model="gpt")})
    (first, second) = study.calls.drop(columns="condition").to_dict("records")
    assert first["prompt"] == "system: Be brief.\n\nuser: Well?"
    assert (first["reply"], first["seconds"], first["retries"]) == ("I see.", 1.25, 2)
    assert (first["question"], first["agent"], first["cost"]) == ("speak", 1, 0.5)
    assert (second["turn"], second["again"], second["reason"]) == (1, "repair", "no text")
    assert study.calls.cost.isna().tolist() == [False, True]
    assert rows(study.calls, "prompt_tokens") == [(10,), (None,)]
    assert rows(study.ledger, "question", "model", "calls", "repairs", "fallbacks", "cost") == [
        ("speak", "gpt", 2, 1, 1, None)
    ]
    assert rows(study.conditions, "calls", "retries", "cost") == [(2, 2, None)]


def test_troubles_say_who_was_not_understood(lake: Lake) -> None:
    assert rows(lake().troubles, "round", "replicate", "agent", "question", "what", "reason") == [
        (1, 0, 1, "speak", "fallback", "got nothing")
    ]


def test_a_summary_has_runs_and_rounds_but_tells_how_to_get_the_rest(lake: Lake) -> None:
    study = lake(level="summary")
    assert (study.detailed, study.runs.catch.tolist()) == (False, [1.5, 5.0])
    for name in ("agents", "events", "quotes"):
        with pytest.raises(InputError, match=r"^lake\.run was recorded at level summary.*--record"):
            getattr(study, name)


def test_a_run_that_is_not_finished_is_studied_as_far_as_it_goes(lake: Lake) -> None:
    study = lake(status="paused")
    assert rows(study.conditions, "status", "rounds", "horizon") == [("paused", 2, 5)]
    assert len(study.rounds) == 4


def test_conditions_say_what_was_run(lake: Lake) -> None:
    said = lake().conditions
    columns = "condition", "scenario", "replicates", "agents", "seed", "level", "file", "failure"
    assert rows(said, *columns) == [("lake", "lake", 2, 3, 7, "full", "lake.run", "")]
    with open_run_file("lake.run") as file:
        assert said.digest.tolist() == [file.outcome().digest]


def test_every_frame_says_its_units(lake: Lake) -> None:
    study = lake()
    frames = ("conditions", "runs", "rounds", "agents", "events", "quotes", "calls", "ledger")
    for name in (*frames, "troubles"):
        table = getattr(study, name)
        assert list(table.attrs["units"]) == list(table.columns)
        assert table.columns[0] == "condition"
    assert study.calls.attrs["units"]["seconds"] == "seconds"


def test_a_run_that_has_hardly_begun_has_frames_without_rows(lake: Lake) -> None:
    study = lake(pages=0, calls={REQUEST: Completion("Hm.")})
    assert rows(study.conditions, "rounds", "calls") == [(0, 1)]
    for name in ("rounds", "agents", "events", "quotes", "troubles"):
        assert len(getattr(study, name)) == 0
    assert rows(study.runs, "rounds", "cause", "failed", "catch") == [(0, "", None, None)] * 2
