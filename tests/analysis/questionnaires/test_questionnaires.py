"""Answers in frames, reports and JSON: hand-checked, with what is too little to say anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.analysis.questionnaires import (
    questionnaires_as_json,
    read_questionnaires,
    summarise_item,
)
from society.analysis.statistics import Interval, Reliability
from society.analysis.study import ConditionRun, Study, open_run
from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.errors import RunFileError
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.page import Section
from society.report.sections.questionnaires_section import questionnaires_section
from society.report.tables import Table
from society.runs.runfile import Level, Writer, manifest_of

FISHERS = ["persona", "harvest", "norm_belief", "punishment", "social_learning", "voting"]
INSTRUMENT = {
    "name": "well",
    "title": "Well-being",
    "note": "Of a test.",
    "items": [
        {"id": "like", "text": "I like it.", "kind": "likert", "points": 5},
        {"id": "leave", "text": "I leave.", "kind": "likert", "points": 5, "reversed": True},
        {"id": "stay", "text": "I stay.", "kind": "likert", "points": 5},
        {"id": "home", "text": "Where?", "kind": "choice", "options": ["hut", "boat"]},
        {"id": "why", "text": "Why?", "kind": "open", "optional": True},
    ],
    "scales": {
        "wellbeing": {"items": ["like", "leave"]},
        "staying": {"items": ["stay"], "score": "sum"},
    },
}
HAPPY = {"like": 5, "leave": 1, "stay": 4, "home": "hut", "why": "<b>sun</b>"}
SAD = {"like": 2, "leave": 4, "stay": 1, "home": "boat"}

Asked = Callable[..., Study]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    """`asked(level=..., **respondent)` plays a village of three happy fishers and a sad one."""

    def played(
        replicates: int = 2,
        level: Level = "full",
        name: str = "a",
        answers: Any = None,
        **given: Any,
    ) -> Study:
        stated = ((3, HAPPY), (1, SAD)) if answers is None else ((4, answers),)
        cohorts = [
            {
                "name": f"fishers {number}",
                "count": count,
                "components": [
                    *FISHERS,
                    {
                        "questionnaire_answers": said
                        if answers
                        else {"answers_to": said, "reversed": ["leave"]}
                    },
                ],
            }
            for number, (count, said) in enumerate(stated)
        ]
        setup = build(
            load_config(
                "fishing_village",
                {
                    "rounds": 4,
                    "replicates": replicates,
                    "cohorts": cohorts,
                    "mechanisms": [{"questionnaire": {"instrument": INSTRUMENT, **given}}],
                },
            )
        )
        with Writer(tmp_path / f"{name}.run", manifest_of(setup, level)) as writer:
            setup.gamemaster([writer]).play()
        return open_run(tmp_path / f"{name}.run")

    return played


# Frames


def test_a_row_is_an_agent_on_an_occasion_and_columns_are_items_and_scales(asked: Asked) -> None:
    frame = asked(rounds=[2]).questionnaires
    assert len(frame) == 3 * 2 * 4
    assert frame["occasion"].unique().tolist() == ["before", "round 2", "end"]
    first = frame[(frame["replicate"] == 0) & (frame["occasion"] == "round 2")]
    assert first["round"].tolist() == [3] * 4
    assert first["rounds_played"].tolist() == [2] * 4
    assert first["agent"].tolist() == [0, 1, 2, 3]
    assert first["cohort"].tolist() == ["fishers 0"] * 3 + ["fishers 1"]
    assert first["like"].tolist() == [5, 5, 5, 2]
    assert first["leave"].tolist() == [1, 1, 1, 4], "as they were answered"
    assert first["wellbeing"].tolist() == [5, 5, 5, 2], "with the reversed item turned round"
    assert first["staying"].tolist() == [4, 4, 4, 1]
    assert first["home"].tolist() == ["hut"] * 3 + ["boat"]
    assert first["why"].isna().tolist() == [False, False, False, True]
    assert frame.attrs["descriptions"]["home"] == "Where?"


def test_items_called_as_a_column_of_ours_are_described_in_their_own(tmp_path: Path) -> None:
    item = {"id": "agent", "text": "Who?", "kind": "number", "low": 0, "high": 9, "unit": "years"}
    given = {"instrument": {"name": "who", "title": "Who", "items": [item]}}
    changes = {"agents": 2, "rounds": 1, "models": {"default": "offline"}}
    asked = {**changes, "mechanisms": [{"questionnaire": given}]}
    setup = build(load_config("donor_game", asked))
    with Writer(tmp_path / "a.run", manifest_of(setup, "full")) as writer:
        setup.gamemaster([writer]).play()
    frame = open_run(tmp_path / "a.run").questionnaires
    assert frame["agent"].tolist() == [0, 1, 0, 1]
    assert frame["agent_value"].notna().all()
    assert frame.attrs["descriptions"] == {"agent_value": "Who?"}
    assert frame.attrs["units"]["agent_value"] == "years"


def test_the_other_frames_know_nothing_of_questionnaires(asked: Asked) -> None:
    study = asked(every=1)
    assert not any("questionnaire" in name or name == "like" for name in study.agents.columns)
    assert "questionnaire" not in set(study.events["kind"])


def test_a_run_at_level_summary_has_its_answers_and_one_without_has_none(
    asked: Asked, tmp_path: Path
) -> None:
    assert len(asked(level="summary").questionnaires) == 16
    plain = build(load_config("fishing_village", {"rounds": 1}))
    with Writer(tmp_path / "plain.run", manifest_of(plain)) as writer:
        plain.gamemaster([writer]).play()
    assert open_run(tmp_path / "plain.run").questionnaires.empty


def test_an_instrument_that_cannot_be_read_is_damage(asked: Asked) -> None:
    study = asked()
    (run,) = study.played
    broken = {"questionnaire": {"instrument": {"title": "T"}}}
    spec = {**run.manifest.spec, "mechanisms": [broken]}
    manifest = run.manifest.model_copy(update={"spec": spec})
    other = ConditionRun(**{**vars(run), "manifest": manifest})
    with pytest.raises(RunFileError, match="instrument in the run file cannot be read"):
        read_questionnaires(Study("s", (other,)))


# Summaries


def test_items_are_summarised_over_all_who_were_asked(asked: Asked) -> None:
    (given,) = read_questionnaires(asked(replicates=1))
    first = given.waves[0][0].given
    by_item = {item.id: summarise_item(item, first) for item in given.instrument.items}
    assert by_item["like"].mean == (5 * 3 + 2) / 4
    assert by_item["like"].counts == {"1": 0, "2": 1, "3": 0, "4": 0, "5": 3}
    assert by_item["home"].counts == {"hut": 3, "boat": 1}
    assert (by_item["why"].answered, by_item["why"].missing) == (3, 1)


def test_show_has_the_answers_as_json(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    study = asked()
    main(["show", str(study.played[0].path), "--json"])
    (shown,) = json.loads(capsys.readouterr().out)["questionnaires"]
    assert (shown["instrument"], shown["note"]) == ("well", "Of a test.")
    assert [one["occasion"] for one in shown["occasions"]] == ["before", "end"]
    scale = shown["occasions"][0]["scales"]["wellbeing"]
    assert (scale["mean"], scale["n"]) == ((5 * 3 + 2) / 4, 2)
    assert "8 respondents answered all items" in scale["alpha"]["reason"]
    single = shown["occasions"][0]["scales"]["staying"]
    assert single["alpha"]["reason"] == (
        "a scale of a single item has no alpha; it takes at least 2"
    )
    assert shown == questionnaires_as_json(study.played[0])[0]


# Reports


def tables(section: Section) -> dict[str, Table]:
    return {part.title: part for part in section.walk() if isinstance(part, Table)}


def test_a_report_says_what_was_answered_and_what_is_too_little(asked: Asked) -> None:
    section = questionnaires_section(Layout(asked()))
    assert "Of a test." in section.walk()
    found = tables(section)
    means = found["wellbeing: mean of like, leave"]
    assert [row[1:4] for row in means.rows] == [
        ("before", "0", "4.25 [a]"),
        ("end", "4", "4.25 [a]"),
    ]
    reasons = [words for _, words in found["Reliability of the scales"].reasons]
    assert "a scale of a single item has no alpha; it takes at least 2" in reasons
    assert "8 respondents answered all items; alpha takes at least 10" in reasons
    items = found["Answers to each item, over all agents and runs"]
    assert items.rows[0][-1] == "1: 0, 2: 2, 3: 0, 4: 0, 5: 6"
    assert found["Why?"].rows[0][1:] == ("before", "0", "<b>sun</b>")
    assert any(isinstance(part, Figure) for part in section.walk())


def test_reliability_is_that_of_the_answers(asked: Asked) -> None:
    """Spread 0.2, noise 0.1: items correlate by 0.8; alpha of two is 0.89, rounding aside."""
    noisy = {"spread": 0.2, "noise": 0.1, "reversed": ["leave"]}
    (given,) = read_questionnaires(asked(replicates=60, answers=noisy))
    alpha = given.waves[0][0].alpha("wellbeing")
    assert isinstance(alpha, Reliability)
    assert isinstance(alpha.interval, Interval)
    assert alpha.value == pytest.approx(0.89, abs=0.08)
    assert alpha.respondents == 240
    assert alpha.interval.low < alpha.value < alpha.interval.high


def test_occasions_that_come_again_are_told_by_their_pages(asked: Asked) -> None:
    study = asked()
    (given,) = read_questionnaires(study)
    assert [wave.label for wave in given.waves[0]] == ["before", "end"]
    assert np.allclose(given.waves[0][0].means("wellbeing"), 4.25)


def test_a_study_without_questionnaires_has_no_such_chapter(tmp_path: Path) -> None:
    plain = build(load_config("fishing_village", {"rounds": 1}))
    with Writer(tmp_path / "plain.run", manifest_of(plain)) as writer:
        plain.gamemaster([writer]).play()
    assert not questionnaires_section(Layout(open_run(tmp_path / "plain.run"))).parts
