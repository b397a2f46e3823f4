"""Components: the rules that make an agent, over its columns of state.

A component answers for all its members at once (`answer`) or one by one (`consult`); the script
cannot tell which. State changes only in `begin`, `notice` and `born`; answering only reads.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from society.errors import ArgumentError, PartError

from .action_spaces import fields, restrict_bounds
from .agents import Agent, AgentGroup, Sight
from .observations import Inquiry, News, OwnFacts, Question
from .rng import Array
from .signatures import check_signature
from .state import Column

__all__ = [
    "ANYTHING",
    "Agent",
    "AgentGroup",
    "Column",
    "Component",
    "Inquiry",
    "News",
    "Question",
    "Sight",
    "per_agent",
    "scatter_answers",
    "single_asks",
]

ANYTHING = ("*",)  # as `answers` or `notices`: every kind of line


class Component:
    """One faculty of an agent. Every hook is optional; the fields of a dataclass are parameters.

    chance_id: the name under which its draws and calls are addressed, in run files too. It stays
    when the class is renamed; a class that states none has its title.
    answers: kinds of questions; those of the methods answer_KIND, for a class that states none.
    shortens: whether its brief is a heading and a list, "- ...", the oldest entry first, and may
    lose entries where a prompt does not fit into a model.
    at_birth: parameters that only `begin` and `adapt` read; to state them, or `()`, is the author's
    word that hooks keep nothing outside of columns and answer no member by who else is in the
    cohort. Cohorts of rules that differ in nothing else are then asked and told together; each
    subclass gives its own.
    separable: the author's word that it looks at no other replicate and at no shared data, so that
    replicates may be played apart while models answer slowly; each subclass gives its own.
    A class whose `answers`, `notices`, `columns` or hooks cannot be what they are called for
    raises ArgumentError when it is made.
    """

    shortens: ClassVar[bool] = False
    at_birth: ClassVar[tuple[str, ...]] = ()
    separable: ClassVar[bool] = False
    chance_id: ClassVar[str] = ""
    answers: ClassVar[tuple[str, ...]] = ()
    notices: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[tuple[Column, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "chance_id" not in vars(cls):  # a subclass has luck of its own
            cls.chance_id = cls.title()
        if "answers" not in vars(cls):
            own = (name.removeprefix("answer_") for name in vars(cls) if name.startswith("answer_"))
            cls.answers = tuple(dict.fromkeys((*cls.answers, *own)))
        columns: Any = cls.columns  # of a user's class it may be anything
        several = isinstance(columns, tuple | list)
        bare = [one for one in columns if isinstance(one, str)] if several else []
        if bare:
            raise ArgumentError(
                f"{cls.__name__} has columns = {columns!r:.60}; write (Column({bare[0]!r}),)"
            )
        for name in ("answers", "notices", "columns", "at_birth"):
            one = getattr(cls, name)
            if isinstance(one, str | Column):
                shown = f"Column({one.name!r})" if isinstance(one, Column) else repr(one)
                raise ArgumentError(
                    f"{cls.__name__} has {name} = {shown}; write ({shown},), with the comma"
                )
        for name, hook in vars(cls).items():
            if inspect.isfunction(hook):
                _check_hook(cls.__name__, name, hook)

    @classmethod
    def title(cls) -> str:
        """The name in scenario files and in what people are shown: NormBelief -> norm_belief."""
        return snake_case(cls.__name__)

    def begin(self, agents: AgentGroup) -> Awaitable[None] | None:
        """Fill the own columns: before the script starts, and where a new life begins later.

        `async def` if models are asked.
        """

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        """Return one value per member, (M,), for the kinds in `answers`; pure.

        Rules answer for all members; the answers of those who were not asked are dropped. Unless it
        is overridden, a question of kind KIND goes to the method answer_KIND(ask, agents).
        Raises PartError for a kind without such a method.
        """
        method = getattr(self, f"answer_{ask.kind}", None)
        if method is None:
            raise PartError(
                f"{self.title()} answers {ask.kind!r}; write the method answer_{ask.kind}"
            )
        return method(ask, agents)

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        """Answer for a single member, possibly slowly; pure. Raises Unparsed."""
        raise NotImplementedError

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        """Return a text that is added to this agent's prompts, or ""; pure."""
        return ""

    def ponder(self, ask: Inquiry, agent: Agent) -> str:
        """Return a question that this agent puts to itself before it answers, or ""; pure.

        Only who answers in words is put it; a rule is not troubled by it.
        """
        return ""

    def notice(self, tell: News, agents: AgentGroup) -> Awaitable[None] | None:
        """Take in an event of a kind in `notices`; `async def` if models are asked."""

    def adapt(self, before: Any, agents: AgentGroup) -> None:
        """Follow the same component with other parameters, where a fork changes them.

        before: that component. Columns are as it left them: what `begin` has made of a parameter
        that is another now is to be made anew here.
        """

    def born(self, agents: AgentGroup) -> None:
        """Mutate members that have just inherited some of this component's columns."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that this component calls."""
        return ()

    @property
    def files(self) -> tuple[str, ...]:
        """The user's files that this component reads."""
        return ()

    @property
    def kept_folders(self) -> Mapping[str, Any]:
        """Folders of programs that this component runs, by path, as a run file keeps them."""
        return {}

    @property
    def kept_tables(self) -> Mapping[str, str]:
        """Texts of the user's tables that this component reads, by path, as a run file keeps them.

        Other than `files`, they are not read again when the run is played again.
        """
        return {}

    @property
    def places_of_answers(self) -> Mapping[str, tuple[str, int]]:
        """File and line of each kind in `answers` that a file of the user's has named."""
        return {}

    @classmethod
    def hears(cls, kind: str, said: tuple[str, ...]) -> bool:
        """Tell if a kind of line is among `answers` or `notices`."""
        return kind in said or said == ANYTHING

    @classmethod
    def overrides(cls, hook: str) -> bool:
        """Tell whether this component does something of its own in `hook`, or in `hook`_KIND."""
        kind: Any = cls
        return _overrides(kind, hook)


@functools.cache
def _overrides(kind: Any, hook: str) -> bool:
    own = getattr(kind, hook) is not getattr(Component, hook)
    return own or any(name.startswith(f"{hook}_") for name in dir(kind))


_HOOKS = {
    "begin": ("self", "agents"),
    "adapt": ("self", "before", "agents"),
    "born": ("self", "agents"),
    "answer": ("self", "ask", "agents"),
    "consult": ("self", "ask", "agent"),
    "brief": ("self", "ask", "agent"),
    "ponder": ("self", "ask", "agent"),
    "notice": ("self", "tell", "agents"),
}


def _check_hook(owner: str, name: str, hook: Callable[..., Any]) -> None:
    """Raise ArgumentError for a hook that could not be called."""
    sort = "answer" if name.startswith("answer_") else name
    if sort not in _HOOKS:
        return
    check_signature(hook, f"{owner}.{name}", *_HOOKS[sort])
    if sort == "answer" and inspect.iscoroutinefunction(hook):
        raise ArgumentError(
            f"{owner}.{name} is `async`, and rules answer at once; leave `async` out, or write "
            "`async def consult(self, ask, agent)`, which answers for one agent at a time"
        )
    if sort in ("brief", "ponder", "born", "adapt") and inspect.iscoroutinefunction(hook):
        raise ArgumentError(
            f"{owner}.{name} is `async`, and nobody awaits it; leave `async` out: models are asked "
            "in begin, notice and consult"
        )
    if sort == "consult" and not inspect.iscoroutinefunction(inspect.unwrap(hook)):
        raise ArgumentError(f"{owner}.consult is awaited; write `async def consult`")


@functools.cache
def snake_case(name: str) -> str:
    """A class name as scenario files have it: NormBelief -> norm_belief."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


C = TypeVar("C", bound=Component)


def per_agent(
    rule: Callable[[C, Inquiry, Agent], Any],
) -> Callable[[C, Question, AgentGroup], list[Any]]:
    """Turn a scalar `answer(self, ask, agent)` into a rule over columns.

    The rule sees scalars everywhere: `ask.facts["stock"]`, `agent["effort"]`, `agent.draws`.
    """

    @functools.wraps(rule)
    def answer(self: C, ask: Question, agents: AgentGroup) -> Any:
        return scatter_answers([rule(self, *pair) for pair in single_asks(ask, agents)[1]], ask)

    return answer


def single_asks(ask: Question, agents: AgentGroup) -> tuple[Array, list[tuple[Inquiry, Agent]]]:
    """Return the entries of those who were asked, and the question to each of them alone."""
    entries = np.flatnonzero(ask.asked)
    alone = []
    for entry in entries.tolist():
        agent = Agent(agents, entry)
        facts = OwnFacts(ask.kind, ask.facts.facts, agent._alone.audience)
        options = None if ask.options is None else ask.options[agent.replicate]
        reply = ask.reply
        if not reply.alike:
            reply = restrict_bounds(reply, operator.itemgetter(entry))
        inquiry = Inquiry(ask.kind, facts, reply, options, ask.repairs, ask.text)
        alone.append((inquiry, agent))
    return entries, alone


def scatter_answers(answers: Sequence[Any], ask: Question) -> Any:
    """One answer for each that was asked -> one per member, silent elsewhere; forms by field."""
    columns = {}
    for name, value in fields(ask.reply).items():
        silent = value.silent if value.width is None else [value.silent] * value.width
        column: list[Any] = [silent] * len(ask.asked)
        for entry, answer in zip(np.flatnonzero(ask.asked).tolist(), answers, strict=True):
            column[entry] = _field(answer, name) if name else answer
        columns[name] = column
    return columns.get("", columns)


def _field(answer: Any, name: str) -> Any:
    """Return a field of a form; None, which no reply takes, where it is missing."""
    return answer.get(name) if isinstance(answer, Mapping) else None
