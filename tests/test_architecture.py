"""Who may import whom, where chance may come from, how long things may grow."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from society.catalogue import scenarios
from society.wrap import as_play

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("components", "scenarios", "memory")

# A module of the engine imports only what stands in a row above its own.
ENGINE = (
    ("errors", "draws", "index"),
    ("comparisons", "optional"),
    ("graph", "matching", "checks", "rubric", "claims"),
    ("wording", "positions"),
    ("replies", "templates", "cancellation"),
    ("talk", "llm"),
    ("observations", "table"),
    ("calls", "state"),
    ("callbook", "outside", "history"),
    ("models", "lineage"),
    ("members",),
    ("prompts",),
    ("agent",),
    ("cast", "wrap", "keeper", "heap"),
    ("scenario", "tape"),
    ("gamemaster", "families"),
    ("catalogue",),
    ("scenario_file",),
    ("cohorts", "listing"),
    ("spec",),
    ("runs",),
    ("theatre",),
    ("experiments",),
    ("analysis",),
    ("lab",),
    ("report",),
    ("reproduction",),
    ("notebook",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, row in enumerate(ENGINE) for name in row}

# What plays a game, and what puts it into words.
NUMERIC = {"draws", "graph", "replies", "talk", "observations", "members", "agent", "state"}
NUMERIC |= {"table", "cast", "wrap", "keeper", "history", "tape", "scenario", "gamemaster"}
NUMERIC |= {"calls", "cancellation", "outside", "rubric"}
PROSE = {"llm", "wording", "prompts", "templates"}

# What a rule or a rule book may know of the engine.
FOR_COMPONENTS = {"errors", "draws", "checks", "talk", "graph", "replies", "agent"}
FOR_COMPONENTS |= {"calls", "prompts", "llm", "wording"}  # for those that speak
FOR_COMPONENTS |= {"rubric"}  # for those that code texts
FOR_SCENARIOS = FOR_COMPONENTS | {"table", "cast", "wrap", "scenario", "claims", "comparisons"}
FOR_SCENARIOS |= {"lineage", "history", "matching"}
FOR_THEATRE = {"errors", "draws", "graph", "replies", "talk", "scenario", "calls", "catalogue"}
FOR_THEATRE |= {"lineage", "theatre", "history"}


class Import(NamedTuple):
    """One import that happens when a program runs: not the ones for type checkers only."""

    file: Path
    line: int
    module: str  # absolute
    late: bool  # inside a function

    @property
    def room(self) -> str:
        """The room, for our own modules: engine, components, scenarios or memory."""
        parts = self.module.split(".")
        return parts[1] if parts[1:] and parts[1] in ROOMS else "engine"

    @property
    def part(self) -> str:
        """The module of the engine, or its folder: runs, theatre."""
        return part_of(self.module.split(".")[1:])

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line} imports {self.module}"


def files(*folders: str) -> list[Path]:
    """Python files of these folders; society/components and the like are links, and left out."""
    found = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [file for file in found if file.relative_to(ROOT).parts[1] not in ROOMS]


def package(file: Path) -> list[str]:
    """society/runs/store.py -> society, runs; components/harvest.py -> society, components."""
    parts = list(file.relative_to(ROOT).parts[:-1])
    return parts if parts[0] == "society" else ["society", *parts]


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


@cache
def imports(file: Path) -> tuple[Import, ...]:
    return tuple(_imports(file, parsed(file), late=False))


def _imports(file: Path, node: ast.AST, *, late: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            for name in child.names:
                yield Import(file, child.lineno, name.name, late)
        elif isinstance(child, ast.ImportFrom):
            home = package(file)[: -(child.level - 1) or None] if child.level else []
            module = ".".join([*home, *([child.module] if child.module else [])])
            # `from society import draws` and `from . import draws` import a module each.
            names = [f"{module}.{name.name}" for name in child.names]
            for full in names if module == "society" else [module]:
                yield Import(file, child.lineno, full, late)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(file, child, late=late or inside)


def own(*folders: str) -> list[Import]:
    """Imports of our own modules."""
    found = [one for file in files(*folders) for one in imports(file)]
    return [one for one in found if one.module.split(".")[0] == "society"]


def engine_part(file: Path) -> str:
    return part_of(file.relative_to(ROOT / "society").with_suffix("").parts)


def part_of(names: Sequence[str]) -> str:
    """The first name; lab/reproduction stands above the rest of lab, and is a part of its own."""
    return "reproduction" if list(names[:2]) == ["lab", "reproduction"] else [*names, ""][0]


def test_the_engine_imports_no_other_room() -> None:
    """The index looks through the folders themselves, and imports nothing."""
    assert not [str(one) for one in own("society") if one.room != "engine"]


def test_the_numeric_engine_knows_no_prose() -> None:
    """Not even for type checkers: how answers are read and questions put is handed to it."""
    wrong = [
        f"{name}.py imports {ast.unparse(node)}"
        for name in sorted(NUMERIC)
        for node in ast.walk(parsed(ROOT / "society" / f"{name}.py"))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and PROSE & set(ast.unparse(node).replace(".", " ").split())
    ]
    assert not wrong


def test_every_module_of_the_engine_has_its_level() -> None:
    parts = {engine_part(file) for file in files("society")} - {"__init__"}
    assert parts == set(LEVEL), "place new modules in ENGINE, and take out those that are gone"


def test_inside_the_engine_imports_go_upwards_only() -> None:
    wrong = []
    for one in own("society"):
        here, there = engine_part(one.file), one.part
        if there in ROOMS or here in (there, "__init__"):
            continue
        if LEVEL.get(there, -1) >= LEVEL[here]:
            wrong.append(str(one))
    assert not wrong


@pytest.mark.parametrize(
    ("folder", "rooms", "parts"),
    [
        ("memory", {"memory"}, set()),
        ("components", {"components", "memory"}, FOR_COMPONENTS),
        ("scenarios", {"scenarios", "components", "memory"}, FOR_SCENARIOS),
        ("society/theatre", set(), FOR_THEATRE),
    ],
)
def test_a_room_imports_only_what_it_may_know(
    folder: str, rooms: set[str], parts: set[str]
) -> None:
    """Rules never see a run file, rule books never see a model, memory knows no agents."""
    wrong = [str(one) for one in own(folder) if one.room not in rooms and one.part not in parts]
    assert not wrong


def test_our_modules_are_named_in_full_outside_the_engine() -> None:
    """Bare `import memory` would find the user's own file of that name."""
    bare = [
        str(one)
        for file in files("society", *ROOMS)
        for one in imports(file)
        if one.module.split(".")[0] in ROOMS
    ]
    assert not bare


def test_the_heavy_libraries_are_imported_late() -> None:
    """But for modules that are themselves imported late: theatre, models, templates, progress."""
    heavy = {"networkx", "rich", "ruamel", "jinja2", "aiohttp", "litellm", "langchain_core"}
    heavy |= {"torch", "sentence_transformers", "transformers", "dotenv"}
    heavy |= {"scipy", "statsmodels", "pandas", "matplotlib", "distributed"}
    late = {"theatre", "models", "templates.py", "progress.py"}
    early = [
        str(one)
        for file in files("society", *ROOMS)
        for one in imports(file)
        if one.module.split(".")[0] in heavy and not one.late and not late & set(file.parts)
    ]
    assert not early


def test_chance_comes_from_addressed_draws_alone() -> None:
    """No np.random, random or secrets; networkx families need a generator, addressed as well."""
    wrong = []
    for file in set(files("society", *ROOMS)) - {ROOT / "society/draws.py"}:
        wrong += [
            str(one)
            for one in imports(file)
            if one.module.split(".")[0] in ("random", "secrets") or one.module == "numpy.random"
        ]
        wrong += [
            f"{file.relative_to(ROOT)}:{node.lineno} calls {ast.unparse(node.func)}"
            for node in ast.walk(parsed(file))
            if isinstance(node, ast.Call)
            and ast.unparse(node.func).startswith(("np.random.", "numpy.random.", "os.urandom"))
        ]
    assert not wrong


HELP = """
import sys
from society.cli import main
try:
    main(["--help"])
except SystemExit as stop:
    assert not stop.code, stop.code
heavy = {name.split(".")[0] for name in sys.modules} & {"numpy", "networkx", "rich", "pydantic"}
print("heavy:", *sorted(heavy))
"""


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    """So that it answers at once."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-c", HELP],
        cwd=tmp_path,
        env=plain,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "heavy:"


RULES = """
import sys
from society.cli import main
assert main(["run", "fishing_village", "--rounds", "2", "--quiet", "--json"]) == 0
heavy = {"langchain_core", "litellm", "aiohttp", "jinja2", "torch", "dotenv"}
print("heavy:", *sorted(heavy & {name.split(".")[0] for name in sys.modules}))
"""


def test_a_run_of_rules_imports_nothing_of_language_minds(tmp_path: Path) -> None:
    words = [sys.executable, "-c", RULES]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy:"


def code_lines(source: str) -> int:
    """Lines of a definition, without docstrings and blank lines."""
    tree = ast.parse(textwrap.dedent(source))
    said = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = textwrap.dedent(source).splitlines()
    return sum(bool(line.strip()) and number not in said for number, line in enumerate(lines, 1))


def test_lines_are_counted_without_docstrings_and_blank_lines() -> None:
    source = '''
        class Harvest(Component):
            """Two lines

            and a blank one."""

            # A comment counts.
            def answer(self) -> int:
                """Docstring."""

                return 1
    '''
    assert code_lines(source) == 4


def test_the_fishing_village_is_a_script_of_at_most_forty_lines() -> None:
    script = as_play(scenarios()["fishing_village"].play).origin
    assert code_lines(inspect.getsource(script)) <= 40
