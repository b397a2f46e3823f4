"""Verifying finds every byte that was changed, and every record that the program cannot repeat."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.history import Page, page_digest
from society.errors import RunFileError
from society.runs.verify import Check, verify

if TYPE_CHECKING:
    from tests.runs.conftest import Keep

WOOD = '''
from society.engine.component import Component
from society.engine.population import Cohort
from society.engine.action_spaces import Real
from society.engine.scenario import Measure, Params, scenario
from society.engine.script import Ask, Tell, common, own


class Wood(Params):
    growth: float = 0.2


class Feller(Component):
    answers = ("fell",)

    def answer(self, ask, me):
        return 0.1 * ask.facts["left"]


LEFT = Measure("left", "trees", lambda told, env: told["left"], fold="last")


@scenario(
    params=Wood, cast=lambda p, n: [Cohort("feller", n, (Feller(),))], measures=(LEFT,),
    agents=3, rounds=6,
)
def wood(env):
    """Everybody fells a tenth of what is left."""
    left = 100.0 + 0 * env.running
    for _ in env.rounds():
        cut = yield Ask("fell", Real(0, left), {"left": common(left)})
        left = (left - cut.sum(1, keepdims=True)) * (1 + env.params.growth)
        yield Tell("felled", {"left": common(left), "cut": own(cut)})
'''
ASKED = """
from society.engine.component import Component

class Neighbour(Component):
    answers = ("effort",)

    async def consult(self, ask, one):
        return 0.25
"""


@pytest.fixture
def wood(tmp_path: Path) -> Path:
    """A scenario of the user's own."""
    (tmp_path / "wood.py").write_text(WOOD)
    return tmp_path / "wood.py"


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert text.count(before) == 1
    file.write_text(text.replace(before, after))


# What holds


def test_a_run_of_rules_is_whole_and_can_be_driven_and_played_again(keep: Keep) -> None:
    verdict = verify(keep(parameters={"vote": "plurality"}).path)
    assert verdict.ok
    assert verdict.checks == (
        Check("record", True, "all 12 rounds are intact"),
        Check("script", True, "all 12 rounds are the same"),
        Check("again", True, "all 12 rounds are the same"),
    )


def test_a_summary_is_played_again_but_has_no_answers_to_drive_the_script(keep: Keep) -> None:
    verdict = verify(keep(level="summary").path)
    assert verdict.ok
    assert [check.ok for check in verdict.checks] == [True, None, True]


def test_a_run_that_was_broken_off_is_checked_as_far_as_it_went(keep: Keep) -> None:
    def until_seven(page: Page) -> Page:
        if page.number == 8:
            raise KeyboardInterrupt
        return page

    with pytest.raises(KeyboardInterrupt):
        keep(name="broken.run", told=until_seven)
    whole = keep()
    verdict = verify(whole.path.with_name("broken.run"))
    assert verdict.ok
    assert {check.words for check in verdict.checks[1:]} == {"all 7 rounds are the same"}


def test_answers_from_outside_are_not_asked_for_again(keep: Keep, tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text(ASKED)
    cohort = {"name": "general", "count": 6, "replace": {"harvest": "neighbour"}}
    kept = keep(
        agents=None, cohorts=[cohort], uses=[str(tmp_path / "neighbour.py")],
        parameters={"social_learning": False},
    )  # fmt: skip
    verdict = verify(kept.path, trust=True)
    assert verdict.ok
    assert verdict.checks[1:] == (
        Check("script", True, "all 12 rounds are the same"),
        Check("again", True, "all 12 rounds are the same"),
    )


# What was changed behind the back of the program


def alter(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    assert connection.execute(sql, values).rowcount > 0
    connection.close()


def flipped(value: Any, place: float) -> Any:
    """One bit of one byte changed, at a place from 0 to 1 of the value."""
    if isinstance(value, int):
        return value ^ 1
    whole = bytearray(value.encode() if isinstance(value, str) else value)
    whole[int(place * (len(whole) - 1))] ^= 1
    return whole.decode() if isinstance(value, str) else bytes(whole)


ALWAYS = (
    "path",
    "digest",
    "chain",
    "ends",
    "troubles",
    "look",
    "arrays",
    "line_seal",
    "seal",
)
COLUMNS = [
    *(("summary", column) for column in ALWAYS),
    *(("full", column) for column in (*ALWAYS, "line_look", "lines")),
]


@pytest.mark.parametrize(("level", "column"), COLUMNS)
def test_a_changed_byte_is_found_and_its_round_is_named(
    keep: Keep, level: str, column: str
) -> None:
    path = keep(level=level).path
    whole = path.read_bytes()
    for place in (0, 0.3, 0.7, 1):
        path.write_bytes(whole)
        connection = sqlite3.connect(path)
        query = f"SELECT {column} FROM rounds WHERE round = 7"
        (value,) = connection.execute(query).fetchone()
        connection.close()
        alter(path, f"UPDATE rounds SET {column} = ? WHERE round = 7", flipped(value, place))
        verdict = verify(path)
        assert not verdict.ok
        assert "round 7" in verdict.checks[-1].words


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM rounds WHERE round = 7", "round 7 cannot be read (it is missing, though"),
        ("UPDATE rounds SET lines = NULL WHERE round = 7", "round 7 cannot be read"),
        ("UPDATE rounds SET line_look = NULL WHERE round = 7", "round 7 cannot be read"),
        (
            "DELETE FROM rounds WHERE round > 7",
            "round 8: it is missing: the run ended with another",
        ),
        (
            "UPDATE rounds SET round = 70 WHERE round = 7",
            "round 7 cannot be read (it is missing, though",
        ),
        ("UPDATE looks SET words = replace(words, 'effort', 'afford')", "round 0 cannot be read"),
        ("UPDATE rounds SET arrays = 'text' WHERE round = 7", "round 7 cannot be read"),
        ("UPDATE rounds SET digest = NULL WHERE round = 7", "round 7 cannot be read"),
    ],
)
def test_rows_that_are_gone_or_of_another_kind_are_found(keep: Keep, sql: str, words: str) -> None:
    path = keep().path
    alter(path, sql)
    verdict = verify(path)
    assert not verdict.ok
    assert words in verdict.checks[-1].words


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE manifest SET value = '2' WHERE key = 'seed'",
        "DELETE FROM manifest WHERE key = 'versions'",
        "UPDATE manifest SET value = 'no JSON' WHERE key = 'level'",
        "UPDATE status SET status = 'paused'",
        "UPDATE status SET digest = NULL",
        "DELETE FROM status",
    ],
)
def test_a_changed_manifest_or_status_is_refused(keep: Keep, sql: str) -> None:
    path = keep().path
    alter(path, sql)
    with pytest.raises(RunFileError, match=r"the (manifest|status) cannot be read"):
        verify(path)


# What was written wrongly, with seals and digests that fit


def only_round(number: int, change: Callable[[Page], Page]) -> Callable[[Page], Page]:
    return lambda page: change(page) if page.number == number else page


def answered_otherwise(page: Page) -> Page:
    """Return a page in which somebody claims to have fished less than it did."""
    steps = list(page.steps)
    place = next(i for i, step in enumerate(steps) if (step.sort, step.kind) == ("ask", "effort"))
    claim = steps[place].arrays["answer", ""].copy()
    claim[2, 3] = 0
    steps[place] = steps[place]._replace(arrays={**steps[place].arrays, ("answer", ""): claim})
    return page._replace(steps=tuple(steps), digest=page_digest(page.number, steps))


def test_a_false_answer_is_found_by_driving_the_script(keep: Keep) -> None:
    verdict = verify(keep(told=only_round(7, answered_otherwise)).path)
    record, script, again = verdict.checks
    assert record.ok
    assert script.words.startswith(
        "round 7: tell 'harvested': seen monitor effort differs (villager 3 of replicate 2: rec"
    )
    assert again.words.startswith(
        "round 7: ask 'effort': answer differs (villager 3 of replicate 2: recorded 0.0, now 0."
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda page: page._replace(measures={"gini": np.zeros(4)}),
            "measure gini differs (replicate 0: recorded 0.0, now 0.",
        ),
        (
            lambda page: page._replace(present=page.present & (np.arange(6) != 5)),
            "the array of present agents differs (villager 5 of replicate 0: recorded False, now "
            "True)",
        ),
        (
            lambda page: page._replace(path=(1, 7)),
            "the place of the round is (7,), but (1, 7) in the record",
        ),
    ],
    ids=["measure", "present", "path"],
)
@pytest.mark.parametrize("level", ["full", "summary"])
def test_false_numbers_are_found_by_playing_again(
    keep: Keep, level: str, change: Callable[[Page], Page], words: str
) -> None:
    verdict = verify(keep(level=level, told=only_round(7, change)).path)
    assert [check.ok for check in verdict.checks] == [
        True,
        False if level == "full" else None,
        False,
    ]
    assert verdict.checks[-1].words.startswith(f"round 7: {words}")


def test_a_false_column_is_found_by_playing_again(keep: Keep) -> None:
    def younger(page: Page) -> Page:
        return page._replace(public={**page.public, "effort": 0 * page.public["effort"]})

    verdict = verify(keep(told=only_round(7, younger)).path)
    assert [check.ok for check in verdict.checks] == [True, True, False]
    assert verdict.checks[-1].words.startswith("round 7: column effort differs (villager ")


def test_a_false_cause_is_found_by_playing_again(keep: Keep) -> None:
    def covered_up(page: Page) -> Page:
        steps = [step._replace(kind=step.kind.replace("starved", "retired")) for step in page.steps]
        return page._replace(steps=tuple(steps))

    village = {"agents": 10, "replicates": 40, "rounds": 60}
    verdict = verify(keep(level="summary", told=covered_up, **village).path)
    assert [check.ok for check in verdict.checks] == [True, None, False]
    assert "'retired': " in verdict.checks[-1].words


def test_a_false_digest_is_found(keep: Keep) -> None:
    false = only_round(7, lambda page: page._replace(digest=bytes(32)))
    verdict = verify(keep(told=false).path)
    assert verdict.checks == (Check("record", False, "round 7: its lines do not give its digest"),)
    verdict = verify(keep(name="b.run", level="summary", told=false).path)
    assert "round 7: questions, answers or facts differ" in verdict.checks[-1].words


def test_a_finished_record_that_ends_too_early_is_found(keep: Keep) -> None:
    verdict = verify(keep(told=lambda page: page if page.number < 8 else None).path)
    assert verdict.checks[0].ok
    assert "round 8: the script asks 'watch'" in verdict.checks[1].words
    assert verdict.checks[2].words == "round 8: the record has ended, but the run continues"


# What has changed since


def test_a_changed_rule_is_named_with_the_file_and_the_first_answer_that_differs(
    keep: Keep, wood: Path
) -> None:
    path = keep(str(wood)).path
    assert verify(path, trust=True).ok
    edit(wood, '0.1 * ask.facts["left"]', '(0.1 if me.draws else 0) * ask.facts["left"] * 0.5')
    record, script, again = verify(path, trust=True).checks
    assert record.ok
    assert script == Check(
        "script", True, f"all 6 rounds are the same; changed since: {wood} has changed"
    )
    assert again.words == (
        "round 1: ask 'fell': answer differs (agent 0 of replicate 0: recorded 10.0, now 5.0); "
        f"changed since: {wood} has changed"
    )


def test_a_script_that_asks_something_else_is_named(keep: Keep, wood: Path) -> None:
    path = keep(str(wood)).path
    edit(wood, 'Ask("fell", Real(0, left)', 'Ask("fell", Real(0, 50)')
    _, script, again = verify(path, trust=True).checks
    assert script.words.startswith(
        "round 1: the script asks 'fell' (amount 0..50) where the record has 'fell' (amount "
    )
    assert again.words.startswith("round 1: the record has ask 'fell' (amount within bounds")


def test_a_script_that_fails_now_is_a_finding_and_no_traceback(keep: Keep, wood: Path) -> None:
    path = keep(str(wood)).path
    edit(
        wood,
        "    for _ in env.rounds():\n",
        "    for n in env.rounds():\n        1 / (3 - n)\n",
    )
    for check in verify(path, trust=True).checks[1:]:
        assert check.words.startswith("round 3: ZeroDivisionError: division by zero; changed since")


def test_a_script_that_ends_earlier_or_later_now_is_found(keep: Keep, wood: Path) -> None:
    path = keep(str(wood)).path
    edit(wood, "env.rounds()", "env.rounds(4)")
    for check in verify(path, trust=True).checks[1:]:
        assert check.words.startswith(
            "round 5: the run has ended, but the record continues to round 6"
        )
    edit(wood, "env.rounds(4)", "env.rounds(8)")
    assert (
        "the record has ended, but the run continues" in verify(path, trust=True).checks[-1].words
    )


def test_a_changed_default_is_named(keep: Keep, wood: Path) -> None:
    path = keep(str(wood)).path
    edit(wood, "growth: float = 0.2", "growth: float = 0.3")
    assert "parameter growth was 0.2, now 0.3" in verify(path, trust=True).checks[-1].words


def test_a_file_that_is_gone_is_named(keep: Keep, wood: Path) -> None:
    path = keep(str(wood)).path
    wood.unlink()
    record, again = verify(path, trust=True).checks
    assert record.ok
    assert again.words.startswith("the run cannot be built again: ")
    assert f"changed since: {wood} is missing; --files DIR says where" in again.words


def test_another_version_of_numpy_is_named(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    path = keep().path
    monkeypatch.setattr("numpy.__version__", "9.9")
    words = verify(path, trust=True).checks[-1].words
    assert words.startswith("all 12 rounds are the same; changed since: numpy was ")
    assert words.endswith(", now 9.9")
