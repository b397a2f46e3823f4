"""Includes that are written out say what they said, and errors are told where they arise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from society import index
from society.errors import InputError
from society.llm.template_includes import write_out
from society.llm.templates import Templates


def both(folder: Path, files: Mapping[str, str], **variables: Any) -> tuple[str, str]:
    """What a.md says, with includes written out and as they stand."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")

    def find(name: str) -> Path | None:
        return folder / name if (folder / name).exists() else None

    return Templates(find, own=True).render("a.md", variables), Templates(find).render(
        "a.md", variables
    )


def test_an_include_becomes_the_text_of_its_file() -> None:
    files = {"b.md": "You own {{ fish }} fish.\n", "c.md": "Well?\n"}
    words = write_out('Day 1.\n{% include "b.md" %}\n{% include "c.md" %}\n', files.get)
    assert words == (
        "Day 1.\n{% with %}You own {{ fish }} fish.{% endwith %}\n{% with %}Well?{% endwith %}\n"
    )


SAID = {
    "plain": {"a.md": 'One.\n{% include "b.md" %}\nThree.\n', "b.md": "Two.\n"},
    "in a line": {"a.md": 'One, {% include "b.md" %}, three.\n', "b.md": "two\n"},
    "empty lines": {"a.md": 'One.\n{% include "b.md" %}\nThree.', "b.md": "\nTwo.\n\n"},
    "nested": {
        "a.md": '{% include "b.md" %}\nThree.',
        "b.md": 'One.\n{% include "c.md" %}\n',
        "c.md": "Two.\n",
    },
    "blanks before the tag": {"a.md": 'One.\n  {% include "b.md" %}\nThree.', "b.md": "Two.\n"},
    "blanks at the end": {"a.md": 'One.\n{% include "b.md" %}\nThree.', "b.md": "Two.\n  "},
    "set within": {
        "a.md": '{% set fish = 1 %}{% include "b.md" %} {{ fish }}',
        "b.md": "{% set fish = 2 %}{{ fish }}\n",
    },
    "set before": {
        "a.md": '{% set fish = 1 %}{% include "b.md" %}',
        "b.md": "{{ fish }} {{ day is defined }}\n",
    },
    "set after": {
        "a.md": '{% include "b.md" %}{% set day = 1 %}{{ day }}',
        "b.md": "{{ day is defined }} {{ day }}\n",
    },
    "in a loop": {
        "a.md": '{% for one in [1, 2] %}\n{% include "b.md" %}\n{% endfor %}',
        "b.md": "{{ one }} of {{ loop.length if loop is defined else 0 }}\n",
    },
    "in a branch": {
        "a.md": '{% if day == 7 %}\n{% include "b.md" %}\n{% else %}\nWork!\n{% endif %}',
        "b.md": "Sunday.\n",
    },
    "a macro": {
        "a.md": '{% include "b.md" %}',
        "b.md": "{% macro fish(n) %}{{ n }} of day {{ day }}{% endmacro %}{{ fish(3) }}\n",
    },
    "imported": {
        "a.md": '{% include "b.md" %}',
        "b.md": '{% from "c.md" import fish with context %}{{ fish(3) }}\n',
        "c.md": "{% macro fish(n) %}{{ n }} of day {{ day }}{% endmacro %}\n",
    },
    "derived": {
        "a.md": '{% include "b.md" %}',
        "b.md": '{% extends "c.md" %}{% block what %}fish{% endblock %}',
        "c.md": "Catch {% block what %}nothing{% endblock %}!",
    },
}


@pytest.mark.parametrize("name", SAID)
def test_the_same_is_said(tmp_path: Path, name: str) -> None:
    written_out, as_it_stands = both(tmp_path, SAID[name], day=7)
    assert written_out == as_it_stands != ""


def test_a_template_that_includes_itself_is_refused_as_before(tmp_path: Path) -> None:
    files = {"a.md": '{% if day %}{% include "b.md" %}{% endif %}', "b.md": '{% include "a.md" %}'}
    with pytest.raises(InputError, match="recursion"):
        both(tmp_path, files, day=7)


def test_an_error_is_told_with_the_file_and_line_of_the_include(tmp_path: Path) -> None:
    files = {"a.md": 'One.\n{% include "b.md" %}\n', "b.md": "Two.\n\n{{ fsh }}\n"}
    with pytest.raises(InputError, match=r"b\.md:3: 'fsh' is undefined; did you mean 'fish'"):
        both(tmp_path, files, fish=7)


def test_nearly_all_includes_of_ours_are_written_out() -> None:
    """The others set a name below the include, or stand beside a loop."""
    pages = {name: file.read_text(encoding="utf-8") for name, file in index.prompts().items()}
    including = {name for name, text in pages.items() if "{% include" in text}
    left = {name for name in including if "{% include" in write_out(pages[name], pages.get)}
    assert len(left) <= 7
    assert len(including) > 80
    assert not any(name.startswith(("language_village", "donor_game")) for name in left)
