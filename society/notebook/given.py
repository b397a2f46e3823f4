"""What the functions for notebooks are given: paths, limits and objects, checked and named."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from numbers import Integral, Real
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from society.config.yaml_source import Source
from society.engine.component import Component
from society.engine.interrupts import interrupt_thread
from society.engine.parameters import ValidationIssues, validate
from society.engine.scenario import MechanismSpec, Scenario
from society.errors import FileError, InputError, ScenarioError, suggest
from society.llm.providers.settings import Limits

if TYPE_CHECKING:
    from society.runs.fork import Place

T = TypeVar("T")


class HasPath(Protocol):
    """What knows its run file or folder: a result, an audit."""

    @property
    def path(self) -> Path: ...


RunSource = str | Path | HasPath


def run_path(run: RunSource) -> Path:
    """Return the file of a run; raises InputError for what is none."""
    if isinstance(run, str | Path):
        return Path(run)
    if isinstance(path := getattr(run, "path", None), Path):
        return path
    raise InputError(f"got {run!r:.60}; expected a run file, as str or Path, or a result")


def experiment_path(given: object) -> Path:
    """Return the file or the name of an experiment; raises InputError for what is neither."""
    if not isinstance(given, str | Path):
        own = isinstance(given, Mapping | Scenario | MechanismSpec | Component | type)
        why = (
            "; runs of an experiment may be played in other processes and go on later, where what "
            "a cell defines is not there: save it as FILE.py and name that in the experiment's "
            "base or `uses:`, or call society.run(...) once for each condition"
        )
        raise InputError(
            f"got {given!r:.60}; expected an experiment: a file, as str or Path, or the name of "
            f"one that comes with the program{why if own else ''}"
        )
    return Path(given)


def output_path(given: object, name: str = "out") -> Path:
    """Return a path that is to be written; raises InputError, FileError for what can be none.

    name: of the argument.
    """
    if not isinstance(given, str | Path):
        raise InputError(f"{name}: got {given!r:.60}; expected a path, as str or Path")
    path = Path(given)
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # too long a name; a sign that no name may have
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {str(path)!r:.60}: {reason}; name another file") from None
    return path


def read_limits(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the limits of all runs together that an argument gives; raises ScenarioError."""
    if given is not None and not isinstance(given, Mapping):
        raise ScenarioError(f"limits: got {given!r}; expected a mapping such as {{'max_calls': 9}}")
    try:
        return validate(Limits, given or {}, "key").model_dump(exclude_unset=True)
    except ValidationIssues as refused:
        raise Source("limits").refusal(refused.faults) from None


def is_whole(given: object) -> bool:
    """Tell whether something is a whole number, one of numpy's included."""
    return isinstance(given, Integral) and not isinstance(given, bool)


def read_number(name: str, given: Any, least: int | None = 0) -> int:
    """Return an argument that is a whole number, of at least `least`; raises InputError."""
    if is_whole(given) and (least is None or given >= least):
        return int(given)
    bound = "" if least is None else f" of at least {least}"
    raise InputError(f"{name}: got {given!r:.60}; expected a whole number{bound}")


def read_real(name: str, given: object) -> float:
    """Return an argument that is a number, whole or not; raises InputError."""
    if isinstance(given, Real) and not isinstance(given, bool):
        return float(given)
    raise InputError(f"{name}: got {given!r:.60}; expected a number")


def read_mapping(name: str, given: object, example: str) -> Mapping[str, Any]:
    """Return an argument that has values by name; raises InputError for anything else."""
    if isinstance(given, Mapping) and all(isinstance(one, str) for one in given):
        return given
    raise InputError(f"{name}: got {given!r:.60}; expected names with values, such as {example}")


def read_text(name: str, given: object, expected: str) -> str:
    """Return an argument that is a text; raises InputError, with what was expected."""
    if isinstance(given, str):
        return given
    raise InputError(f"{name}: got {given!r:.60}; expected {expected}, as text")


def read_place(given: Any) -> Place:
    """Return the number or the path of a round; raises InputError for what is neither."""
    if is_whole(given):
        return int(given)
    if isinstance(given, tuple) and all(map(is_whole, given)):
        return tuple(map(int, given))
    raise InputError(
        f"at: got {given!r:.60}; expected the number of a round, 0 for before the first, or its "
        "path, such as (3, 1, 5)"
    )


def read_places(given: object) -> list[Place]:
    """Return the rounds that are meant; a tuple of numbers is one path. Raises InputError."""
    alone = isinstance(given, tuple) and given and all(map(is_whole, given))
    if alone or is_whole(given):
        return [read_place(given)]
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(
            f"at: got {given!r:.60}; expected the number of a round, its path, such as (3, 1, 5), "
            "or a list of these"
        )
    return [*map(read_place, given)]


def refuse_workers(given: object) -> None:
    """Raise InputError for what is no number of processes."""
    read_number("workers", given, 1)


def listed(name: str, given: object, *kinds: type[object]) -> list[Any]:
    """Return what an argument gives, one or several of some kinds, as a list; raises InputError."""
    if isinstance(given, kinds) or not isinstance(given, Iterable):
        given = [given]
    some = [*given]
    for one in some:
        fits = isinstance(one, kinds) or (int in kinds and is_whole(one))
        if not fits or isinstance(one, bool):
            words = " or ".join(kind.__name__ for kind in kinds)
            raise InputError(f"{name}: got {one!r:.60}; expected {words}, or a list of these")
    return some


def choose_word(name: str, given: object, known: Sequence[str], more: str = "") -> str:
    """Return an argument that is one of some words; raises InputError, which ends with `more`."""
    word = read_text(name, given, f"one of {', '.join(known)}")
    if word not in known:
        raise InputError(f"{name}: got {word!r:.60}; {suggest(word, known)}{more}")
    return word


def list_some(name: str, given: object, *kinds: type[object]) -> list[Any]:
    """Return what an argument gives as a list, which is not empty; raises InputError."""
    some = listed(name, given, *kinds)
    if not some:
        raise InputError(f"{name}: got {given!r:.60}; expected at least one")
    return some


def split_scenario(scenario: Any) -> tuple[str | Scenario, Mapping[str, Any]]:
    """Return what is to be played, and the keys beside it; raises ScenarioError."""
    if isinstance(scenario, Mapping):
        if "scenario" not in scenario:
            raise ScenarioError("the mapping names no scenario; begin with {'scenario': NAME, ...}")
        written = {key: value for key, value in scenario.items() if key != "scenario"}
        scenario = scenario["scenario"]
    elif isinstance(scenario, (str, Path, Scenario)):
        written = {}
    else:
        raise ScenarioError(
            f"got {scenario!r:.60}, a {type(scenario).__name__}; expected a scenario: its name, a "
            "file, what @scenario(...) gives, or a mapping with the keys of a scenario file"
        )
    return scenario if isinstance(scenario, Scenario) else str(scenario), written


def name_objects(value: Any, objects: list[object]) -> Any:
    """Replace components, mechanisms and functions by their names, and add them to `objects`."""
    if isinstance(value, Mapping):
        pairs = {
            name_objects(key, objects): name_objects(one, objects) for key, one in value.items()
        }
        graph = pairs.get("function")  # {"function": f} is the graph that f alone is, too
        return {**pairs, **graph} if isinstance(graph, Mapping) else pairs
    if isinstance(value, (list, tuple)):
        return [name_objects(one, objects) for one in value]
    if isinstance(value, Component):
        return {name_objects(type(value), objects): _fields(value)}
    if isinstance(value, type) and issubclass(value, Component):
        objects.append(value)
        return value.title()
    if isinstance(value, MechanismSpec):
        objects.append(value)
        return value.name
    if inspect.isfunction(value):
        objects.append(value)
        return {"kind": "function", "function": value.__name__}
    return str(value) if isinstance(value, Path) else value


def _fields(part: Component) -> dict[str, Any]:
    """The parameters of a component that is given as an object; raises ScenarioError."""
    if dataclasses.is_dataclass(part):
        return {one.name: getattr(part, one.name) for one in dataclasses.fields(part) if one.init}
    if type(part).__init__ is not object.__init__:
        name = type(part).__name__
        raise ScenarioError(
            f"{name} is made by an __init__ of its own, so the run file could not keep its "
            f"parameters; put @dataclass(frozen=True) above class {name}"
        )
    return {}


def beside_loop(job: Callable[[], T]) -> T:
    """Do a job that has an event loop of its own, also where one is running, as in a notebook.

    An interrupt ends it, once it has kept what was played.
    """
    numbers = list[int]()

    def begun() -> T:
        numbers.append(get_ident())
        return job()

    with ThreadPoolExecutor(1) as beside:  # which waits for what is kept after an interrupt
        done = beside.submit(copy_context().run, begun)
        try:
            return done.result()
        except KeyboardInterrupt:
            for number in numbers:
                interrupt_thread(number)
            raise
