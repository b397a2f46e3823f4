"""One session of a run, alone or among others: how it ends, and what is kept of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.calls import Spent
from society.engine.component import AgentGroup, Component, Question
from society.engine.history import Page
from society.errors import FileError, Paused
from society.llm.providers.budget import Budget
from society.llm.providers.settings import Limits
from society.runs.runfile import open_run_file
from society.runs.session import End, Session

VILLAGE = {"agents": 4, "rounds": 6, "parameters": {"ends_on": "horizon"}}


class Faulty(Component):
    """Breaks in round 3."""

    answers = ("effort",)
    error: type[BaseException] = ZeroDivisionError

    def answer(self, ask: Question, agents: AgentGroup) -> object:
        if agents.moment == 3:
            raise self.error("it broke")
        return np.full(len(agents), 0.1)


class Stopped(Faulty):
    error = KeyboardInterrupt


class Exhausted(Faulty):
    error = Paused


class Leaving(Faulty):
    error = SystemExit


class Closing(Faulty):
    error = GeneratorExit


def village(part: type[Component] | None = None) -> Society:
    """A fishing village, whose harvest may be a component of ours."""
    if part is None:
        return build(load_config("fishing_village", VILLAGE))
    folk = {"name": "folk", "count": 4, "replace": {"harvest": part.title()}}
    return build(load_config("fishing_village", VILLAGE | {"cohorts": [folk]}), own=[part])


def spoken() -> Society:
    """A village of the offline mind."""
    parameters = {"ends_on": "horizon", "norm_embedder": "hashing"}
    models = {"default": {"model": "offline"}}
    given = {"rounds": 2, "parameters": parameters, "models": models}
    return build(load_config("language_village", given))


def digest(path: Path) -> str:
    with open_run_file(path) as run:
        return run.outcome().digest


def sat(session: Session) -> End:
    """Play a session and close its file."""
    with session.writer:
        end = session.play()
        session.close(end)
    return end


def test_a_run_that_is_played_to_its_end_is_finished(tmp_path: Path) -> None:
    assert sat(Session.begun(village(), tmp_path / "a.run")) == End("finished")
    with open_run_file(tmp_path / "a.run") as run:
        assert (run.status, run.rounds) == ("finished", 6)


@pytest.mark.parametrize(
    ("part", "status", "code", "words"),
    [
        (Faulty, "failed", 1, "ZeroDivisionError: it broke"),
        (Stopped, "interrupted", 130, "interrupted"),
        (Exhausted, "paused", 3, "paused: it broke"),
    ],
)
def test_a_run_that_is_broken_off_says_how_and_keeps_what_was_played(
    part: type[Component], status: str, code: int, words: str, tmp_path: Path
) -> None:
    end = sat(Session.begun(village(part), tmp_path / "a.run"))
    assert (end.status, end.code, end.words.endswith(words)) == (status, code, True)
    assert isinstance(end.bug, ZeroDivisionError) == (part is Faulty), "a bug, for its author"
    with open_run_file(tmp_path / "a.run") as run:
        assert (run.status, run.rounds) == (status, 2)


def test_a_mistake_of_the_user_has_its_own_exit_code(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("a diary")
    with pytest.raises(FileError, match="already exists"):
        Session.begun(village(), tmp_path / "a.run")


def test_runs_of_one_event_loop_come_to_what_each_comes_to_alone(tmp_path: Path) -> None:
    alone = Session.begun(spoken(), tmp_path / "alone.run")
    assert sat(alone) == End("finished")
    both = [Session.begun(spoken(), tmp_path / f"{name}.run") for name in "ab"]

    async def together() -> list[End]:
        return await asyncio.gather(*(session.perform() for session in both))

    ends = asyncio.run(together())
    for session, end in zip(both, ends, strict=True):
        session.close(end)
    assert ends == [End("finished")] * 2
    assert digest(tmp_path / "a.run") == digest(tmp_path / "b.run") == digest(alone.writer.path)


def test_a_run_that_is_cancelled_among_others_can_be_taken_up(tmp_path: Path) -> None:
    assert sat(Session.begun(village(), tmp_path / "whole.run")) == End("finished")
    session = Session.begun(village(), tmp_path / "a.run")

    class Stop:
        """Cancels the run in round 4."""

        def page(self, page: Page) -> None:
            task = asyncio.current_task()
            if page.number == 4 and task is not None:
                task.cancel()

    end = asyncio.run(session.perform(Stop()))
    assert end[:3] == ("interrupted", 130, "interrupted")
    session.close(end)
    again = Session.resumed(tmp_path / "a.run")
    assert again is not None
    assert sat(again) == End("finished")
    assert Session.resumed(tmp_path / "a.run") is None, "there is nothing left to play"
    assert digest(tmp_path / "a.run") == digest(tmp_path / "whole.run")


def test_runs_may_share_a_budget(tmp_path: Path) -> None:
    """Ten agents are asked in each village, and fifteen calls are allowed."""
    budget = Budget(Limits(max_calls=15), Spent())
    both = [Session.begun(spoken(), tmp_path / f"{name}.run", budget=budget) for name in "ab"]

    async def together() -> list[End]:
        return await asyncio.gather(*(session.perform() for session in both))

    ends = asyncio.run(together())
    for session, end in zip(both, ends, strict=True):
        session.close(end)
    assert [end.status for end in ends] == ["paused", "paused"]
    assert sum(_calls(tmp_path / f"{name}.run") for name in "ab") == 15


def _calls(path: Path) -> int:
    with open_run_file(path) as run:
        return run.spent.calls


def test_what_a_scenario_concludes_is_kept_once(tmp_path: Path) -> None:
    session = Session.begun(spoken(), tmp_path / "a.run")
    with session.writer:
        end = session.play()
        session.conclude()
        session.close(end)
    with open_run_file(tmp_path / "a.run") as run:
        findings = run.findings()
    assert findings is not None
    assert "norm_drift" in [finding.name for finding in findings]


@pytest.mark.parametrize("part", [Leaving, Closing])
def test_a_component_that_leaves_the_program_fails_its_run_and_nothing_else(
    part: type[Faulty], tmp_path: Path
) -> None:
    """sys.exit(0) would else pass for success."""
    alone = Session.begun(village(part), tmp_path / "alone.run")
    among = Session.begun(village(part), tmp_path / "among.run")
    with alone.writer, among.writer:
        for end in (alone.play(), asyncio.run(among.perform())):
            assert (end.status, end.code) == ("failed", 1)
            assert end.words.endswith(f"{part.error.__name__}: it broke")


class Colourful(Faulty):
    """A component with an error that would colour a terminal."""

    def answer(self, ask: Question, agents: AgentGroup) -> object:
        raise ValueError("\x1b[31mred\nand more")


def test_what_a_component_raises_is_told_in_one_line_without_control_characters(
    tmp_path: Path,
) -> None:
    run = Session.begun(village(Colourful), tmp_path / "red.run")
    with run.writer:
        words = run.play().words
    assert words.isprintable()
    assert "ValueError: " in words
    assert words.endswith("red and more")
