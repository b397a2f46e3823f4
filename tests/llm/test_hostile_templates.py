"""A prompt pack from anywhere: its templates neither hang, nor eat memory, nor look around."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from society.errors import InputError
from society.llm.prompt_files import Prompts
from society.llm.templates import Templates

Render = Callable[..., str]


@pytest.fixture
def render(tmp_path: Path) -> Render:
    """`render(text, facts=[1])` renders a template of a pack."""

    def rendered(text: str, **variables: Any) -> str:
        (tmp_path / "a.md").write_text(text)
        (tmp_path / "self.md").write_text("{% include 'self.md' %}{% include 'self.md' %}")
        (tmp_path / "leaf.md").write_text("leaf")
        return Templates(tmp_path.joinpath).render("a.md", variables)

    return rendered


@pytest.fixture
def little_memory() -> Iterator[None]:
    """Allow 2 GB more than now, so that a test that fails does not take the machine along."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (now + 2**31, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def loops(count: int, inner: str = "x", size: int = 99_999) -> str:
    opened = "".join(f"{{% for i{n} in range({size}) %}}" for n in range(count))
    return opened + inner + "{% endfor %}" * count


def doubled(start: str, step: str, times: int = 60) -> str:
    return f"{{% set x = {start} %}}" + f"{{% set x = {step} %}}" * times + "{{ x|length }}"


HOSTILE = {
    "long range": "{% for i in range(10**9) %}x{% endfor %}",
    "two loops": loops(2),
    "three loops without words": loops(3, ""),
    "thirty loops": loops(30, "x", 2),
    "loop with its variable": "{% for i in range(90000) %}" + loops(1, "{{ loop.index }}")
    + "{% endfor %}",
    "filtered loop": "{% for i in range(90000) %}{% for j in range(90000) if j < 0 %}{% endfor %}"
    "{% endfor %}",
    "recursive loop": "{% for i in [range(9999)] recursive %}{{ loop([range(9999)]) }}{% endfor %}",
    "broad recursive loop": "{% for i in range(9) recursive %}{{ loop(range(9)) }}{% endfor %}",
    "macro that calls itself": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "macro that calls itself twice": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}"
    "{% endmacro %}{{ f(60) }}",
    "caller that calls itself": "{% macro f(n) %}{% if n %}{% call f(n-1) %}x{% endcall %}"
    "{% call f(n-1) %}x{% endcall %}{% endif %}{% endmacro %}{{ f(60) }}",
    "include of itself": "{% include 'a.md' %}",
    "include of itself twice": "{% include 'self.md' %}",
    "includes in a loop": loops(2, "{% include 'leaf.md' %}"),
    "block that shows itself": "{% block b %}{{ self.b() }}{{ self.b() }}{% endblock %}",
    "extends itself": "{% extends 'a.md' %}",
    "repeated text": "{{ 'a' * 10**9 }}",
    "repeated text, turned": "{{ 10**9 * 'a' }}",
    "repeated list": "{{ ([0] * 10**9)|length }}",
    "repeated tuple": "{{ ((0,) * 10**9)|length }}",
    "power": "{{ 10**(10**10) }}",
    "power of two": "{{ 2**(2**40) }}",
    "powers in turns": doubled("10", "x ** 100", 9),
    "product of itself": doubled("10**9", "x * x", 60).replace("{{ x|length }}", "{{ x }}"),
    "sum of itself": doubled("'aa'", "x + x"),
    "list and itself": doubled("[1, 2]", "x + x"),
    "tilde": doubled("'aa'", "x ~ x"),
    "set block": "{% set x %}aaaaaaaaaa{% endset %}"
    + "{% set x %}{{ x }}{{ x }}{{ x }}{{ x }}{% endset %}" * 30,
    "filter block": "{% filter upper %}" + loops(1, "{{ 'a' * 100000 }}") + "{% endfilter %}",
    "join": doubled("'aa'", "[x, x]|join"),
    "join with itself": doubled("'aaaaaaaa'", "x|join(x)"),
    "method join": doubled("'aaaaaaaa'", "x.join(x)"),
    "replace": doubled("'aaaaaaaa'", "x|replace('a', x)"),
    "replace nothing": doubled("'aaaaaaaa'", "x.replace('', x)"),
    "format by percent": "{{ '%10000000000d' % 1 }}",
    "format by star": "{{ '%*d' % (10**9, 1) }}",
    "format by decimals": "{{ '%.1000000000f' % 1 }}",
    "format by name": "{{ '%(a)10000000000s' % {'a': 1} }}",
    "format filter": "{{ '%10000000000d'|format(1) }}",
    "format many": "{% set x = 'a' * 900000 %}{{ ('%s' * 400000) % ([x] * 400000) }}",
    "format by braces": "{{ '{:10000000000}'.format(1) }}",
    "format by braces within": "{{ '{:{}}'.format(1, 10**10) }}",
    "format_map": "{{ '{a:10000000000}'.format_map({'a': 1}) }}",
    "format repeated": "{{ ('{0}' * 300000).format('a' * 900000) }}",
    "center": "{{ 'x'|center(10**10) }}",
    "center that is constant": "{{ 'x'|center(10000000000) }}",
    "method center": "{{ 'x'.center(10**10) }}",
    "ljust": "{{ 'x'.ljust(9999999999) }}",
    "zfill": "{{ 'x'.zfill(9999999999) }}",
    "expandtabs": "{{ ('\\t' * 900000).expandtabs(90000) }}",
    "translate": "{{ ('a' * 900000).translate({97: 'b' * 900000}) }}",
    "bytes": "{{ 'x'.encode().ljust(9999999999) }}",
    "to_bytes": "{{ (1).to_bytes(9999999999, 'big') }}",
    "indent": "{{ 'x'|indent(10**10, true) }}",
    "indent lines": "{{ ('x\\n' * 400000)|indent(90000) }}",
    "indent by text": "{{ ('x\\n' * 400000)|indent('a' * 900000) }}",
    "wordwrap": "{{ ('x ' * 400000)|wordwrap(1, wrapstring='a' * 900000) }}",
    "batch": "{{ []|batch(10**10, 'x')|list }}{{ [1]|batch(10**10, 'x')|list }}",
    "slice": "{{ [1]|slice(10**10)|list }}",
    "round": "{{ 1.5|round(10**10, 'ceil') }}",
    "tojson": "{{ [[[1]]]|tojson(indent=10**10) }}",
    "sum of lists": "{% set x = range(99999)|list %}{{ ([x] * 99999)|sum(start=[])|length }}",
    "map of a wide filter": "{{ range(9)|map('center', 10**10)|list }}",
    "sorted in a loop": loops(1, "{% set y = range(99999)|list|sort %}"),
    "lipsum": "{{ lipsum(n=10**9) }}",
    "pprint": "{{ range(99999)|list|pprint }}",
    "output": loops(1, "{{ 'a' * 1000000 }}"),
    "output of lists": "{% set x = range(99999)|list %}" + loops(1, "{{ x }}"),
    "lists in a block": "{% set x = range(99999)|list %}{% set y %}" + loops(1, "{{ x }}")
    + "{% endset %}",
    "upper in a loop": "{% set x = 'a' * 1000000 %}" + loops(1, "{{ x|upper }}{{ x.upper() }}"),
    "texts in a list": "{% set n = namespace(l=[]) %}"
    + loops(1, "{% set n.l = n.l + ['a' * 1000000] %}"),
    "deep brackets": "{{ " + "(" * 50_000 + "1" + ")" * 50_000 + " }}",
    "deep lists": "{{ " + "[" * 3_000 + "]" * 3_000 + " }}",
    "many minus signs": "{{ " + "-" * 100_000 + "1 }}",
    "huge file": "x" * 300_000,
    "long number": "{{ " + "9" * 200_000 + " }}",
}  # fmt: skip


# What only the clock ends takes 5 s each; "output of lists" is one of them, too.
SLOW = {"sorted in a loop", "lists in a block", "output of lists"}


@pytest.mark.usefixtures("little_memory", "watchdog")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=[pytest.mark.thorough] if name in SLOW else [])
        for name, text in HOSTILE.items()
    ],
)
def test_a_template_without_end_is_refused_with_its_line(text: str, render: Render) -> None:
    with pytest.raises(InputError, match=r"(?s)(a|self)\.md"):
        render(text)


ESCAPES = {
    "class": "{{ ''.__class__.__mro__ }}",
    "class by item": "{{ ''['__class__'] }}",
    "class by attr": "{{ ''|attr('__class__')|attr('__mro__') }}",
    "class by map": "{{ ['']|map(attribute='__class__')|list|first|attr('mro') }}",
    "globals": "{{ render.__globals__ }}",
    "builtins": "{{ self.__init__.__globals__ }}",
    "format": "{{ '{0.__class__.__mro__}'.format(1) }}",
    "format by map": "{{ '{a.__class__.__mro__}'.format_map({'a': 1}) }}",
    "format in a variable": "{% set f = '{0.__class__}'.format %}{{ f(1) }}",
    "generator": "{{ (f for f in []).gi_frame }}",
    "cycler": "{{ cycler.__init__.__globals__ }}",
    "namespace": "{{ namespace.__init__ }}",
    "joiner": "{{ joiner('x')['__class__'] }}",
    "import": "{% import 'os' as os %}{{ os }}",
    "include above": "{% include '../../../etc/passwd' %}",
    "include absolutely": "{% include '/etc/passwd' %}",
    "subclasses": "{{ ().__class__.__base__.__subclasses__() }}",
    "once": "{{ ''.upper|once }}",
    "chance": "{{ range(9)|random }}",
}


@pytest.mark.parametrize("text", ESCAPES.values(), ids=ESCAPES)
def test_a_template_does_not_leave_its_sandbox(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "pack" / "any"
    folder.mkdir(parents=True)
    (folder / "question.md").write_text(text)
    prompts = Prompts("parlour", [folder.parent])
    with pytest.raises(InputError):
        prompts._templates.render("any/question.md", {"render": test_words_are_rendered})


@pytest.mark.parametrize(
    "change",
    ["x.append(1)", "x.clear()", "x.extend(x)", "d.update({'a': 1})", "d.pop('b')", "x.sort()",
     "d.setdefault('c', 1)", "p.values.append(1)"],
)  # fmt: skip
def test_a_template_changes_nothing_that_it_is_given(change: str, render: Render) -> None:
    given = {"x": [2, 1], "d": {"b": 1}, "p": SimpleNamespace(values=[1])}
    with pytest.raises(InputError, match="unsafe"):
        render(f"{{% set _ = {change} %}}", **given)
    assert given["x"] == [2, 1]
    assert given["d"] == {"b": 1}


# What passes


def test_words_are_rendered(render: Render) -> None:
    text = """\
{%- macro name(x) %}<{{ x }}>{% endmacro -%}
{% for x in items if x > 1 %}{{ loop.index }}/{{ loop.length }}:{{ name(x) }} {% endfor %}
{{ '%s has %.1f' % ('Ann', 2) }}, {{ 'a' ~ 1 }}, {{ 2 ** 10 }}, {{ '-' * 3 }}
{{ 'x'|center(5)|replace(' ', '.') }} {{ ['b', 'a']|sort|join(' and ') }} {{ 'x\ny'|indent(2) }}
{{ '{} {:>4}'.format('a', 7) }} {{ items|sum }} {{ 2.345|round(1) }} {{ items|tojson }}"""
    assert render(text, items=[1, 2, 3]) == (
        "1/2:<2> 2/2:<3> Ann has 2.0, a1, 1024, ---\n..x.. a and b x\n  y\na    7 6 2.3 [1, 2, 3]"
    )


def test_a_long_list_has_its_length_and_its_end(render: Render) -> None:
    text = "{% for x in items %}{% if loop.last %}{{ loop.length }} {{ x }}{% endif %}{% endfor %}"
    assert render(text, items=list(range(5_000))) == "5000 4999"


def test_a_thousand_neighbours_with_their_facts_are_shown(render: Render) -> None:
    text = (
        "{% for p in peers %}{{ p.name }}: {{ p.catch|number }}, {{ p.norm|fenced }}\n{% endfor %}"
    )
    peers = [SimpleNamespace(name=str(n), catch=0.5, norm="fish " * 20) for n in range(1_000)]
    assert len(render(text, peers=peers)) > 100_000


def test_each_rendering_has_steps_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("{% for i in range(50000) %}x{% endfor %}")
    templates = Templates(tmp_path.joinpath)
    for _ in range(10):
        assert len(templates.render("a.md", {})) == 50_000


# Files of a pack


def pack_with(tmp_path: Path, name: str = "fishing_village") -> Path:
    folder = tmp_path / "pack" / name
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("what", ["file", "folder", "relative", "chain", "partial"])
def test_a_link_that_leads_out_of_a_pack_is_refused(what: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "effort.md").write_text("the key of the house")
    pack = tmp_path / "pack"
    pack.mkdir()
    link = pack / "fishing_village" / "effort.md"
    if what == "folder":
        link.parent.symlink_to(secret)
    else:
        link.parent.mkdir()
    if what == "file":
        link.symlink_to(secret / "effort.md")
    elif what == "relative":
        link.symlink_to("../../secret/effort.md")
    elif what == "chain":
        (link.parent / "b.md").symlink_to(secret / "effort.md")
        link.symlink_to("b.md")
    elif what == "partial":
        (link.parent / "part.md").symlink_to(secret / "effort.md")
        link.write_text("{% include 'fishing_village/part.md' %}")
    prompts = Prompts("fishing_village", [pack])
    for act in (
        lambda: prompts.check(pack, ["effort"]),
        prompts.hashes,
        lambda: prompts._templates.render("fishing_village/effort.md", {}),
    ):
        with pytest.raises(InputError, match=r"leads out of the folder .*pack.*; copy the file"):
            act()


def test_a_link_within_a_pack_is_followed(tmp_path: Path) -> None:
    folder = pack_with(tmp_path)
    (folder / "words.txt").write_text("the same")
    (folder / "effort.md").symlink_to("words.txt")
    prompts = Prompts("fishing_village", [tmp_path / "pack"])
    assert prompts._templates.render("fishing_village/effort.md", {}) == "the same"


def test_a_pack_may_itself_be_a_link(tmp_path: Path) -> None:
    (pack_with(tmp_path) / "effort.md").write_text("words")
    (tmp_path / "link").symlink_to("pack")
    prompts = Prompts("fishing_village", [tmp_path / "link"])
    assert prompts._templates.render("fishing_village/effort.md", {}) == "words"


def test_a_prompt_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = pack_with(tmp_path) / "effort.md"
    with file.open("wb") as opened:
        opened.truncate(50 * 2**30)  # fifty gigabytes, of which the disk holds nothing
    prompts = Prompts("fishing_village", [tmp_path / "pack"])
    for act in (lambda: prompts.check(tmp_path / "pack", ["effort"]), prompts.hashes):
        with pytest.raises(InputError, match=r"effort\.md has 53,687,091,200 bytes; a prompt may"):
            act()


@pytest.mark.parametrize("sort", ["pipe", "loop", "device"])
def test_what_is_no_file_is_no_prompt(sort: str, tmp_path: Path) -> None:
    """A pipe would be waited for, and a device read, for ever."""
    file = pack_with(tmp_path) / "effort.md"
    if sort == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to("effort.md" if sort == "loop" else "/dev/zero")
    prompts = Prompts("fishing_village", [tmp_path / "pack"])
    with pytest.raises(InputError, match="has no prompt of fishing_village"):
        prompts.check(tmp_path / "pack", ["effort"])
