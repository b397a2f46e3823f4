"""The gate that every Python file of the user's passes before it is executed.

A command executes the files that its user named. A run file names files too, and may have been made
by somebody else: whoever reads one closes the gate, or lets only trusted files through.

Such a file may import others that lie beside it. They pass the gate, too, and their compiled forms
(__pycache__), which need not be of the same code, are not taken. What is installed passes freely:
all in the folders where Python looks from its start on, the working directory left out.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

CodeGate = Callable[[str, str], None]  # (path, SHA-256 of the content); raises InputError

_GATE: ContextVar[CodeGate | None] = ContextVar("code_gate", default=None)


def _installed_folders() -> frozenset[Path]:
    """Return the folders of installed modules, without that of the files that a user works on."""
    folders = {Path(one).resolve() for one in sys.path if one}
    with suppress(OSError):  # it may have been removed
        folders.discard(Path.cwd())
    return frozenset({*folders, Path(__file__).resolve().parents[1]})


_INSTALLED = _installed_folders()


@contextmanager
def guard_user_code(gate: CodeGate) -> Iterator[None]:
    """Ask `gate` about each file before it is executed, until the block is left."""
    token = _GATE.set(gate)
    sys.meta_path.insert(0, _FINDER)
    try:
        yield
    finally:
        sys.meta_path.remove(_FINDER)
        _GATE.reset(token)


def check_user_code(file: str, source: bytes) -> None:
    """Raise what the gate raises, if a file with this content may not be executed now."""
    gate = _GATE.get()
    if gate is not None:
        gate(file, sha256(source).hexdigest())


def imported_beside(source: bytes) -> dict[str, str]:
    """Return the files that code has imported and that are not installed, path -> SHA-256."""
    found = dict[str, str]()
    waiting = [source]
    while waiting:
        names = _imported_names(waiting.pop())
        for name, module in [*sys.modules.items()]:
            if name.partition(".")[0] not in names:
                continue
            file = _file_beside(getattr(module, "__spec__", None))
            if file is None or file in found:
                continue
            with suppress(OSError):
                content = Path(file).read_bytes()
                found[file] = sha256(content).hexdigest()
                waiting.append(content if file.endswith(".py") else b"")
    return found


@lru_cache(64)
def _imported_names(source: bytes) -> frozenset[str]:
    """Return the first parts of the names of modules that code imports anywhere."""
    nodes = [*ast.walk(ast.parse(source))]
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return frozenset(name.partition(".")[0] for name in named)


def _file_beside(spec: ModuleSpec | None) -> str | None:
    """Return the file of a module that is not installed; None for any other module."""
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    return _not_installed(spec.origin)


@cache  # a society is built from the same files many times, as in a sweep
def _not_installed(origin: str) -> str | None:
    file = Path(origin).resolve()
    return None if any(file.is_relative_to(one) for one in _INSTALLED) else str(file)


class _CheckedLoader(SourceFileLoader):
    """Loads a module from its source, once the gate has let it through."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source that the gate has seen."""
        source = self.get_data(self.path)
        check_user_code(self.path, source)
        return compile(source, self.path, "exec", dont_inherit=True)


class _ImportsBeside(MetaPathFinder):
    """Finds modules that are not installed, and asks the gate before they are executed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module beside the user's files; None for any other one."""
        spec = PathFinder.find_spec(fullname, path, target)
        file = _file_beside(spec)
        if spec is None or file is None:
            return None
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = _CheckedLoader(fullname, file)
        else:  # compiled, or in an archive
            check_user_code(file, Path(file).read_bytes() if Path(file).is_file() else b"")
        return spec


_FINDER = _ImportsBeside()
