"""Who may import whom, where chance may come from, how long things may grow."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import networkx as nx

from society.config.registry import scenarios
from society.engine.mechanism import as_play
from tests.parsed_sources import ONE_WORKER, parsed

pytestmark = ONE_WORKER

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("components", "scenarios", "memory")

# A part of the house imports itself and what stands in a row above its own.
FLOORS = (
    ("user_code", "slow_work", "machine"),
    ("errors", "visible", "index", "former_names"),
    ("plugins",),
    ("memory",),
    ("optional", "text", "notebook_pages"),
    ("engine",),
    ("lineage", "llm", "sandbox", "claims"),
    ("config",),
    ("personas",),
    ("components",),
    ("scenarios",),
    ("runs",),
    ("terminal",),
    ("experiments",),
    ("conformance", "authoring"),
    ("analysis",),
    ("theatre",),
    ("report",),
    ("reproduction",),
    ("notebook",),
    ("cli",),
    ("__main__",),
)
FLOOR = {part: number for number, row in enumerate(FLOORS) for part in row}

# Of the floors below, components know these alone; some of their folders know more.
FOR_COMPONENTS = {"memory", "errors", "text", "former_names", "engine"}
MORE = {"components/language": {"llm", "personas"}, "components/programs": {"sandbox"}}
# Reproductions stand above the rest of their folder: they may import all but the command line.
REPRODUCTIONS = "scenarios/reproductions/"

# A room of the sandbox imports itself and those before it.
SANDBOX_ROOMS = ("source", "running", "matches", "workers")


class Import(NamedTuple):
    """One import of a module."""

    file: Path
    line: int
    module: str  # absolute
    when: Literal["first", "late", "typing"]  # late: inside a function; typing: for checkers only

    @property
    def part(self) -> str:
        """The part of the house, for our own modules: engine, components, errors."""
        return [*self.module.split("."), ""][1]

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)} imports {self.module}"


def files(*folders: str) -> list[Path]:
    """Python files of these folders; society/components and the like are links, and left out."""
    found = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [file for file in found if file.relative_to(ROOT).parts[1] not in ROOMS]


def package(file: Path) -> list[str]:
    """society/runs/schema.py -> society, runs; components/village/harvest.py -> society, ..."""
    parts = list(file.relative_to(ROOT).parts[:-1])
    return parts if parts[0] == "society" else ["society", *parts]


def module_name(file: Path) -> str:
    stem = [] if file.stem == "__init__" else [file.stem]
    return ".".join([*package(file), *stem])


@cache
def modules() -> frozenset[str]:
    """All modules of ours."""
    return frozenset(map(module_name, files("society", *ROOMS)))


def dotted(node: ast.expr) -> str:
    """Return a name as it is written, np.random.default_rng; and "" for what is none."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


@cache
def imports(file: Path) -> tuple[Import, ...]:
    return tuple(_imports(file, parsed(file), "first"))


def _imports(
    file: Path, node: ast.AST, when: Literal["first", "late", "typing"]
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):  # holds no import, and most of a tree
            continue
        if isinstance(child, ast.If) and dotted(child.test) == "TYPE_CHECKING":
            yield from _imports(file, child, "typing")
        elif isinstance(child, ast.Import):
            for name in child.names:
                yield Import(file, child.lineno, name.name, when)
        elif isinstance(child, ast.ImportFrom):
            home = package(file)[: -(child.level - 1) or None] if child.level else []
            module = ".".join([*home, *([child.module] if child.module else [])])
            # `from society.engine import rng` imports a module, others import what is in one.
            full = {f"{module}.{name.name}" for name in child.names}
            for found in sorted(full & modules()) or [module]:
                yield Import(file, child.lineno, found, when)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports(file, child, "late" if inside and when == "first" else when)


def own(*folders: str) -> list[Import]:
    """Imports of our own modules, those for type checkers included."""
    found = [one for file in files(*folders) for one in imports(file)]
    return [one for one in found if one.module.split(".")[0] == "society"]


def part_of(file: Path) -> str:
    """society/runs/schema.py -> runs, society/errors.py -> errors, memory/episodic.py -> memory."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "society" else parts[0]


def allowed(one: Import) -> bool:
    """Check whether a file may import a module of ours."""
    here, folder = part_of(one.file), one.file.relative_to(ROOT).parent.as_posix()
    if here == "__init__" or one.part in ("", here):
        return True
    if f"{folder}/".startswith(REPRODUCTIONS):
        return one.part != "cli"
    if here == "components":
        return one.part in FOR_COMPONENTS | MORE.get(folder, set())
    return FLOOR.get(one.part, -1) < FLOOR.get(here, len(FLOORS))


def strangers() -> set[str]:
    """Imports that nobody should make."""
    found = {str(one) for one in own("society", *ROOMS) if not allowed(one)}
    # Nothing but reproductions imports them.
    return found | {
        str(one)
        for one in own("scenarios")
        if one.module.startswith("society.scenarios.reproductions")
        and not one.file.relative_to(ROOT).as_posix().startswith(REPRODUCTIONS)
    }


def circles() -> set[frozenset[str]]:
    """Modules that import each other; a package's own __init__ stands for none of its modules."""
    arrows = [(module_name(one.file), one.module) for one in own("society", *ROOMS)]
    graph = nx.DiGraph((here, there) for here, there in arrows if here != there)
    return {frozenset(ring) for ring in nx.strongly_connected_components(graph) if len(ring) > 1}


def test_every_part_of_the_house_has_its_floor() -> None:
    parts = {part_of(file) for file in files("society", *ROOMS)} - {"__init__"}
    assert parts <= set(FLOOR), "place new parts in FLOORS"


def test_imports_go_to_lower_floors_only() -> None:
    assert sorted(strangers()) == []


def test_no_modules_import_each_other() -> None:
    """Not even in functions, or for type checkers only."""
    assert [sorted(ring) for ring in circles()] == []


def test_rooms_of_the_sandbox_import_earlier_ones_only() -> None:
    upward = [
        str(one)
        for one in own("society/sandbox")
        for room in [one.file.parent.name]
        for other in [one.module.removeprefix("society.sandbox.").split(".")[0]]
        if room in SANDBOX_ROOMS and other in SANDBOX_ROOMS
        if SANDBOX_ROOMS.index(other) > SANDBOX_ROOMS.index(room)
    ]
    assert upward == []


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
    """But for modules that are imported late: terminal, providers, templates, progress."""
    heavy = {"networkx", "rich", "ruamel", "jinja2", "aiohttp", "litellm", "langchain_core"}
    heavy |= {"torch", "sentence_transformers", "transformers", "dotenv"}
    heavy |= {"jsonschema", "scipy", "statsmodels", "pandas", "matplotlib", "distributed"}
    late = {"terminal", "theatre", "providers", "progress.py"}
    late |= {"templates.py", "template_limits.py", "template_names.py"}
    early = [
        str(one)
        for file in files("society", *ROOMS)
        for one in imports(file)
        if one.module.split(".")[0] in heavy and one.when == "first" and not late & set(file.parts)
    ]
    assert not early


def test_chance_comes_from_addressed_draws_alone() -> None:
    """No np.random, random or secrets; networkx families need a generator, addressed as well."""
    wrong = []
    # The watch looks at the shared generators, whether a user's file has drawn from them.
    # A program of a sandbox calls `random` and `np.random`, which are seeded for it.
    seeded = ROOT / "society/sandbox/running/seeded_random.py"
    keys = ROOT / "society/llm/providers/local.py"  # nobody may guess the key of its server
    free = {ROOT / "society/engine/rng.py", ROOT / "society/runs/chance_watch.py", seeded, keys}
    for file in set(files("society", *ROOMS)) - free:
        wrong += [
            str(one)
            for one in imports(file)
            if one.module.split(".")[0] in ("random", "secrets") or one.module == "numpy.random"
        ]
        wrong += [
            f"{file.relative_to(ROOT)}:{node.lineno} calls {dotted(node.func)}"
            for node in ast.walk(parsed(file))
            if isinstance(node, ast.Call)
            and dotted(node.func).startswith(("np.random.", "numpy.random.", "os.urandom"))
        ]
    assert not wrong


HELP = """
import sys
from society.cli.main import main
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
from society.cli.main import main
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
