"""The drawings of a page: one style sheet for all of them, in place of a style at each stroke.

Matplotlib writes the whole style at each element, a name at each group, and a clip at each line.
A page has a class for each style (`d0`, `d1`, ...), names only where something refers to them, and
no groups that say nothing. What is seen stays the same, and so do the names of series, by which a
page finds them (`read_out.name_series`). Files keep their drawings as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree

from .style import Figure

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_HREF, _GROUP, _STYLE = f"{{{_XLINK}}}href", f"{{{_SVG}}}g", f"{{{_SVG}}}style"
_REFERS = re.compile(r"url\(#([^)]*)\)")
_SERIES = re.compile(r"series-\d+-\d+$")


class PageDrawings(NamedTuple):
    """The drawings of figures as a page has them, by the name of the figure: wide, then narrow.

    rules: the style sheet that all of them share.
    """

    wide: Mapping[str, str]
    narrow: Mapping[str, str]
    rules: str

    @classmethod
    def of(cls, figures: Iterable[Figure]) -> PageDrawings:
        """Shorten the drawings of a page's figures; their names differ."""
        wide, narrow = dict[str, ElementTree.Element](), dict[str, ElementTree.Element]()
        for number, figure in enumerate(figures):
            wide[figure.name] = _shortened(figure.inline, f"w{number}-")
            if figure.inline_narrow:
                narrow[figure.name] = _shortened(figure.inline_narrow, f"n{number}-")
        every = [*wide.values(), *narrow.values()]
        classes = _classes(every)
        for drawing in every:
            _use_classes(drawing, classes)
        rules = "\n".join(f".{name} {{ {style} }}" for style, name in classes.items())
        return cls(_written(wide), _written(narrow), rules)


def _shortened(drawing: str, prefix: str) -> ElementTree.Element:
    """Read a drawing; leave out names and groups without use, and shorten the other names."""
    root = ElementTree.fromstring(drawing)
    wanted = {name for element in root.iter() for name in _referred(element)}
    for element in root.iter():
        name = element.get("id", "")
        if found := _SERIES.search(name):
            element.set("id", f"{prefix}{found[0]}")
        elif name and name not in wanted:
            del element.attrib["id"]
    short = {name: f"{prefix}{place}" for place, name in enumerate(sorted(wanted & _names(root)))}
    for element in root.iter():
        _rename(element, short)
    _drop_groups(root)
    return root


def _names(root: ElementTree.Element) -> set[str]:
    return {element.get("id", "") for element in root.iter()}


def _referred(element: ElementTree.Element) -> Iterator[str]:
    """The names that an element refers to."""
    if element.get(_HREF, "").startswith("#"):
        yield element.get(_HREF, "")[1:]
    for value in element.attrib.values():
        yield from _REFERS.findall(value)


def _rename(element: ElementTree.Element, short: Mapping[str, str]) -> None:
    """Use other names in what an element is called, and in what it refers to."""
    for key, value in element.attrib.items():
        if key == "id" or (key == _HREF and value.startswith("#")):
            sign = "#" if key == _HREF else ""
            name = value.removeprefix(sign)
            element.set(key, f"{sign}{short.get(name, name)}")
        elif "url(#" in value:
            names = _REFERS.sub(lambda found: f"url(#{short.get(found[1], found[1])})", value)
            element.set(key, names)


def _drop_groups(element: ElementTree.Element) -> None:
    """Put what is in groups that say nothing in their place; no blank text between elements."""
    kept: list[ElementTree.Element] = []
    for inner in element:
        _drop_groups(inner)
        inner.tail = None
        if inner.tag == _GROUP and not inner.attrib:
            kept.extend(inner)
        elif inner.tag != _STYLE:
            kept.append(inner)
    element[:] = kept
    if not (element.text or "").strip():
        element.text = None


def _classes(drawings: Iterable[ElementTree.Element]) -> dict[str, str]:
    """Name each style, the most frequent one first."""
    counts = Counter(
        element.get("style", "")
        for drawing in drawings
        for element in drawing.iter()
        if element is not drawing
    )
    del counts[""]
    return {style: f"d{place}" for place, (style, _) in enumerate(counts.most_common())}


def _use_classes(drawing: ElementTree.Element, classes: Mapping[str, str]) -> None:
    for element in drawing.iter():
        if element is not drawing and (style := element.attrib.pop("style", "")):
            element.set("class", classes[style])


def _written(drawings: Mapping[str, ElementTree.Element]) -> dict[str, str]:
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return {name: ElementTree.tostring(one, "unicode") for name, one in drawings.items()}
