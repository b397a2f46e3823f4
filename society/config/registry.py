"""Everything with a name: scenarios, components and mechanisms; reproductions.

Ours are what the modules of society.scenarios and society.components define, in whichever folder.
The index tells which modules may define a name, so that looking up one imports no other. Installed
packages bring more by entry points. The user's come from files; each is imported by its path, under
a name that no other module has.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b, sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import ValidationInfo

from society import former_names, index, plugins
from society.engine.component import Component, snake_case
from society.engine.mechanism import as_play
from society.engine.parameters import resolve_path
from society.engine.scenario import MechanismSpec, Scenario
from society.errors import (
    CatalogueError,
    FileError,
    PartError,
    ScenarioError,
    UntrustedCodeError,
    describe_user_error,
    short_path,
    show_place,
    suggest,
    suggest_file,
)
from society.llm.providers.settings import PLUGIN
from society.user_code import check_user_code, imported_beside

if TYPE_CHECKING:
    from society.claims.types import Reproduction

ItemSort = Literal["scenario", "component", "mechanism", "function"]
SUFFIXES = (".yaml", ".yml", ".py")

_PAPERS = "society.scenarios.reproductions"
_MOST_BYTES = 256 * 2**20  # of a data file

_ROOMS: Mapping[ItemSort, index.Room] = {
    "scenario": "scenarios",
    "component": "components",
    "mechanism": "scenarios",
}

_PLUGINS: Mapping[ItemSort, plugins.PluginSort] = {
    "scenario": "scenarios",
    "component": "components",
    "mechanism": "mechanisms",
    "function": "models",
}


class RegistryItem(NamedTuple):
    """A named thing: a scenario, component, mechanism or function."""

    sort: ItemSort
    name: str
    value: Any


def scenarios() -> dict[str, Scenario]:
    """Every scenario of ours and of installed packages, by name."""
    return _all("scenario")


def components() -> dict[str, type[Component]]:
    """Every component of ours and of installed packages, by name."""
    return _all("component")


def mechanisms() -> dict[str, MechanismSpec]:
    """Every mechanism of ours and of installed packages, by name."""
    return _all("mechanism")


def reproductions() -> dict[str, Reproduction]:
    """Every reproduction of a paper, by name."""
    return {name: reproduction(name) for name in _papers().INDEX}


def reproduction(name: str) -> Reproduction:
    """The reproduction of a paper; raises CatalogueError."""
    index: Mapping[str, str] = _papers().INDEX
    if name not in index:
        raise CatalogueError(f"there is no reproduction {name!r}; {suggest(name, index)}")
    found: Reproduction = importlib.import_module(f"{_PAPERS}.{index[name]}").PAPER
    return found


def _papers() -> Any:
    """The folder of all papers: looked up by name, as nothing of ours may depend on it."""
    return importlib.import_module(_PAPERS)


def resolve_reference(reference: str, folder: Path | None = None) -> str:
    """Resolve a reference to an absolute FILE or FILE.py:NAME, or to a built-in name.

    What has a slash or one of SUFFIXES is a file, looked up from `folder` (the working directory);
    another NAME is ./scenarios/NAME with one of SUFFIXES, else a preset or a scenario of ours.
    """
    file, part = _parted(reference)
    if Path(file).suffix in SUFFIXES or Path(file).name != file:
        path = Path(folder or "", Path(file).expanduser()).resolve()
        return f"{path}:{part}" if part else str(path)
    own = Path("scenarios").resolve()
    # In our own checkout, ./scenarios is ours.
    if own != index.folder_of("society.scenarios").resolve():
        for suffix in SUFFIXES:
            if (own / f"{file}{suffix}").is_file():
                return str(own / f"{file}{suffix}")
    preset = index.presets().get(file) or index.presets().get(
        former_names.current("scenario", file)
    )
    return str(preset or file)


def used_path(reference: str, info: ValidationInfo) -> str:
    """Return the path of what `uses` names: a file, a folder, or a module that can be imported."""
    path = resolve_path(reference, info)
    dotted = all(part.isidentifier() for part in reference.split("."))
    if Path(path).exists() or Path(reference).suffix == ".py" or not dotted:
        return path
    try:
        found = importlib.util.find_spec(reference)
    except ImportError:
        found = None
    if found is None or not (found.origin or "").endswith(".py"):
        raise ValueError(
            f"there is no file, folder or module {reference!r}; name FILE.py, a folder, or a "
            "module of an installed package"
        )
    return str(found.origin)


def _files_in(folder: Path) -> list[str]:
    """List the Python files of a folder, sorted; raises ScenarioError if there is none."""
    names = [one for one in sorted(folder.glob("*.py")) if not one.name.startswith(("_", "test_"))]
    if not names:
        raise ScenarioError(f"{short_path(folder)} holds no .py file; name another")
    return [str(one) for one in names]


def _parted(reference: str) -> tuple[str, str]:
    """FILE.py:NAME as FILE.py and NAME."""
    file, mark, name = reference.rpartition(".py:")
    return (f"{file}.py", name) if mark else (reference, "")


class Registry:
    """The names that a scenario file can use: the user's first, then the built-in ones.

    files: SHA-256 of the user's files that were read, by path. objects: names that were looked up
    and stand for objects that were given. plugins: what was looked up of installed packages.
    """

    def __init__(self, own: Iterable[object] = ()) -> None:
        self.files: dict[str, str] = {}
        self.objects: set[str] = set()
        self.plugins: set[plugins.Plugin] = set()
        self._own: dict[tuple[ItemSort, str], Any] = {}
        self._looked_up: set[tuple[ItemSort, str]] = set()
        self._read: dict[str, list[RegistryItem]] = {}
        self._modules: list[ModuleType] = []
        for value in own:
            name = (
                value.name
                if isinstance(value, Scenario | MechanismSpec)
                else getattr(value, "__name__", "")
            )
            thing = _thing(name, value)
            if thing is None:
                raise ScenarioError(
                    f"got {value!r:.60}; expected a scenario, component, mechanism or function"
                )
            self._put(thing)
        self._given = set(self._own)

    @property
    def own(self) -> list[RegistryItem]:
        """All that the user has added, in order."""
        return [RegistryItem(sort, name, value) for (sort, name), value in self._own.items()]

    def add(self, file: str) -> list[RegistryItem]:
        """Add all that a .py file, or each of a folder, defines; raises FileError, ScenarioError.

        Of a folder, tests and files whose names begin with _ are left out.
        """
        if file not in self._read and Path(file).is_dir():
            self._read[file] = [thing for one in _files_in(Path(file)) for thing in self.add(one)]
        elif file not in self._read:
            source = self.bytes_of(file)
            self._modules.append(_imported(file, source))
            self._read[file] = _things(self._modules[-1])
            self.files |= imported_beside(source)
            for thing in self._read[file]:
                self._put(thing)
        return self._read[file]

    def unused(self, file: str) -> bool:
        """Tell whether nothing that a .py file defines has been looked up by name."""
        things = {(thing.sort, thing.name) for thing in self._read.get(file, ())}
        return things.isdisjoint(self._looked_up)

    def bytes_of(self, file: str) -> bytes:
        """A file of the user's, noted among `files`; raises FileError."""
        try:
            if Path(file).exists() and not Path(file).is_file():
                raise FileError(f"cannot read {short_path(file)}: it is no regular file")
            # A run file of a stranger's may name any file of this machine.
            if Path(file).exists() and (size := Path(file).stat().st_size) > _MOST_BYTES:
                raise FileError(
                    f"cannot read {short_path(file)}: it has {size:,} bytes; at most "
                    f"{_MOST_BYTES:,} are read, so give a smaller one"
                )
            content = Path(file).read_bytes()
        except OSError as error:
            words = f"cannot read {short_path(file)}: {error.strerror}"
            raise FileError(f"{words}{suggest_file(Path(file))}") from None
        self.files[file] = sha256(content).hexdigest()
        return content

    def scenario(self, reference: str) -> Scenario:
        """Look up a scenario by name, FILE.py or FILE.py:NAME; raises InputError."""
        file, name = _parted(reference)
        if Path(file).suffix in (".yaml", ".yml"):
            raise ScenarioError(
                f"{short_path(file)} is a YAML file; name a scenario or FILE.py here"
            )
        if Path(file).is_absolute() and Path(file).suffix != ".py":
            raise FileError(f"{short_path(file)} is not a scenario file; give FILE.yaml or FILE.py")
        if Path(file).suffix != ".py":
            found: Scenario = self._named("scenario", reference)
            return found
        here = {thing.name: thing.value for thing in self.add(file) if thing.sort == "scenario"}
        if name not in here and (name or len(here) != 1):
            raise CatalogueError(_which(file, name, list(here)))
        chosen: Scenario = here[name or next(iter(here))]
        self._looked_up.add(("scenario", chosen.name))
        return chosen

    def component(self, name: str) -> type[Component]:
        """Raises CatalogueError."""
        part: type[Component] = self._named("component", name)
        return part

    def mechanism(self, name: str) -> MechanismSpec:
        """Raises CatalogueError."""
        wrap: MechanismSpec = self._named("mechanism", name)
        return wrap

    def function(self, reference: str) -> Callable[..., Any]:
        """Look up a function by FILE.py:NAME, or by the name of a known one; raises InputError."""
        file, name = _parted(reference)
        if name:
            here = {thing.name: thing.value for thing in self.add(file) if thing.sort == "function"}
        else:
            here = {key[1]: value for key, value in self._own.items() if key[0] == "function"}
        if (name or reference) not in here:
            hint = suggest(name or reference, here) if here else "it defines no function"
            raise CatalogueError(f"there is no function {short_path(reference)!r}; {hint}")
        function: Callable[..., Any] = here[name or reference]
        self._looked_up.add(("function", name or reference))
        if not name:
            self.objects.add(reference)
        return function

    def model(self, reference: str) -> Callable[..., Any]:
        """Look up what makes a model: a function, or plugin:NAME; raises InputError."""
        prefix, mark, name = reference.partition(PLUGIN)
        if prefix or not mark:
            return self.function(reference)
        make: Callable[..., Any] | None = self._plugin("function", name)
        if make is None:
            known = plugins.plugin_names("models")
            raise CatalogueError(
                f"no installed package brings a model {name!r}; {suggest(name, known)}"
            )
        return make

    def _put(self, thing: RegistryItem) -> None:
        known = self._own.setdefault((thing.sort, thing.name), thing.value)
        # Functions may also be helpers, and files may well call theirs the same.
        if known is not thing.value and thing.sort != "function":
            raise ScenarioError(f"two of your {thing.sort}s are called {thing.name!r}; rename one")

    def _named(self, sort: ItemSort, name: str) -> Any:
        self._looked_up.add((sort, name))
        if (sort, name) in self._own:
            self.objects |= {name} if (sort, name) in self._given else set()
            return self._own[sort, name]
        found = self._plugin(sort, name) or _ours(sort, name)
        if found is None:
            self._refuse_unmarked(sort, name)
            legal = {key[1] for key in self._own if key[0] == sort} | set(_all(sort))
            legal |= set(index.presets()) if sort == "scenario" else set()
            hint = suggest(name, legal, "" if sort == "function" else f"society list {sort}s")
            words = f"there is no {sort} {name!r}; {hint}"
            raise CatalogueError(f"{words}{_unused_file(sort, name)}")
        return found

    def _refuse_unmarked(self, sort: ItemSort, name: str) -> None:
        """Raise CatalogueError if a file of the user's has it without base class or decorator."""
        for module in self._modules:
            for value in vars(module).values():
                is_class = isinstance(value, type)
                if not (is_class or (sort == "mechanism" and inspect.isfunction(value))):
                    continue
                if snake_case(value.__name__) != name or not _defined(value, module):
                    continue
                mend = {
                    "component": f"write `class {value.__name__}(Component):`",
                    "mechanism": f"write @mechanism above {value.__name__}",
                }
                if sort in mend:
                    line = inspect.getsourcelines(value)[1]
                    place = show_place(inspect.getfile(value), line)
                    raise CatalogueError(f"{place}: {value.__name__} is no {sort}; {mend[sort]}")

    def _plugin(self, sort: ItemSort, name: str) -> Any:
        """Load what an installed package brings under a name; None if none does."""
        found = _find_plugin(sort, name)
        if found is None:
            return None
        self.plugins.add(found)
        return _loaded_plugin(sort, found)


def _unused_file(sort: ItemSort, name: str) -> str:
    """Advise to use or name a file of the working directory that is called like what was sought."""
    file = f"{name}.py"
    if not name.isidentifier() or not Path(file).is_file():
        return ""
    mend = f"name the file, {file}" if sort == "scenario" else f"write uses: [{file}]"
    return f"; if {file} defines it, {mend}"


def _find_plugin(sort: ItemSort, name: str) -> plugins.Plugin | None:
    """Find what an installed package brings under a name; raises CatalogueError for a collision."""
    group = _PLUGINS[sort]
    if name not in plugins.plugin_names(group):
        return None
    taken = sort != "function" and _ours(sort, name) is not None
    taken |= sort == "scenario" and name in index.presets()
    return plugins.find_plugin(group, name, [name] if taken else [])


def _loaded_plugin(sort: ItemSort, brought: plugins.Plugin) -> Any:
    """Import what a package brings; raises PartError if it is not what its entry point says."""
    value = brought.load()
    thing = _thing(brought.name, value)
    if thing is None or thing.sort != sort:
        raise PartError(
            f"{brought.origin} brings {brought.name!r} among its {brought.sort}, but "
            f"{brought.target} is no {sort}: got {value!r:.60}"
        )
    if thing.name != brought.name:
        raise PartError(
            f"{brought.origin} brings the {sort} {brought.name!r}, but {brought.target} is called "
            f"{thing.name!r}; name the entry point like that"
        )
    return thing.value


def components_answering(kind: str, modules: Iterable[str]) -> list[str]:
    """Titles of components, ours and those of some modules, that answer a kind of question."""
    found = [sys.modules[name] for name in dict.fromkeys(modules) if name in sys.modules]
    own = {one.name: one.value for module in found for one in _things(module)}
    parts = {name: part for name, part in own.items() if isinstance(part, type)}
    known = {**components(), **parts}
    return sorted(name for name, part in known.items() if kind in getattr(part, "answers", ()))


def component_title(chance_id: str) -> str:
    """The current title of the component that has this chance_id: what people are shown of it.

    Looks among our components, then among those that were imported; failing both, the id is the
    title that the component once had.
    """
    loaded = {part.chance_id: part.title() for part in _loaded(Component)}
    return _our_titles().get(chance_id) or loaded.get(chance_id, chance_id)


@functools.cache
def _our_titles() -> Mapping[str, str]:
    return {part.chance_id: name for name, part in components().items()}


def _loaded(part: type[Component]) -> Iterator[type[Component]]:
    for heir in part.__subclasses__():
        yield heir
        yield from _loaded(heir)


def _which(file: str, name: str, scenarios: list[str]) -> str:
    """Explain why FILE.py or FILE.py:NAME names no scenario, and what to do."""
    file = short_path(file)
    if not scenarios:
        return f"{file} defines no scenario; put @scenario(...) above its script"
    if name:
        return f"{file} defines no scenario {name!r}; {suggest(name, scenarios)}"
    return f"{file} defines {', '.join(scenarios)}; say which, as in {file}:{scenarios[0]}"


def _ours(sort: ItemSort, name: str) -> Any:
    """Look up a built-in thing by its current or a former name; None if there is none."""
    for module in _candidates(sort, name):
        for thing in _things(importlib.import_module(module)):
            if (thing.sort, thing.name) == (sort, name):
                return thing.value
    now = name if sort == "function" else former_names.current(sort, name)
    return None if now == name else _ours(sort, now)


def _candidates(sort: ItemSort, name: str) -> Iterator[str]:
    """Modules that may define something of this name."""
    for one in index.definitions(_ROOMS[sort]):
        title = snake_case(one.name) if one.is_class else one.name
        if title == name and one.is_class == (sort == "component"):
            yield one.module


def _all(sort: ItemSort) -> dict[str, Any]:
    return {**_found(sort), **_found_in_packages(sort)}


@functools.cache
def _found_in_packages(sort: ItemSort) -> Mapping[str, Any]:
    """Collect what installed packages bring of a sort; only once, as for ours."""
    load = functools.partial(_loaded_plugin, sort)
    return plugins.usable_plugins(_PLUGINS[sort], _found(sort), load)


@functools.cache
def _found(sort: ItemSort) -> Mapping[str, Any]:
    """Collect all built-in things of a sort, by name; only once, as our files do not change."""
    modules = [importlib.import_module(module) for module in index.modules(_ROOMS[sort])]
    things = [thing for module in modules for thing in _things(module)]
    found = {thing.name: thing.value for thing in things if thing.sort == sort}
    return {name: found[name] for name in sorted(found)}


def _things(module: ModuleType) -> list[RegistryItem]:
    """List the things that a module defines, under their names there."""
    named = [pair for pair in vars(module).items() if not pair[0].startswith("_")]
    things = [_thing(name, value) for name, value in named if _defined(value, module)]
    return [thing for thing in things if thing is not None]


def _defined(value: object, module: ModuleType) -> bool:
    """Check if a value was made in this module and not imported."""
    if isinstance(value, Scenario):
        home = sys.modules.get(as_play(value.play).origin.__module__)
        return home is module or getattr(home, value.name, None) is not value
    if isinstance(value, MechanismSpec):
        return value.source.__module__ == module.__name__
    return getattr(value, "__module__", None) == module.__name__


def _thing(name: str, value: object) -> RegistryItem | None:
    if isinstance(value, Scenario):
        return RegistryItem(
            "scenario", name, value if value.name == name else replace(value, name=name)
        )
    if isinstance(value, type) and issubclass(value, Component):
        return RegistryItem("component", value.title(), value)
    if isinstance(value, MechanismSpec):
        return RegistryItem("mechanism", value.name, value)
    if inspect.isfunction(value):
        return RegistryItem("function", name, value)
    return None


def _imported(file: str, source: bytes) -> ModuleType:
    """A module from a file of the user's, shadowing none; raises ScenarioError."""
    name = f"_{blake2b(file.encode(), digest_size=8).hexdigest()}_{Path(file).stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None:
        raise FileError(f"{short_path(file)} is not a Python file; give FILE.py")
    check_user_code(file, source)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        # Not through the loader, which would leave a __pycache__ and may miss a quick edit.
        exec(compile(source, file, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        if isinstance(error, UntrustedCodeError):  # of a module that it imports
            raise
        raise ScenarioError(describe_user_error(error, file)) from error
    return module
