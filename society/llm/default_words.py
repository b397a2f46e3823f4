"""Words for questions and events without a template: built from what the author has declared.

the scenario    the first line of its docstring
parameters      pydantic's description, and a unit: public rules, unless marked private
facts           FactSpec: text, unit and labels, unless marked private
the question    the sentence of its Ask, or of a Tell, in which {name} is a fact or parameter
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from string import Formatter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from society.engine.fact_specs import UNSPECIFIED, FactSpec, parameter_spec
from society.errors import ScenarioError, suggest
from society.text import format_fact, format_number, round_figures

if TYPE_CHECKING:
    from society.engine.script import Ask, Tell

_SEEN = "{seen}"  # in a sentence


class Wording(NamedTuple):
    """The words of one scenario: its summary, and its facts by name."""

    summary: str = ""
    facts: Mapping[str, FactSpec] = {}

    def spec(self, name: str) -> FactSpec:
        return self.facts.get(name, UNSPECIFIED)

    def value(self, name: str, value: Any) -> str:
        """A fact with its unit, or its label: "84.33 litres a second", "open"."""
        return describe_value(value, self.spec(name))

    def line(self, name: str, value: Any) -> str:
        """A fact as an entry of a list: "Water in the canal: 84.33 litres a second"."""
        return f"{self.spec(name).text or _heading(name)}: {self.value(name, value)}"

    def shown(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the names that prompts may show."""
        return (name for name in names if not self.spec(name).private)


class DefaultWords:
    """The words of any/question.md about one question, made as they are asked for."""

    def __init__(
        self,
        wording: Wording,
        params: Any,
        facts: Mapping[str, Any],
        everybody: Callable[[], Sequence[SimpleNamespace]],
        whole_name: Callable[[str], str],
        text: str = "",
        common: Collection[str] = (),
        me: str = "",
    ) -> None:
        self._wording, self._params, self._facts = wording, params, facts
        self._find, self._whole_name, self._text = everybody, whole_name, text
        self._common, self._me = common, me
        self.summary = full_stop(wording.summary)

    @property
    def rules(self) -> list[str]:
        """The parameters that everybody may know, one line each."""
        return [
            f"{spec.text[:1].upper()}{spec.text[1:]}: {describe_value(value, spec)}"
            for spec, value in _parameters(self._params).values()
            if spec.text and not spec.private and value is not None
        ]

    @cached_property
    def _everybody(self) -> Sequence[SimpleNamespace]:
        return self._find()

    @property
    def known(self) -> list[str]:
        """The facts that the agent knows, one line each, but for those that it sees of all."""
        return [*self.common, *self.own]

    @property
    def common(self) -> list[str]:
        """The facts that everybody knows, one line each."""
        return self._lines(name for name in self._facts if name in self._common)

    @property
    def own(self) -> list[str]:
        """The facts that the agent knows of itself, one line each."""
        return self._lines(name for name in self._facts if name not in self._common)

    @property
    def seen(self) -> list[str]:
        """Each peer in sight, and the agent itself among them, with what is seen, one line each.

        Words that are empty have not been said.
        """
        lines = []
        for one in self._everybody:
            known = {name: value for name, value in vars(one).items() if name != "name"}
            said = {name: value for name, value in known.items() if value != ""}
            if one.name == self._me and len(said) < len(known) and _is_unknown(said):
                continue  # one who only looks on
            name = self._whole_name(one.name)
            lines.append(self._seen_of(f"{name[:1].upper()}{name[1:]}", said))
        return lines

    @property
    def question(self) -> str:
        """The sentence of the question; "" if its author wrote none."""
        return self.sentence(self._text)

    def sentence(self, text: str) -> str:
        """A sentence with its figures filled in."""
        seen = "; ".join(self.seen) if _SEEN in text else ""
        return fill_figures(text, self._wording, self._facts, self._params, seen)

    def _lines(self, names: Iterable[str]) -> list[str]:
        of_all = {name for one in self._everybody for name in vars(one)}
        shown = self._wording.shown(name for name in names if name not in of_all)
        said = (name for name in shown if self._facts[name] != "")
        return [self._wording.line(name, self._facts[name]) for name in said]

    def _seen_of(self, agent: str, facts: Mapping[str, Any]) -> str:
        shown = self._wording.shown(facts)
        known = "; ".join(self._of_one(name, facts[name]) for name in shown)
        return f"{agent} ({known})" if known else agent

    def _of_one(self, name: str, value: Any) -> str:
        text = self._wording.spec(name).text or _spaced(name)
        return f"{text[:1].lower()}{text[1:]}: {self._wording.value(name, value)}"


def describe_value(value: Any, spec: FactSpec) -> str:
    """A value in words: its label, or a number of four significant figures with its unit.

    >>> describe_value(84.3274, FactSpec(unit="litres a second"))
    '84.33 litres a second'
    >>> describe_value(0, FactSpec(labels=("closed", "open")))
    'closed'
    """
    if isinstance(value, list | tuple):
        return ", ".join(describe_value(entry, spec) for entry in value)
    if label := spec.label(value):
        return label
    if isinstance(value, bool) or not isinstance(value, int | float):
        return format_fact(value)
    if not math.isfinite(value):
        return "none"
    return spec.with_unit(format_number(round_figures(value)))


def _is_unknown(facts: Mapping[str, Any]) -> bool:
    """Whether all of these are NaN."""
    return all(value != value for value in facts.values())


def fill_figures(
    text: str, wording: Wording, facts: Mapping[str, Any], params: Any, seen: str = ""
) -> str:
    """Fill in the facts and parameters of a sentence: "There are {stock} fish left."

    Units stand in the sentence already, and are not said again. seen: stands for {seen}, what the
    agent sees of each one, unless a fact has this name.
    """
    if "{" not in text and "}" not in text:
        return text
    known: dict[str, str] = {"seen": seen} | {
        name: describe_value(value, _without_unit(spec))
        for name, (spec, value) in _parameters(params).items()
    }
    known |= {
        name: "" if value == "" else describe_value(value, _without_unit(wording.spec(name)))
        for name, value in facts.items()
    }
    return text.format_map(known)


def check_figures(line: Ask | Tell, params: Any) -> None:
    """Raise ScenarioError for a sentence with a name that is neither a fact nor a parameter.

    Its words begin with "the text", for a place to be put before them.
    """
    legal = {*line.facts, *_parameters(params), "seen"}
    try:
        parts = list(Formatter().parse(line.text))
    except ValueError as error:
        raise ScenarioError(
            f"the text cannot be read: {error}; write {{{{ and }}}} for braces that are no figures"
        ) from None
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if name not in legal:
            raise ScenarioError(
                f"the text holds {{{name}}}, which is neither a fact of "
                f"this line nor a parameter; {suggest(name, sorted(legal))}"
            )
        if form or conversion:
            raise ScenarioError(
                f"the text says how {{{name}}} is formatted; write the "
                "name alone, since figures are rounded for you"
            )


def full_stop(sentence: str) -> str:
    """A sentence with a full stop, if it has no mark at its end; "" of a blank one."""
    bare = sentence.strip()
    return bare if not bare or bare[-1] in ".!?" else f"{bare}."


def _parameters(params: Any) -> dict[str, tuple[FactSpec, Any]]:
    """The parameters of a scenario by name, each with its words and its value."""
    if not isinstance(params, BaseModel):
        return {}
    fields = type(params).model_fields.items()
    return {name: (parameter_spec(field), getattr(params, name)) for name, field in fields}


def _without_unit(spec: FactSpec) -> FactSpec:
    return FactSpec(spec.text, "", spec.labels, spec.private)


def _heading(name: str) -> str:
    words = _spaced(name)
    return f"{words[:1].upper()}{words[1:]}"


def _spaced(name: str) -> str:
    return name.replace("_", " ")
