"""The house in numbers: lines, statements, bodies, modules, circles, words that mean two things.

source       lines, lines that are not blank, and statements (nodes of the syntax tree that are
             statements), by top folder; tests and benchmarks apart
bodies       lines of a function's body, from its first statement after the docstring to its
             last one; functions that say nothing but a docstring do not count
modules      by folder, with the fullest ones first
circles      sets of modules that import each other, directly or not, wherever the import
             stands: at the top, in a function, or under TYPE_CHECKING; at the top only, beside
names        public names of classes, functions and type aliases of a module (assigned names that
             are not all capitals) that two or more modules define; constants apart
basenames    names of files that stand in two folders or more, but for __init__ and __main__
README       lines
docstrings   of functions and classes: how many first lines open with a clause or fragment, as
             tests/house/clauses.py says

python tests/benchmarks/house.py [--names]     --names: which names, circles, basenames and lines
"""

from __future__ import annotations

import ast
import importlib.util
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("society", "components", "scenarios", "memory")
APART = ("tests", "benchmarks")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """A source file."""

    path: Path  # from the root
    text: str
    tree: ast.Module

    @property
    def dotted(self) -> str:
        """The name by which it is imported."""
        parts = self.path.with_suffix("").parts
        parts = parts if parts[0] in ("society", *APART) else ("society", *parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def functions(self) -> Iterator[Function]:
        """Every function, methods and inner ones included."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))


def modules_in(room: str) -> list[Module]:
    """The source files of a top folder; links to other top folders are not followed."""
    found = []
    for file in sorted((ROOT / room).rglob("*.py")):
        path = file.relative_to(ROOT)
        if not any((ROOT / part).is_symlink() for part in (path, *path.parents)):
            text = file.read_text(encoding="utf-8")
            found.append(Module(path, text, ast.parse(text)))
    return found


def statements(module: Module) -> int:
    """Count the statements of a module."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(module.tree))


def body_lines(function: Function) -> int:
    """Count the lines of a body without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def imports(module: Module, known: Mapping[str, Module], *, top_only: bool) -> set[str]:
    """The modules of ours that it imports by name."""
    found: set[str] = set()
    package = (
        module.dotted if module.path.name == "__init__.py" else module.dotted.rpartition(".")[0]
    )
    for node in module.tree.body if top_only else ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join(filter(None, [*(up if node.level else ()), node.module]))
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in known else base)
    return {name for name in found if name in known and name != module.dotted}


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Find the strongly connected sets of more than one node (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph[node]:
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            place = stack.index(node)
            found.append(sorted(stack[place:]))
            del stack[place:]

    for node in graph:
        if node not in order:
            visit(node)
    return sorted((one for one in found if len(one) > 1), key=len, reverse=True)


def public_names(module: Module) -> Iterator[str]:
    """Names that a module defines at its top and that do not begin with an underscore."""
    for node in module.tree.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                names = [node.name]
            case ast.Assign():
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                names = [name]
            case _:
                names = []
        yield from (name for name in names if not name.startswith("_"))


def repeated(pairs: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """Find names that stand in two files or more, with these files."""
    where = defaultdict[str, set[str]](set)
    for name, path in pairs:
        where[name].add(str(path))
    return {name: sorted(paths) for name, paths in sorted(where.items()) if len(paths) > 1}


def first_lines(modules: Iterable[Module]) -> Iterator[tuple[Path, str, bool]]:
    """First lines of docstrings with their file, and whether a function has it."""
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, Function | ast.ClassDef) and (words := ast.get_docstring(node)):
                yield module.path, words.split("\n")[0], isinstance(node, Function)


def detector() -> Callable[[str], bool]:
    """The rule of tests/house/clauses.py."""
    found = importlib.util.spec_from_file_location("clauses", ROOT / "tests/house/clauses.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    rule: Callable[[str], bool] = module.opens_with_a_clause
    return rule


def main() -> None:
    """Print it all."""
    rooms = {room: modules_in(room) for room in (*ROOMS, *APART)}
    ours = list(chain.from_iterable(rooms[room] for room in ROOMS))
    listed: list[str] = []
    for name, modules in [*rooms.items(), ("house", ours)]:
        lines = [line for module in modules for line in module.text.splitlines()]
        print(
            f"source {name:11} {len(modules):4} modules {len(lines):7,} lines "
            f"{sum(bool(line.strip()) for line in lines):7,} not blank "
            f"{sum(map(statements, modules)):7,} statements"
        )
    bodies = [length for one in ours for part in one.functions if (length := body_lines(part))]
    tenths = statistics.quantiles(bodies, n=10, method="inclusive")
    print(f"bodies of {len(bodies)} functions: p50 {tenths[4]:g}, p90 {tenths[8]:g} lines")
    folders = Counter(str(one.path.parent) for one in ours if one.path.stem != "__init__")
    print("modules", ", ".join(f"{name} {count}" for name, count in folders.most_common(12)))
    full = sum(count > 20 for count in folders.values())
    print(f"folders {len(folders)}, of these with more than 20 modules: {full}")
    known = {one.dotted: one for one in ours}
    for words, top_only in (("anywhere", False), ("at the top", True)):
        graph = {
            name: sorted(imports(one, known, top_only=top_only)) for name, one in known.items()
        }
        found = circles(graph)
        print(f"circles of imports {words}: {len(found)}, of {list(map(len, found))} modules")
        listed += [f"circle {words}: {', '.join(one)}" for one in found]
    names = repeated((name, one.path) for one in ours for name in public_names(one))
    lower = {name: paths for name, paths in names.items() if not name.isupper()}
    classes = {name for name in lower if name[0].isupper()}
    print(f"names defined twice: {len(lower)} ({len(classes)} capitalised)")
    print(f"constants defined twice: {len(names) - len(lower)}")
    listed += [f"name {name}: {', '.join(paths)}" for name, paths in lower.items()]
    bases = repeated(
        (one.path.name, one.path) for one in ours if not one.path.stem.startswith("__")
    )
    print(f"basenames twice: {len(bases)}")
    listed += [f"basename {name}: {', '.join(paths)}" for name, paths in bases.items()]
    print(f"README {len((ROOT / 'README.md').read_text(encoding='utf-8').splitlines())} lines")
    clause, lines_of = detector(), list(first_lines(ours))
    for kind, of_function in (("functions", True), ("classes", False)):
        said = [(path, line) for path, line, flag in lines_of if flag is of_function]
        hard = [(path, line) for path, line in said if clause(line)]
        share = len(hard) / max(len(said), 1)
        print(f"docstrings of {kind}: {len(hard)} of {len(said)} open with a clause ({share:.0%})")
        listed += [f"clause {path}: {line}" for path, line in hard]
    if "--names" in sys.argv:
        print("\n".join(listed))


if __name__ == "__main__":
    main()
