"""What installed packages bring: scenarios, components, mechanisms, graphs, models and the like.

A package says so by entry points, one for each name:

    [project.entry-points."society.components"]
    miser = "canal_kit.parts:Miser"

Names are read from the metadata of packages, so that nothing of theirs is imported before a name is
used. Templates of prompts lie in a folder prompts/ beside the module.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from society.errors import CatalogueError, PartError, ProgramWarning

PluginSort = Literal[
    "scenarios", "components", "mechanisms", "graphs", "embedders", "models", "perturbations"
]

_SORTS: tuple[PluginSort, ...] = get_args(PluginSort)


class Plugin(NamedTuple):
    """A name that an installed package brings.

    target: where its object is, MODULE:OBJECT.
    """

    sort: PluginSort
    name: str
    target: str
    package: str
    version: str

    @property
    def origin(self) -> str:
        """The package and its version, as in "canal-kit 1.2"."""
        return f"{self.package} {self.version}"

    @property
    def prompts(self) -> Path | None:
        """The folder of its templates; None if there is none."""
        spec = find_spec(self.target.partition(":")[0])
        home = Path(spec.origin).parent / "prompts" if spec and spec.origin else None
        return home if home and home.is_dir() else None

    def load(self) -> Any:
        """Import its object; raises PartError if that fails."""
        try:
            return EntryPoint(self.name, self.target, f"society.{self.sort}").load()
        except Exception as error:  # a package of somebody else's may raise anything
            raise PartError(
                f"{self.origin} brings {self.name!r} among its {self.sort}, but importing "
                f"{self.target} fails ({type(error).__name__}: {error}); mend the package, or "
                "uninstall it"
            ) from error


@cache
def _all_brought() -> Mapping[PluginSort, Mapping[str, tuple[Plugin, ...]]]:
    """All that installed packages bring, by sort and name, in order of packages.

    The metadata of all packages are looked through once, which takes some milliseconds.
    """
    every = entry_points()
    return {sort: _by_name(sort, every.select(group=f"society.{sort}")) for sort in _SORTS}


def _by_name(sort: PluginSort, points: Iterable[EntryPoint]) -> Mapping[str, tuple[Plugin, ...]]:
    found = dict[str, set[Plugin]]()
    for point in points:
        package = point.dist.name if point.dist else "an unknown package"
        version = point.dist.version if point.dist else "without a version"
        one = Plugin(sort, point.name, point.value, package, version)
        found.setdefault(point.name, set()).add(one)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def _brought(sort: PluginSort) -> Mapping[str, tuple[Plugin, ...]]:
    return _all_brought().get(sort, {})  # a sort that is none is brought by nobody


def plugin_names(sort: PluginSort) -> tuple[str, ...]:
    """All names that installed packages bring of a sort, sorted."""
    return tuple(_brought(sort))


def find_plugin(sort: PluginSort, name: str, ours: Collection[str]) -> Plugin | None:
    """Find what an installed package brings under a name; None if none does.

    ours: the names that society itself has. Raises CatalogueError for a name taken twice.
    """
    found = _brought(sort).get(name, ())
    if not found:
        return None
    thing = sort.removesuffix("s")
    packages = " and ".join(one.origin for one in found)
    if len(found) > 1:
        raise CatalogueError(
            f"{packages} both bring the {thing} {name!r}; uninstall one, or rename its entry point"
        )
    if name in ours:
        raise CatalogueError(
            f"{packages} brings the {thing} {name!r}, and society has one of that name; "
            "uninstall the package, or rename its entry point"
        )
    return found[0]


def usable_plugins(
    sort: PluginSort, ours: Collection[str], load: Callable[[Plugin], Any] = Plugin.load
) -> dict[str, Any]:
    """Load all that installed packages bring of a sort, by name; warn of what cannot be used.

    ours, and what is raised: as for find_plugin. load: raises PartError for what is none.
    """
    found = {}
    for name in plugin_names(sort):
        try:
            if one := find_plugin(sort, name, ours):
                found[name] = load(one)
        except (CatalogueError, PartError) as error:
            warnings.warn(str(error), ProgramWarning, stacklevel=2)
    return found


def plugin_origin(sort: str, name: str) -> str:
    """The package that brings a name of a sort, with its version; empty if none does."""
    found = _brought(cast(PluginSort, sort)).get(name, ())
    return " and ".join(one.origin for one in found)
