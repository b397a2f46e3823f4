"""What a question looks like in words, to a mind that reads.

The words are files, looked up in several folders in order, ours last, so that a prompt pack swaps
any of them without touching code:

    SCENARIO/KIND.md        a question of this scenario; where there is none:
    MECHANISM/KIND.md       one of a mechanism that it is wrapped in; where there is none:
    any/question.md         any question, from its facts and the form of its answer
    SCENARIO/told/KIND.md   something that happened; where there is none, as above: a plain sentence
    any/PAGE.md             what is said around questions: repair, thinking, reflection

A template sees each fact by name as this agent knows it, `facts` (all of them, those that are
common to all first), `peers` (whom it sees, in order of id, each with .name and its seen facts),
`me`, `moment`, `p` (the scenario's parameters), `rules` (of the game, as its play describes them),
`scenario` and `kind`. Of agents that facts give by
the number of a life, or by a seat, `name_of(life)` and `name_at(seat)` are the names; `succession`
says how it comes about who lives on (none: nobody is born later), and `complete(graph)` whether
everybody sees everybody on a graph, as it was at the start. A question adds `options` (labels of
those that are open), `hint` (the form of the answer, options included), `thinking` (whether to
think before answering) and, but for pages, `briefs` (what the agent's faculties add).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from importlib import resources
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError, brief, nearest
from .wording import plain

if TYPE_CHECKING:
    from .members import One
    from .observations import Inquiry, News, OwnFacts
    from .reading import Legal
    from .templates import Templates

# The peers shown on each graph: their seats by name, in order of id.
Sight = Mapping[str, Mapping[str, int]]

_ANY = "any/question.md"


class Prompts:
    """The words of one scenario; `folders` that outweigh ours, the weightiest first.

    mechanisms: those that the scenario is wrapped in.
    """

    def __init__(
        self, scenario: str, folders: Sequence[Path] = (), mechanisms: Sequence[str] = ()
    ) -> None:
        self.scenario = scenario
        self.owners = (scenario, *mechanisms)
        self.folders = (*folders, Path(str(resources.files("society.scenarios"))) / "prompts")
        self._chosen: dict[str, str] = {}

    def question(
        self,
        ask: Inquiry,
        one: One,
        *,
        legal: Legal,
        sight: Sight,
        thinking: bool = False,
        page: str = "",
        more: Mapping[str, object] | None = None,
    ) -> str:
        """A question in words; raises InputError if a template fails.

        legal: what may be named in the answer. sight: the peers shown.
        page: render any/PAGE.md in place of the question, with `more` variables.
        """
        variables = self._known(ask.kind, ask.facts, one, sight) | {
            "options": list(legal.options),
            "hint": ask.reply.hint(legal),
            "thinking": thinking,
            **(more or {}),
        }
        if not page:
            variables["briefs"] = "\n\n".join(one.briefs(ask))
        name = f"any/{page}.md" if page else self._template(ask.kind) or _ANY
        words = self._templates.render(name, variables)
        if not words.strip():
            raise InputError(f"prompt {name} says nothing to agent {one.name}; put words into it")
        return words

    def told(self, tell: News, one: One) -> str:
        """Something that happened, as this agent knows it: one line if there is no template.

        A template may say nothing at all.
        """
        facts = one.own(tell)
        name = self._template(f"told/{tell.kind}")
        if name:
            sight = {graph: one.neighbours(graph) for graph in graphs_of(facts)}
            return self._templates.render(name, self._known(tell.kind, facts, one, sight))
        return sentence(tell.kind, facts)

    def hashes(self) -> dict[str, str]:
        """SHA-256 of every file that a prompt of this scenario can be made of, by name.

        Of files with the same name only the one that is used. Raises InputError for a template
        that cannot be read.
        """
        reached = self._reached(self._of_scenario(self.folders))
        files = {name: self._find(name) for name in sorted(reached)}
        return {name: sha256(file.read_bytes()).hexdigest() for name, file in files.items() if file}

    def check(self, pack: Path, kinds: Iterable[str]) -> None:
        """Raises InputError unless each file of a pack that is for this scenario is of use.

        kinds: the questions that the scenario asks. Files for other scenarios do not matter.
        """
        if not pack.is_dir():
            raise InputError(f"there is no folder {brief(pack)}; name one with prompt files")
        others = [folder for folder in self.folders if folder != pack]
        kinds = list(kinds)
        asked = {f"{owner}/{kind}.md" for owner in self.owners for kind in kinds}
        legal = self._of_scenario(others) | asked
        mine = self._of_scenario([pack])
        tales = tuple(f"{owner}/told/" for owner in self.owners)
        told = {name for name in mine if name.startswith(tales)}
        used = self._reached(legal | told)
        if strays := sorted(mine - used):
            raise InputError(
                f"{brief(pack / strays[0])} is no prompt of {self.scenario}; "
                f"{nearest(strays[0], legal)}"
            )
        if not any((pack / name).is_file() for name in used):
            raise InputError(
                f"{brief(pack)} has no prompt of {self.scenario}; "
                f"it may have: {', '.join(sorted(legal))}"
            )

    @cached_property
    def _templates(self) -> Templates:
        from .templates import Templates

        return Templates(self._find)

    def _known(self, kind: str, facts: OwnFacts, one: One, sight: Sight) -> dict[str, Any]:
        """Variables of any template."""
        common_first = sorted(facts, key=lambda name: facts.scope(name) != "common")
        known = {name: _python(facts[name]) for name in common_first}
        return known | {
            "facts": known,
            "peers": _shown(facts, one, sight),
            "me": one.name,
            "name_of": one.name_of,
            "name_at": one.name_at,
            "succession": one.succession,
            "complete": one.complete,
            "moment": one.moment,
            "p": one.params,
            "rules": one.rules,
            "scenario": _spaced(self.scenario),
            "kind": kind,
        }

    def _template(self, kind: str) -> str:
        """The scenario's own template, or "" where there is none."""
        if kind not in self._chosen:
            names = (f"{owner}/{kind}.md" for owner in self.owners)
            self._chosen[kind] = next((name for name in names if self._find(name)), "")
        return self._chosen[kind]

    def _find(self, name: str) -> Path | None:
        """The weightiest file of a name; none outside the folders."""
        if ".." in PurePosixPath(name).parts or PurePosixPath(name).is_absolute():
            return None
        files = (folder / name for folder in self.folders)
        return next((file for file in files if file.is_file()), None)

    def _of_scenario(self, folders: Iterable[Path]) -> set[str]:
        """Names of the files that these folders have for this scenario or for any."""
        return {
            name
            for folder in folders
            for part in (*self.owners, "any")
            for name in _names(folder, part)
        }

    def _reached(self, names: Iterable[str]) -> set[str]:
        """These names, and those of all templates that they include, one by the other."""
        reached: set[str] = set()
        waiting = set(names)
        while waiting:
            name = waiting.pop()
            reached.add(name)
            if name.endswith(".md") and self._find(name):
                found = self._templates.references(name)
                if None in found:  # computed as it is rendered: it could be any
                    found |= {other for folder in self.folders for other in _names(folder, "")}
                waiting |= {other for other in found if other is not None} - reached
        return reached


def sentence(kind: str, facts: OwnFacts) -> str:
    """A line and its facts as this agent knows them: "harvested: catch 4.2, effort 0.4"."""
    known = ", ".join(f"{_spaced(name)} {plain(facts[name])}" for name in facts)
    return f"{_spaced(kind)}: {known}" if known else _spaced(kind)


def graphs_of(facts: OwnFacts) -> list[str]:
    """The graphs on which some of these facts are seen."""
    return list(dict.fromkeys(fact.graph for fact in facts.facts.values() if fact.graph))


def _names(folder: Path, part: str) -> Iterator[str]:
    """Names of the files below one part of a folder, as templates are named."""
    for file in (folder / part).rglob("*"):
        name = file.relative_to(folder)
        if file.is_file() and not any(piece.startswith(".") for piece in name.parts):
            yield name.as_posix()


def _shown(facts: OwnFacts, one: One, sight: Sight) -> list[SimpleNamespace]:
    """Each peer in sight, in order of id, with what is seen of it."""
    shown: dict[str, dict[str, Any]] = {}
    for graph, peers in sight.items():
        seats = list(peers.values())
        seen = {
            name: fact.values[one.replicate, seats].tolist()
            for name, fact in facts.facts.items()
            if fact.graph == graph
        }
        for place, peer in enumerate(peers):
            known = shown.setdefault(peer, {"name": peer})
            for name, values in seen.items():
                known[name] = values[place]
    seats_of = {name: seat for peers in sight.values() for name, seat in peers.items()}
    return [SimpleNamespace(**shown[name]) for name in one.in_order(seats_of)]


def _python(value: Any) -> Any:
    """A number as Python's own, so that templates can reckon with it; of several a list."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def _spaced(name: str) -> str:
    return name.replace("_", " ")
