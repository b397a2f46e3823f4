"""A decline of giving is traced to the refusal that most others hang on, or to none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import society
from society.analysis.histories import Explanation, explain
from society.engine.post_mortem import Statement
from society.runs.runfile import open_run_file


def donors(name: str, count: int, **donation: Any) -> dict[str, Any]:
    return {"name": name, "count": count, "components": [{"donation": donation}]}


MISER = donors("miser", 1, policy="free_rider")
FAIR = donors("fair", 7, policy="discriminating", generosity=0.5, threshold=0.3)


def told(tmp_path: Path, **config: Any) -> Explanation:
    society.run(
        {"scenario": "donor_game", "seed": 1, "rounds": 8, **config}, out=tmp_path / "gifts.run"
    )
    with open_run_file(tmp_path / "gifts.run") as run:
        return explain(run)


def said(found: Explanation, name: str) -> Statement:
    return next(one for one in found.statements if one.name == name)


def test_a_miser_among_donors_who_refuse_the_refusing_began_the_decline(tmp_path: Path) -> None:
    """All others give half, and nothing to who is known to have given less than 30 % on average."""
    found = told(tmp_path, cohorts=[MISER, FAIR], parameters={"games": 1})
    decline, began = said(found, "decline"), said(found, "began")
    assert decline.numbers["declined"]
    assert began.numbers["life"] == 0
    assert began.numbers["roots"] == 1
    assert began.words.startswith("Most refusals go back to agent 0 (miser), who in round ")
    assert "is an inference" in began.words


def test_donors_who_give_to_all_have_no_decline(tmp_path: Path) -> None:
    givers = donors("giver", 8, policy="fixed", generosity=0.5)
    found = told(tmp_path, cohorts=[givers])
    assert [one.words for one in found.statements] == [
        "Donors gave 50% of what they owned in game 1 and 50% in game 2: no decline to explain."
    ]


def test_misers_who_refuse_unprompted_are_several(tmp_path: Path) -> None:
    """Givers refuse nobody, so that each miser's refusals hang on its own or on its parent's."""
    givers = donors("giver", 8, policy="fixed", generosity=0.9, mutation=0)
    found = told(
        tmp_path,
        cohorts=[{**MISER, "count": 4}, givers],
        mechanisms=[{"generations": {"count": 4, "fitness": "final", "phenotype": "share"}}],
    )
    assert said(found, "decline").numbers["declined"]
    assert said(found, "chains").numbers["unprompted"] == 4
    assert said(found, "chains").numbers.get("answered", 0) == 0
    assert said(found, "began").words.startswith(
        "No single refusal is behind it: 4 refusals had nothing recorded before them, by 4 lives."
    )


def test_children_inherit_the_refusals_of_their_parents(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        cohorts=[{**MISER, "count": 2}, {**FAIR, "count": 6}],
        mechanisms=[{"generations": {"count": 4, "fitness": "final", "phenotype": "share"}}],
    )
    assert said(found, "decline").words.startswith("Donors gave ")
    assert "in generation 1 and" in said(found, "decline").words
    assert said(found, "chains").numbers["inherited"] >= 1
