"""Prompt files are Jinja2 templates: strict about names, and sandboxed, since packs are shared.

With template_limits and template_names the only module that imports jinja2; these are imported by
the first prompt that is rendered, or that is checked.
"""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
)
from functools import cached_property, lru_cache
from linecache import getline
from pathlib import Path
from traceback import walk_tb
from types import CodeType, SimpleNamespace
from typing import Any

from jinja2 import (
    Environment,
    FunctionLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    meta,
    nodes,
)
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.nodes import EvalContext
from jinja2.runtime import Context, Macro
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import missing

from society.errors import InputError, short_path, suggest
from society.text import format_fact, format_number, quote_text

from .template_includes import write_out
from .template_limits import LARGEST_TEMPLATE, BoundedEnvironment
from .template_names import NamesRead, names_read, says_words

# All that a template can do wrong: of Python's own errors those that its expressions can raise.
_FAILURES = (
    TemplateError,
    ArithmeticError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,  # of Python, which knows no more than twenty loops within each other
    TypeError,
    ValueError,
)
_PLAIN = frozenset({bool, int, float, str, tuple, list})
_UNKNOWN = re.compile(r"'(\w+)' is undefined")
_LACKING = re.compile(r"'.* object' has no attribute '(\w+)'")


class _Context(Context):
    """The variables of a template; what few templates need is made when it is needed.

    Every include makes one, which takes jinja2 as long as to write the words.
    """

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: Mapping[str, Callable[[Context], Iterator[str]]],
        globals: MutableMapping[str, Any] | None = None,
    ) -> None:
        self.environment, self.name, self.parent = environment, name, parent
        self.vars: dict[str, Any] = {}
        self.exported_vars: set[str] = set()
        self.blocks = {block: [render] for block, render in blocks.items()} if blocks else {}
        self._globals = globals

    @cached_property
    def eval_ctx(self) -> EvalContext:  # type: ignore[override]
        """How text is escaped."""
        return EvalContext(self.environment, self.name)

    @cached_property
    def globals_keys(self) -> set[str]:  # type: ignore[override]
        """The names that every template knows."""
        return set(self._globals or ())


class _Template(Template):
    """A template that goes through its variables once to make a context."""

    def new_context(
        self,
        vars: dict[str, Any] | None = None,
        shared: bool = False,
        locals: Mapping[str, Any] | None = None,
    ) -> Context:
        known = vars or {}
        parent = known if shared else {**self.globals, **known}
        if locals:
            here = {name: value for name, value in locals.items() if value is not missing}
            parent = {**parent, **here}
        return _Context(self.environment, parent, self.name, self.blocks, self.globals)


class _Sandbox(SandboxedEnvironment):
    """A sandbox that looks at nothing twice, which saves a third of its time.

    What is seen of a peer is plain data. An attribute which is safe to read is so for all objects
    of that type. A macro comes from a template, and wants nothing that the sandbox would add.
    """

    context_class = _Context
    template_class = _Template

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._safe = set[tuple[type, str]]()
        self._compiled: dict[str, Template] = {}

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is SimpleNamespace:
            known = vars(obj)
            if attribute in known:
                return known[attribute]
        key = type(obj), attribute
        if key in self._safe:
            value = getattr(obj, attribute, None)
            if type(value) in _PLAIN:
                return value
        value = super().getattr(obj, attribute)
        if type(value) in _PLAIN:  # methods are looked at each time
            self._safe.add(key)
        return value

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        if type(obj) is not Macro:
            return super().call(context, obj, *args, **kwargs)
        for hidden in ("_loop_vars", "_block_vars"):  # for functions that ask for the context
            kwargs.pop(hidden, None)
        return obj(*args, **kwargs)

    def get_template(
        self,
        name: str | Template,
        parent: str | None = None,
        globals: MutableMapping[str, Any] | None = None,
    ) -> Template:
        """Return a template, which was compiled once and knows the same globals for ever."""
        found = self._compiled.get(name) if isinstance(name, str) else name
        if found is None:
            found = self._compiled[str(name)] = super().get_template(name, parent, globals)
        return found

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """A dictionary, not layers of them, since every include goes through all names."""
        return dict(super().make_globals(d))


class _BoundedSandbox(BoundedEnvironment, _Sandbox):
    """A sandbox with limits, for templates that did not come with the program."""

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.spend()
        return super().call(context, obj, *args, **kwargs)


class _Compiled(BytecodeCache):
    """Code of all templates of this process: runs have environments of their own."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load code by name, file and text: what was compiled from another text is not it."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        assert bucket.code is not None, "jinja2 dumps what it has compiled"
        self._codes[bucket.key, bucket.checksum] = bucket.code


# Code knows nothing of the environment that compiled it, but counts its steps or does not.
_COMPILED, _COMPILED_BOUNDED = _Compiled(), _Compiled()


class Templates:
    """Templates by name, compiled once; `find` tells which file has a name, if any has.

    own: whether all of them came with the program, so that none needs limits, which take a third
    of the time.
    """

    def __init__(self, find: Callable[[str], Path | None], *, own: bool = False) -> None:
        self._find, self._own = find, own
        self._files: set[str] = set()
        self._environment = self._make_environment(self._written_out if own else self._loaded)

    def _make_environment(
        self, load: Callable[[str], tuple[str, str, None]]
    ) -> SandboxedEnvironment:
        make, own = _Sandbox if self._own else _BoundedSandbox, self._own
        environment = make(
            loader=FunctionLoader(load),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
            bytecode_cache=_COMPILED if own else _COMPILED_BOUNDED,
        )
        environment.filters |= {
            "number": format_number,
            "fenced": quote_text,
            "plain": format_fact,
            "seen": _seen,
            # The macro itself is part of the key: one that knows a context is made anew for each.
            "once": lru_cache(maxsize=256, typed=True)(_once),
        }
        return environment

    def render(self, name: str, variables: Mapping[str, Any]) -> str:
        """A template with its variables filled in; raises InputError with file and line."""
        bounds = self._environment if isinstance(self._environment, BoundedEnvironment) else None
        if bounds:
            bounds.enter()
        try:
            return self._environment.get_template(name).render(variables).strip("\n")
        except _FAILURES as error:
            raise self._refused(
                self._at_its_place(error, name, variables), name, variables
            ) from error
        finally:
            if bounds:
                bounds.leave()

    def _at_its_place(self, error: Exception, name: str, variables: Mapping[str, Any]) -> Exception:
        """Return an error with its file and line, which includes that are written out hide."""
        if self._own:
            try:
                self._make_environment(self._loaded).get_template(name).render(variables)
            except _FAILURES as same:
                return same
        return error

    @property
    def rendered(self) -> set[Path]:
        """The files that were rendered so far, on their own or as a part of others."""
        return set(map(Path, self._files))

    def references(self, name: str) -> set[str | None]:
        """The templates that this one includes, extends or imports; None: one that it computes.

        Raises InputError.
        """
        try:
            return set(_referenced(self._source(name)[0], name))
        except TemplateError as error:
            raise self._refused(error, name, {}) from error

    def names(self, name: str) -> NamesRead:
        """The variables that a template reads. Raises InputError."""
        try:
            source, _, _ = self._loaded(name)
            return names_read(self._environment.parse(source, name))
        except TemplateError as error:
            raise self._refused(error, name, {}) from error

    def says_words(self, name: str) -> bool:
        """Tell whether a template has words of its own. Raises InputError."""
        try:
            return says_words(self._environment.parse(self._source(name)[0], name))
        except TemplateError as error:
            raise self._refused(error, name, {}) from error

    def unknown_attributes(self, name: str, legal: Mapping[str, Collection[str]]) -> list[str]:
        """List messages about attributes that a template reads and its variable lacks.

        legal: the attributes of some variables, by name. Those that the template itself sets, or
        asks about (`is defined`, `default`), do not count. Raises InputError.
        """
        try:
            source, file = self._source(name)
            parsed = Environment().parse(source, name)
        except TemplateError as error:
            raise self._refused(error, name, {}) from error
        set_here = {one.name for one in parsed.find_all(nodes.Name) if one.ctx != "load"}
        asked = {
            id(inner)
            for outer in parsed.find_all((nodes.Test, nodes.Filter))
            if outer.name in ("defined", "undefined", "default", "d")
            for inner in outer.find_all(nodes.Getattr)
        }
        found = []
        for one in parsed.find_all(nodes.Getattr):
            variable = one.node.name if isinstance(one.node, nodes.Name) else ""
            if (
                variable in set_here
                or id(one) in asked
                or one.attr in legal.get(variable, (one.attr,))
            ):
                continue
            found.append(
                f"{short_path(file)}:{one.lineno}: {variable} has no {one.attr!r}; "
                f"{suggest(one.attr, legal[variable])}"
            )
        return found

    def _loaded(self, name: str) -> tuple[str, str, None]:
        """Load a template that is about to be rendered."""
        source, file = self._source(name)
        self._files.add(file)
        return source, file, None

    def _written_out(self, name: str) -> tuple[str, str, None]:
        """Load a template with all that it includes."""
        source, file, _ = self._loaded(name)

        def find(inner: str) -> str | None:
            return None if self._find(inner) is None else self._loaded(inner)[0]

        return write_out(source, find, (name,)), file, None

    def _source(self, name: str) -> tuple[str, str]:
        """Return the text of a template, and its file."""
        file = self._find(name)
        if file is None:
            raise TemplateNotFound(name)
        try:
            if (size := file.stat().st_size) > LARGEST_TEMPLATE:
                raise InputError(
                    f"{short_path(file)} has {size:,} bytes; a prompt may have {LARGEST_TEMPLATE:,}"
                )
            source = file.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise InputError(
                f"cannot read {short_path(file)}: {error}; prompts are UTF-8"
            ) from error
        return source, str(file)

    def _refused(self, error: Exception, name: str, variables: Mapping[str, Any]) -> InputError:
        """Make the error for a template: what is wrong, and where."""
        if isinstance(error, TemplateSyntaxError):
            file, line = self._find(error.name or name), error.lineno
        else:
            file, line = self._place(error, name)
        words = str(error)
        if isinstance(error, TemplateNotFound):
            words = f"there is no prompt {error.name!r} beside it, and none of ours"
        elif unknown := _UNKNOWN.fullmatch(words):
            words += f"; {suggest(unknown[1], variables)}"
        elif lacking := _LACKING.fullmatch(words):
            words = f"there is no attribute {lacking[1]!r}"
            reading = re.search(rf"(\w+)\.{lacking[1]}\b", getline(str(file), line))
            if reading and reading[1] in variables:
                legal = [one for one in _names_in(variables[reading[1]]) if one[0] != "_"]
                words = f"{reading[1]} has no {lacking[1]!r}; {suggest(lacking[1], legal)}"
        return InputError(f"{short_path(file) if file else name}:{line}: {words}")

    def _place(self, error: Exception, name: str) -> tuple[Path | None, int]:
        """The innermost template file and line of a traceback."""
        calls = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
        inside = [(Path(file), line) for file, line in calls if file in self._files]
        return inside[-1] if inside else (self._find(name), 1)


@lru_cache(maxsize=1024)  # every run looks through the same files
def _referenced(source: str, name: str) -> frozenset[str | None]:
    """The templates that a source includes, extends or imports."""
    return frozenset(meta.find_referenced_templates(Environment().parse(source, name)))


def _names_in(value: object) -> Iterable[str]:
    """The attributes of a variable; of parameters the fields, and not what pydantic adds."""
    fields = getattr(type(value), "model_fields", None)
    return vars(value) if fields is None and hasattr(value, "__dict__") else fields or ()


def _once(macro: Macro, *given: Hashable) -> str:
    """Call a macro; the same call again is answered from memory."""
    if type(macro) is not Macro:  # the sandbox looks at calls, and not at what filters call
        raise TypeError(f"once is for macros, and {macro!r} is none")
    return macro(*given)


def _seen(peer: SimpleNamespace) -> list[str]:
    """List the names of the facts that are seen of a peer."""
    return [name for name in vars(peer) if name != "name"]
