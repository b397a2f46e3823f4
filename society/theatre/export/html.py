"""A replay as one HTML page that needs nothing else: no request, no library.

The page shows the frames of a terminal with a slider and keys, and below them what a terminal has
no room for: each round in words, a page for every agent, its exchanges with models. All of it is
data, apart from the script: packed as JSON, unpacked by the browser, and put into the page as text
alone. The page's policy allows its own script and style, by their hashes, and nothing else.

Lines and sentences are kept once each; a frame is a list of numbers of lines.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Hashable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED
from society.engine.rng import Array
from society.llm.call_tables import Call
from society.text import round_figures
from society.theatre.frame import Frame, Size, agent_of
from society.theatre.history import BORDER, History, Mark
from society.visible import visible_text

from .retelling import Retelling, ToldLife, call_heading
from .styled_text import DARK, LIGHT, Theme, class_names, style_rules, styled_runs

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_BYTES = 3_000_000  # of a page, beyond its first replicate and the least of its exchanges
MOST_FRAMES = 1_000  # of all replicates together, beyond the first one
LEAST_CALL_BYTES = 1_000_000  # of exchanges with models, if there are so many
_ENCODED = 4 / 3  # bytes of base64 for one of data

Item = TypeVar("Item", bound=Hashable)


class PackedSize:
    """Counts the bytes that data will take in the page, about."""

    def __init__(self) -> None:
        self._packer, self.bytes = zlib.compressobj(), 0.0

    def add(self, data: object) -> None:
        """Count some more data."""
        self.bytes += len(self._packer.compress(json.dumps(data).encode())) * _ENCODED


class Numbered(Generic[Item]):
    """Items by number, each kept and counted once."""

    def __init__(self, size: PackedSize) -> None:
        self._numbers: dict[Item, int] = {}
        self._size = size

    def __call__(self, item: Item) -> int:
        """Return the number of an item."""
        number = self._numbers.get(item)
        if number is None:
            number = self._numbers[item] = len(self._numbers)
            self._size.add(item)
        return number

    def __iter__(self) -> Iterator[Item]:
        return iter(self._numbers)


class ReplayPage:
    """A page in the making: replicates are added one by one, then it is rendered."""

    def __init__(self, history: History, size: Size, first: int, last: int) -> None:
        self.history, self.size, self.first, self.last = history, size, first, last
        self._packed = packed = PackedSize()
        self._styles, self._texts = Numbered[str](packed), Numbered[str](packed)
        self._lines = Numbered[tuple[str | int, ...]](packed)
        self._seats = Numbered[tuple[int | None, ...]](
            packed
        )  # of whom the lines of a frame are about
        self._replicates: dict[int, dict[str, Any]] = {}
        self._told: dict[int, Retelling] = {}
        self._opening = ""  # the first frame, for browsers without scripts

    @property
    def full(self) -> bool:
        """Whether another replicate would be too much."""
        count, rounds = self.replicates, self.last - self.first + 1
        size = self._packed.bytes
        return count > 0 and (size * (1 + 1 / count) > MOST_BYTES or rounds * count >= MOST_FRAMES)

    def add(self, replicate: int, frames: Iterable[Frame]) -> None:
        """Add a replicate; frames: from the first round to the last."""
        course, told = self.history.course(replicate), Retelling(self.history, replicate)
        rounds, shown = [], []
        for one, frame in zip(told.rounds(self.first, self.last), frames, strict=True):
            self._opening = self._opening or frame.plain
            events = [
                [self._texts(label), [*map(self._texts, items)]] for label, items in one.events
            ]
            rounds.append([self._texts(one.title), events])
            seats = tuple(map(agent_of, frame.lines))
            shown.append([self._seats(seats), *map(self._line, frame.lines)])
        self._told[replicate] = told
        self._replicates[replicate] = {
            "name": self._name(replicate),
            "rounds": rounds,
            "frames": shown,
            "marks": [self._mark(mark) for mark in course.marks if self._has(mark)],
            "agents": [self._agent(life, course.own) for life in told.lives],
            "calls": [],
        }
        self._packed.add(self._replicates[replicate])

    @property
    def replicates(self) -> int:
        """The number of replicates so far."""
        return len(self._replicates)

    def finish(self) -> Iterator[str]:
        """Add the exchanges with models; yield notes on what is left out of the page."""
        yield from self._others()
        yield from self._exchanges()

    def render(self, title: str, lead: str, notes: Iterable[str], speed: float) -> str:
        """Render the page. lead: a line below the title. speed: rounds per second."""
        data = {
            "size": self.size,
            "speed": speed,
            "columns": [*self._columns()],
            "replicates": [*self._replicates.values()],
            "styles": [*self._styles],
            "lines": [*self._lines],
            "seats": [*self._seats],
            "texts": [*self._texts],
        }
        packed = zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)
        script, style = _part("replay.js"), "\n".join([_part("replay.css"), *self._colours()])
        return (
            _environment()
            .get_template("replay.html")
            .render(
                title=title,
                lead=lead,
                notes=notes,
                opening=self._opening,
                data=b64encode(packed).decode(),
                script=script,
                style=style,
                script_hash=_hash(script),
                style_hash=_hash(style),
            )
        )

    def _line(self, line: Text) -> int:
        runs = ((run, class_names(run.style)) for run in styled_runs(line))
        # A run whose cells are not its signs says how many these are.
        parts = (
            (run.text, self._styles(names), run.cells if run.cells != len(run.text) else 0)
            for run, names in runs
        )
        return self._lines(tuple(chain.from_iterable(parts)))

    def _name(self, replicate: int) -> str:
        """The number of a replicate; of a match, with the types that meet."""
        manifest = self.history.manifest
        if len(manifest.types) == 1:
            return str(replicate)
        types = manifest.types[replicate % len(manifest.types)]
        names = [manifest.cohorts[one].name for one in types if one >= 0]
        return visible_text(f"{replicate}: {' – '.join(names)}")

    def _has(self, mark: Mark) -> bool:
        return self.first <= mark.round <= self.last and mark.lane != BORDER

    def _mark(self, mark: Mark) -> list[int]:
        words = map(self._texts, (mark.lane, visible_text(mark.words)))
        return [mark.round - self.first, *words, mark.agent]

    def _agent(self, life: ToldLife, own: dict[str, Array]) -> dict[str, Any]:
        first, last = life.first - self.first, life.last - self.first
        values = [own[name][life.first : life.last + 1, life.seat].tolist() for name in own]
        return {
            "name": life.name,
            "type": life.type,
            "seat": life.seat,
            "first": first,
            "last": last,
            "values": [[_figure(value) for value in column] for column in values],
            "said": [[number - self.first, self._texts(words)] for number, words in life.said],
        }

    def _columns(self) -> Iterator[list[str]]:
        """Yield names and units of the columns that agents have."""
        for name in self.history.course(next(iter(self._replicates))).own:
            spec = self.history.manifest.specs.get(name, UNSPECIFIED)
            yield [visible_text(name), visible_text(spec.unit)]

    def _others(self) -> Iterator[str]:
        """Say which replicates are left out."""
        there, here = self.history.manifest.replicates, list(self._replicates)
        if len(here) < there:
            which = f"replicate {here[0]}" if len(here) == 1 else f"replicates 0 to {here[-1]}"
            yield f"the page holds {which} of {there:,}; --replicate R exports another one"

    def _exchanges(self) -> Iterator[str]:
        """Add the exchanges with models to the replicates; say which are left out."""
        limit, kept, count = max(MOST_BYTES, self._packed.bytes + LEAST_CALL_BYTES), 0, 0
        for call in self.history.run.calls():
            address = call.request.address
            told = not address.bare and address.replicate in self._told
            if told and self.first <= call.round <= self.last:
                # Once one is left out, all later ones are.
                if kept == count and self._packed.bytes < limit:
                    exchange = self._call(call)
                    self._packed.add(exchange)
                    self._replicates[address.replicate]["calls"].append(exchange)
                    kept += 1
                count += 1
        if kept < count:
            yield (
                f"the page holds the first {kept:,} of {count:,} exchanges with models; "
                f"society show {self.history.run.path.name} --calls prints all"
            )

    def _call(self, call: Call) -> list[Any]:
        address = call.request.address
        life = self._told[address.replicate].life_on(address.agent, call.round)
        messages = [[one.role, self._text_lines(one.content)] for one in call.request.messages]
        return [
            call.round - self.first,
            life,
            self._texts(visible_text(call_heading(call))),
            [*messages, ["reply", self._text_lines(call.said.text)]],
        ]

    def _text_lines(self, text: str) -> list[int]:
        return [self._texts(visible_text(line)) for line in text.split("\n")]

    def _colours(self) -> Iterator[str]:
        yield from _scheme(self._styles, LIGHT)
        dark = "".join(_scheme(self._styles, DARK))
        yield f"@media screen and (prefers-color-scheme: dark) {{{dark}}}"


def _scheme(used: Iterable[str], theme: Theme) -> Iterator[str]:
    yield f":root{{--paper:{theme.paper};--ink:{theme.ink};--soft:{theme.colours[8]};"
    yield f"--link:{theme.colours[4]}}}"
    yield from style_rules(used, theme)


def _figure(value: float) -> float | None:
    return None if value != value else round_figures(value)


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _part(name: str) -> str:
    """Read the script or the style of the page."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("society.theatre.export", "")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
