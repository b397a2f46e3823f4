"""Includes of templates, written out before they are compiled.

Each include costs jinja2 a context and a generator through which all its words pass, which takes as
long as to write the words. `{% include "a.md" %}` therefore becomes `{% with %}...{% endwith %}`
around the text of a.md, within which names are looked up and set as in an included template.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_INCLUDE = re.compile(r"""\{% include ["']([^"']+)["'] %\}""")
_FOR = re.compile(r"\{%-? *for\b")
_SET = re.compile(r"\{%-? *set +(\w+)")
# A template that is derived from another one, or whose blanks a tag behind it would take away.
_KEPT = re.compile(r"\{%-? *(?:extends|block|raw)\b|[ \t]\Z")


def write_out(source: str, find: Callable[[str], str | None], above: tuple[str, ...] = ()) -> str:
    """Return a template with the text of those that it includes, and of those that they include.

    find: gives the text of a template, None if there is none. above: those in which it stands. An
    include stays as it is where writing it out could change what is said.
    """

    def write(tag: re.Match[str]) -> str:
        name = tag[1]
        text = None if name in above else find(name)
        if text is None or _KEPT.search(text):
            return tag[0]
        inner = write_out(text.removesuffix("\n"), find, (*above, name))
        # What is set below the tag would be looked up here, and not be there yet.
        later = _SET.findall(source, tag.end())
        hidden = [*later, "loop"] if _FOR.search(source) else later  # of a loop around the tag
        if any(re.search(rf"\b{name}\b", inner) for name in hidden):
            return tag[0]
        # The first line break behind a tag is left out.
        first = "\n" if inner.startswith("\n") else ""
        return f"{{% with %}}{first}{inner}{{% endwith %}}"

    return source if _KEPT.search(source.rstrip(" \t")) else _INCLUDE.sub(write, source)
