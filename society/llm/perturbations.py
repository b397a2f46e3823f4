"""Perturbations: the same question in other words, to see whether an answer hangs on them.

A perturbation changes the messages of a call and leaves the information in them as it is, but for
personal names, which suggest gender and origin where numbers do not. What a perturbation has
renamed is named back in the reply, so that scripts, records of answers and prompts of other
agents have the names that there always were. One perturbation is in force in a whole run: it is a
setting of the scenario file, `perturbation`, and so part of what a run is known by. An installed
package brings more of them by the entry points `society.perturbations` (society.plugins).

Source: ours. That answers of language models depend on the order and the labels of options is seen
in Zheng et al. 2024 (arXiv 2309.03882) and Pezeshkpour and Hruschka 2024 (arXiv 2308.11483).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from society import index
from society.engine.action_spaces import ActionSpace, Choice, Legal, MixedStrategy, fields
from society.errors import CatalogueError, PartError, suggest
from society.plugins import Plugin, find_plugin, plugin_names, usable_plugins

Reword = Callable[[str, "Vocabulary"], str]


@dataclass(frozen=True)
class Vocabulary:
    """The words of one question that perturbations may rename, or must leave alone.

    noun: of its agents, "villager". labels: the options and actions that can be chosen.
    """

    noun: str = ""
    labels: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """The labels that are mere codes, such as "B" or "A0"; an "A" could be an article."""
        return tuple(one for one in self.labels if _CODE.fullmatch(one))


def _no_names(known: Vocabulary) -> Mapping[str, str]:
    return {}


def _no_templates() -> Mapping[str, Path]:
    return {}


@dataclass(frozen=True)
class Perturbation:
    """A change of words that leaves what they say.

    summary: what it changes, as a clause. renamed: the new word for each that it renames, named
    back in replies. reword: from the words of a message to others. reverses: whether options and
    peers are turned round before the question is put into words. names_agents: whether agents that
    have a number get personal names. templates: those that stand in for ours, by name.
    """

    name: str
    summary: str
    renamed: Callable[[Vocabulary], Mapping[str, str]] = _no_names
    reword: Reword = lambda words, _: words
    reverses: bool = False
    names_agents: bool = False
    templates: Callable[[], Mapping[str, Path]] = _no_templates

    def arrange(self, legal: Legal) -> Legal:
        """Return what may be named in an answer, in the order in which it is to be shown."""
        if not self.reverses:
            return legal
        return legal._replace(options=_reversed(legal.options), peers=_reversed(legal.peers))

    def rename(self, words: str, known: Vocabulary) -> str:
        """Name things otherwise in words that are to be read or filled in."""
        pairs = self.renamed(known)
        words = replace_words(words, {**{new: old for old, new in pairs.items()}, **pairs})
        return _with_personal_names(words, known) if self.names_agents else words

    def change(self, words: str, known: Vocabulary) -> str:
        """Return the words of a message, changed."""
        return self.reword(self.rename(words, known), known)

    def restore(self, words: str, known: Vocabulary) -> str:
        """Name things in a reply as they were named before.

        Who answers by an old name is understood as well, unless it has become that of another.
        """
        if self.names_agents:
            words = _with_numbers(words, known)
        return replace_words(words, {new: old for old, new in self.renamed(known).items()})


_CODE = re.compile(r"[B-HJ-MO-UW-Z]|[A-Z]\d")  # A and I are words, and stand for N and V
_NUMBER = re.compile(r"(?<![\w.,-])(\d+)(\.\d+)?(?![\w-]|[.,]\d)")
_ADDRESSED = re.compile(r"(?m)^You are (?=(?:an?|one of) |[a-z]+ \d)")
_OTHER_NOUNS = {"villager": "resident", "agent": "participant", "player": "contestant"}
_UNITS = {"coin": "token", "point": "credit", "dollar": "florin"}
# Given names from many places, none of them a word of English.
_PERSONS = (
    *("Aiko", "Bruno", "Chidi", "Devika", "Emre", "Farah", "Goran", "Hanna", "Imani", "Jonas"),
    *("Kaveh", "Lena", "Mateo", "Noor", "Olga", "Priya", "Quentin", "Rosalia", "Samir", "Tomas"),
    *("Ursula", "Viktor", "Wanjiru", "Xenia", "Yusuf", "Zofia"),
)
_PERSON = re.compile(rf"(?<![\w-])({'|'.join(_PERSONS)})(\d*)(?![\w-])")
_LISTED = re.compile(r"(one of these names: )([^\n]*?)(, or nobody)")
_ENUM = re.compile(r'("enum": \[)([^\]]*?)(, "nobody"\])')
_OPENING = "Read what follows with care; your reply is asked for at its end.\n\n"


def vocabulary(reply: ActionSpace, legal: Legal, noun: str) -> Vocabulary:
    """Collect the words of a question that can be renamed."""
    actions = [
        action
        for part in fields(reply).values()
        if isinstance(part, MixedStrategy)
        for action in part.actions
    ]
    options = list(legal.options) if isinstance(reply, Choice) else []
    return Vocabulary(noun, tuple(dict.fromkeys([*options, *actions])))


def personal_name(number: int) -> str:
    """Give the personal name of an agent from its number.

    >>> personal_name(2), personal_name(26)
    ('Chidi', 'Aiko2')
    """
    around, place = divmod(number, len(_PERSONS))
    return f"{_PERSONS[place]}{around + 1 if around else ''}"


def _with_personal_names(words: str, known: Vocabulary) -> str:
    """Call agents by personal names, wherever a number names one: alone, in a list, as options.

    >>> _with_personal_names("You are villager 2, not villagers 0, 1.", Vocabulary("villager"))
    'You are Chidi, not Aiko, Bruno.'
    """
    if not known.noun:
        return words

    noun = rf"(?<![\w-])[{known.noun[0].upper()}{known.noun[0]}]{re.escape(known.noun[1:])}"
    several = re.compile(rf"{noun}s (\d+(?:, \d+)+)(?![\w-]|\.\d)")
    words = several.sub(lambda found: _each_named(found[1]), words)
    alone = re.compile(rf"{noun} (\d+)(?![\w-]|[.,]\d)")
    words = alone.sub(lambda found: personal_name(int(found[1])), words)
    words = _LISTED.sub(lambda found: f"{found[1]}{_each_named(found[2])}{found[3]}", words)
    return _ENUM.sub(lambda found: f"{found[1]}{_each_named(found[2])}{found[3]}", words)


def _each_named(names: str) -> str:
    """Name each of the agents in a list that are called by a number alone."""
    alone = re.compile(r"(?<![\w.-])\d+(?![\w-]|\.\d)")
    return alone.sub(lambda number: personal_name(int(number[0])), names)


def _with_numbers(words: str, known: Vocabulary) -> str:
    """Call agents by the noun and the number that they had before."""
    if not known.noun:
        return words

    def number(found: re.Match[str]) -> str:
        if found[2] and int(found[2]) < 2:  # no name of ours
            return found[0]
        around = int(found[2]) - 1 if found[2] else 0
        return f"{known.noun} {around * len(_PERSONS) + _PERSONS.index(found[1])}"

    return _PERSON.sub(number, words)


def _reversed(named: Mapping[str, int]) -> dict[str, int]:
    return dict(reversed([*named.items()]))


def replace_words(words: str, others: Mapping[str, str]) -> str:
    """Replace whole words by others, all at once; a capital at the start of a word stays.

    >>> replace_words("A coin. Coins!", {"coin": "token", "coins": "tokens"})
    'A token. Tokens!'
    """
    both = {_capital(old): _capital(new) for old, new in others.items()} | dict(others)
    if not both:
        return words
    listed = "|".join(sorted(map(re.escape, both), key=len, reverse=True))
    return re.sub(rf"(?<![\w-])(?:{listed})(?![\w-])", lambda found: both[found[0]], words)


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _with_plurals(pairs: Mapping[str, str]) -> dict[str, str]:
    return {**pairs, **{f"{one}s": f"{other}s" for one, other in pairs.items()}}


def _other_noun(known: Vocabulary) -> dict[str, str]:
    other = _OTHER_NOUNS.get(known.noun, "participant")
    return _with_plurals({known.noun: other}) if known.noun else {}


def _other_codes(known: Vocabulary) -> dict[str, str]:
    """Name each code by the letter thirteen places on: "A0" becomes "N0"."""
    return {code: chr((ord(code[0]) - 52) % 26 + 65) + code[1:] for code in known.codes}


def _other_units(known: Vocabulary) -> dict[str, str]:
    return _with_plurals({one: other for one, other in _UNITS.items() if one not in known.labels})


def _other_numbers(words: str, known: Vocabulary) -> str:
    """Write 1234.5 as 1,234.50; labels of options stay as they are."""

    def other(found: re.Match[str]) -> str:
        whole, behind = found[1], found[2] or ""
        if found[0] in known.labels or (whole.startswith("0") and len(whole) > 1):
            return found[0]
        return f"{int(whole):,}{behind}{'0' if behind else ''}"

    return _NUMBER.sub(other, words)


PERTURBATIONS: Mapping[str, Perturbation] = {
    one.name: one
    for one in (
        Perturbation("options_reversed", "options and peers stand in reverse order", reverses=True),
        Perturbation("labels", "options that are called by a code have other codes", _other_codes),
        Perturbation("names", "agents go by another noun", _other_noun),
        Perturbation(
            "numbers",
            "numbers have commas at thousands, and a zero more behind the point",
            reword=_other_numbers,
        ),
        Perturbation("units", "coins, points and dollars have other names", _other_units),
        Perturbation(
            "persona",
            "whoever is addressed is told to play a part",
            reword=lambda words, _: _ADDRESSED.sub("You play the part of ", words),
        ),
        Perturbation(
            "opening",
            "a sentence stands before each question",
            reword=lambda words, _: _OPENING + words,
        ),
        Perturbation(
            "personal_names", "agents have personal names in place of numbers", names_agents=True
        ),
        Perturbation(
            "paraphrase",
            "questions, rules and news are put in other words",
            templates=lambda: index.packs()["paraphrase"],
        ),
    )
}


def perturbations() -> dict[str, Perturbation]:
    """All perturbations by name, those that installed packages bring after ours."""
    return {**PERTURBATIONS, **usable_plugins("perturbations", PERTURBATIONS, _load)}


def find_perturbation(name: str) -> Perturbation:
    """Find a perturbation by its name; raises CatalogueError, PartError."""
    brought = find_plugin("perturbations", name, PERTURBATIONS)
    if brought is None and name not in PERTURBATIONS:
        raise CatalogueError(f"there is no perturbation {name!r}; {suggest(name, _names())}")
    return PERTURBATIONS[name] if brought is None else _load(brought)


def _load(plugin: Plugin) -> Perturbation:
    """Load a perturbation of an installed package; raises PartError for what is none."""
    found = plugin.load()
    if isinstance(found, Perturbation) and found.name == plugin.name:
        return found
    what = f"is called {found.name!r}" if isinstance(found, Perturbation) else f"is {found!r:.60}"
    raise PartError(
        f"{plugin.origin} brings {plugin.name!r} among its perturbations, but {plugin.target} "
        f"{what}; expected a Perturbation of this name; mend the package, or uninstall it"
    )


def _names() -> list[str]:
    return [*PERTURBATIONS, *plugin_names("perturbations")]


def _known(name: str) -> str:
    if name not in _names():
        raise ValueError(f"there is no perturbation {name!r}; {suggest(name, _names())}")
    return name


PerturbationName = Annotated[str, AfterValidator(_known)]
