"""What a run file tells of the end of one replicate, by the post-mortem that its scenario declares.

Nothing is played and nobody is asked: the declaration reads the record. A scenario of the user's
own is Python code, which is never executed because a run file names it: the caller gives it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from pydantic import ValidationError

from society.config.registry import Registry
from society.config.run_config import RunConfig
from society.engine.history import Page
from society.engine.post_mortem import RecordedChange, Statement
from society.engine.scenario import Scenario
from society.errors import InputError, RunFileError, UntrustedCodeError
from society.former_names import with_current_parameters
from society.notebook_pages import html_lines
from society.runs.agent_names import AgentNames
from society.runs.manifest import Manifest
from society.runs.provenance import REACH
from society.runs.runfile import RunFile
from society.runs.trust import refuse_user_code
from society.terminal.labels import count_noun
from society.user_code import guard_user_code

NOTHING = "nothing"  # the name of a statement that says why nothing can be said


@dataclass(frozen=True)
class Explanation:
    """What is told of one replicate; lives: see society.engine.post_mortem."""

    scenario: str
    replicate: int
    statements: tuple[Statement, ...]
    lives: str = ""

    def __str__(self) -> str:
        return "\n".join(one.words for one in self.statements)

    def _repr_html_(self) -> str:
        caption = f"{self.scenario}, replicate {self.replicate}"
        return html_lines(caption, [one.words for one in self.statements])

    @property
    def named(self) -> tuple[int, ...]:
        """Seats of those who are named as the cause."""
        return tuple(seat for one in self.statements for seat in one.agents)


class _UpTo(NamedTuple):
    """The parameters up to the end of a round."""

    last: int
    params: Any


@dataclass(frozen=True)
class _Recorded:
    """One replicate of an open run file; earlier: its parameters before forks, in order."""

    run: RunFile
    names: AgentNames
    replicate: int
    params: Any
    earlier: tuple[_UpTo, ...]
    mechanisms: tuple[str, ...]

    @property
    def horizon(self) -> int:
        return self.run.manifest.most

    @property
    def finished(self) -> bool:
        return self.run.status == "finished"

    @property
    def interventions(self) -> tuple[RecordedChange, ...]:
        notes = self.run.manifest.forks
        stages = [*(note.config for note in notes), self.run.manifest.config]
        return tuple(
            RecordedChange(
                note.after,
                note.words,
                not (note.cohorts or note.removed) and _models(before) == _models(later),
            )
            for note, (before, later) in zip(notes, pairwise(stages), strict=True)
            if len(note.changes) > (note.seed is not None)
        )

    def params_in(self, number: int) -> Any:
        return next((one.params for one in self.earlier if number <= one.last), self.params)

    @property
    def asks_models(self) -> bool:
        return bool(self.run.manifest.prompts)

    def pages(self) -> Iterator[Page]:
        for page in self.run.pages():
            self.names.meet(page)
            yield page

    def name(self, seat: int) -> str:
        return self.names.with_type(self.replicate, seat)


def explain(run: RunFile, replicate: int = 0, scenario: Scenario | None = None) -> Explanation:
    """Tell what the record says of the end of a replicate.

    scenario: of the run, where it is the user's own. Raises InputError for a replicate that the run
    does not have, and RunFileError where the file is damaged.
    """
    given = run.manifest
    if not 0 <= replicate < given.replicates:
        raise InputError(
            f"there is no replicate {replicate} in {run.path}; it has "
            f"{count_noun(given.replicates, 'replicate')}, numbered from 0"
        )
    scenario = scenario or _scenario_of_ours(run)
    if scenario is None:
        return _nothing(
            run,
            replicate,
            f"The scenario {given.scenario} is Python code of its author's, and reading a run file "
            f"executes none. In Python, society.why({run.path.name!r}, scenario={given.scenario}) "
            "takes the scenario itself, and tells what its post_mortem declares.",
        )
    declared = scenario.post_mortem
    if declared is None:
        words = f"The scenario {given.scenario} declares nothing that could be told of its end."
        return _nothing(run, replicate, words)
    if given.level != "full":
        words = (
            "This run was recorded at level summary, which keeps measures and no facts; play it "
            "again with --record full to see why it ended."
        )
        return _nothing(run, replicate, words)
    try:
        params = scenario.params.model_validate({**given.former_parameters, **given.params})
        earlier = tuple(_before_forks(given, scenario))
    except ValidationError as error:
        raise RunFileError(
            f"the parameters in {run.path} are not those of {given.scenario}: "
            f"{error.error_count()} of them cannot be read"
        ) from None
    names = AgentNames.of_run(run)
    layers = tuple(name for part in given.config.mechanisms for name in part)
    record = _Recorded(run, names, replicate, params, earlier, (*scenario.mechanisms, *layers))
    try:
        statements = tuple(declared.tell(record))
    except (KeyError, IndexError) as error:
        raise RunFileError(
            f"the rounds in {run.path} lack what the post-mortem of {given.scenario} reads: "
            f"{type(error).__name__} {error}"
        ) from error
    return Explanation(given.scenario, replicate, statements, declared.lives)


def _before_forks(given: Manifest, scenario: Scenario) -> Iterator[_UpTo]:
    """Yield the parameters before each fork; what none of them has set is as at the end."""
    recorded = {**given.former_parameters, **given.params}
    unset = {key: value for key, value in recorded.items() if key not in given.config.parameters}
    for note in given.forks:
        said = with_current_parameters(given.scenario, note.config.parameters)
        yield _UpTo(note.after, scenario.params.model_validate({**unset, **said}))


def _models(config: RunConfig) -> dict[str, Any]:
    """Return what models are asked with, by name, without how they are reached."""
    return {name: one.model_dump(exclude=set(REACH)) for name, one in config.models.items()}


def _nothing(run: RunFile, replicate: int, words: str) -> Explanation:
    return Explanation(run.manifest.scenario, replicate, (Statement(NOTHING, words),))


def _is_variant(given: Manifest, named: Scenario) -> bool:
    """Whether a run played another scenario in place of the one that its configuration names."""
    return given.scenario == named.language_variant != named.name


def _scenario_of_ours(run: RunFile) -> Scenario | None:
    """Look up the scenario of a run; None for one of the user's."""
    given = run.manifest
    reference = given.config.scenario
    if given.objects and {given.scenario, reference} & set(given.objects):
        return None
    try:
        with guard_user_code(refuse_user_code):
            registry = Registry()
            found = registry.scenario(reference)
            # With a model its variant for language models was played.
            return registry.scenario(given.scenario) if _is_variant(given, found) else found
    except UntrustedCodeError:
        return None
