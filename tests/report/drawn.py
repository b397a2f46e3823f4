"""What stands in the SVG of figures: series with their colours, sizes of text, lines and marks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

_SERIES = re.compile(r"series-(\d+)-\d+$")
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_FIGURE = re.compile(
    r'(<svg [^>]*data-view="wide".*?</svg>).*?<script type="application/json">(.*?)</script>', re.S
)
_RULE = re.compile(r"^\.(d\d+) \{ (.*) \}$", re.M)
_SIZE = re.compile(r"(?:font-size:|font:[^;]*?)\s*([\d.]+)px")


class Stroke(NamedTuple):
    """A line, mark or area: the ids of the groups around it, its colour and opacity.

    line: True for what is stroked or small, False for the inside of an area.
    """

    within: str
    colour: str
    opacity: float
    line: bool

    @property
    def seen(self) -> str:
        """Its colour, mixed with white paper as far as that shines through."""
        parts = (int(self.colour[at : at + 2], 16) for at in (1, 3, 5))
        mixed = (round(part * self.opacity + 255 * (1 - self.opacity)) for part in parts)
        return "#" + "".join(f"{part:02x}" for part in mixed)


def series_of_page(page: str) -> Iterator[dict[str, set[str]]]:
    """Yield the colours of each series by its label, figure by figure."""
    rules = dict(_RULE.findall(page))
    for svg, data in _FIGURE.findall(page):
        labels = json.loads(data)["labels"]
        colours = dict[str, set[str]]()
        for group in ElementTree.fromstring(svg).iter():
            if found := _SERIES.search(group.get("id", "")):
                own = ElementTree.tostring(group, "unicode")
                styles = " ".join(rules[name] for name in re.findall(r'class="([^"]*)"', own))
                colours.setdefault(labels[int(found[1])], set()).update(_COLOUR.findall(styles))
        yield colours


def text_sizes(svg: str) -> list[float]:
    """Sizes of all text of an SVG, in points of its width."""
    return [float(size) for size in _SIZE.findall(svg)]


def strokes(svg: str) -> Iterator[Stroke]:
    """Yield what is drawn, below the ids of its groups; definitions and clips left out."""
    yield from _strokes(ElementTree.fromstring(svg[svg.index("<svg") :]), "")


def _strokes(element: ElementTree.Element, within: str) -> Iterator[Stroke]:
    kind = element.tag.rpartition("}")[2]
    if kind in {"defs", "clipPath", "text", "metadata"}:
        return
    within = f"{within}/{element.get('id', '')}" if element.get("id") else within
    style = dict(re.findall(r"([\w-]+):\s*([^;]+)", element.get("style", "")))
    if kind in {"path", "use", "rect"} and style:
        every = float(style.get("opacity", 1))
        for paint, line in (("stroke", True), ("fill", kind == "use")):
            if _COLOUR.fullmatch(style.get(paint, "")):
                yield Stroke(
                    within, style[paint], every * float(style.get(f"{paint}-opacity", 1)), line
                )
    for inner in element:
        yield from _strokes(inner, within)
