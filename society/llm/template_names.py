"""What a template reads and says, found in its syntax tree.

It reads variables surely, or on some condition. It says words of its own, beside those that it is
given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jinja2 import meta, nodes

# Two words after each other, but for the name of whoever is addressed, which follows "You are".
_TWO_WORDS = re.compile(r"[^\W\d_]{2,}[,;:.]? +[^\W\d_]{2,}")
_ADDRESS = re.compile(r"You are [a-z]*\s*$")
_GUARDS = ("defined", "undefined", "default", "d")


class NamesRead(NamedTuple):
    """Variables that a template reads and does not set itself, each with its first line.

    always: whenever it is rendered. sometimes: in a branch, a loop or a macro. asked: variables of
    which it asks whether they are there. assigned: variables that it sets, which those that it
    includes see. included: templates that it always includes.
    """

    always: Mapping[str, int]
    sometimes: Mapping[str, int]
    asked: frozenset[str]
    assigned: frozenset[str]
    included: frozenset[str]

    @property
    def vocabulary(self) -> set[str]:
        """All variables that it reads or asks about."""
        return {*self.always, *self.sometimes, *self.asked}


def names_read(parsed: nodes.Template) -> NamesRead:
    """Look through a template."""
    return _Reader(parsed).read()


def says_words(parsed: nodes.Template) -> bool:
    """Tell whether a template says anything that other words could say as well."""
    return any(_TWO_WORDS.search(_ADDRESS.sub("", text)) for text in _texts(parsed))


def _texts(node: nodes.Node) -> Iterator[str]:
    """Yield the texts in a template, but for those that something is only compared with."""
    if isinstance(node, nodes.TemplateData):
        yield node.data
    elif isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value
    elif not isinstance(node, nodes.Compare):
        for child in node.iter_child_nodes():
            yield from _texts(child)


class _Reader:
    def __init__(self, parsed: nodes.Template) -> None:
        self.parsed, self.undeclared = parsed, meta.find_undeclared_variables(parsed)
        self.undeclared -= set(parsed.environment.globals) if parsed.environment else set()
        self.always, self.sometimes = dict[str, int](), dict[str, int]()
        self.asked, self.included = set[str](), set[str]()

    def read(self) -> NamesRead:
        self._look(self.parsed, surely=True)
        assigned = {one.name for one in self.parsed.find_all(nodes.Name) if one.ctx != "load"}
        return NamesRead(
            self.always,
            {name: line for name, line in self.sometimes.items() if name not in self.always},
            frozenset(self.asked),
            frozenset(assigned),
            frozenset(self.included),
        )

    def _look(self, node: nodes.Node, *, surely: bool) -> None:
        if isinstance(node, nodes.Name) and node.name in self.undeclared:
            (self.always if surely else self.sometimes).setdefault(node.name, node.lineno)
        if isinstance(node, (nodes.Test, nodes.Filter)) and node.name in _GUARDS:
            self.asked |= {one.name for one in node.find_all(nodes.Name)}
        if isinstance(node, nodes.Include) and surely and isinstance(node.template, nodes.Const):
            self.included.add(str(node.template.value))
        first = _evaluated_first(node)
        for child in node.iter_child_nodes():
            self._look(child, surely=surely and (first is None or child is first))


def _evaluated_first(node: nodes.Node) -> nodes.Node | None:
    """Return the part of a conditional node that is evaluated in any case; None for other nodes."""
    match node:
        case nodes.If() | nodes.CondExpr():
            return node.test
        case nodes.For():
            return node.iter
        case nodes.And() | nodes.Or():
            return node.left
        case nodes.CallBlock():
            return node.call
        case nodes.Macro():
            return node  # none of its parts
    return None
