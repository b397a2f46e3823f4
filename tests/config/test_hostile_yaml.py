"""A scenario file from anywhere: refused in words, at once, however it is made to be endless."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from society.config.yaml_source import read_yaml, value_of
from society.errors import FileError, InputError, ScenarioError


def laughs(make: Callable[[str], str], first: str, levels: int = 9) -> str:
    """Each line holds the one before nine times."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} {make(', '.join([f'*a{n - 1}'] * 9))}" for n in range(1, levels + 1)]
    return "\n".join(lines) + "\n"


MANY = "more than 100,000 values"
LARGE = "more than 1,000,000 bytes"
LEVELS = "fewer levels"

HOSTILE = {
    "large": ("a: " + "x" * 3_000_000, LARGE),
    "large comment": ("# " + "x" * 3_000_000, LARGE),
    "large and empty": ("\n" * 3_000_000, LARGE),
    "many in brackets": ("a: [" + "1," * 400_000 + "]", MANY),
    "many lines": ("- 1\n" * 200_000, MANY),
    "many empty lines": ("\n" * 500_000, MANY),
    "many keys": ("".join(f"k{n}: 1\n" for n in range(100_001)), MANY),
    "many dashes": ("- " * 400_000, MANY),
    "many question marks": ("? " * 400_000, MANY),
    "laughs": (laughs("[{}]".format, "[x, x, x]"), MANY),
    "laughs in mappings": (laughs("{{x: [{}]}}".format, "{x: 1}"), MANY),
    "laughs in merges": (laughs("{{<<: [{}]}}".format, "{x: 1}"), MANY),
    "quadratic": ("a: &a [" + "x," * 5_000 + "]\nb: [" + "*a," * 5_000 + "]", MANY),
    "quadratic merge": (
        "a: &a {" + ",".join(f"k{n}: 1" for n in range(1_000)) + "}\n"
        + "".join(f"b{n}: {{<<: *a}}\n" for n in range(1_000)), MANY,
    ),
    "deep lists": ("[" * 5_000, LEVELS),
    "deep lists that close": ("[" * 5_000 + "]" * 5_000, LEVELS),
    "deep mappings": ("{a: " * 5_000 + "1" + "}" * 5_000, LEVELS),
    "deep and wide": ("[{a: " * 300 + "1" + "}]" * 300, LEVELS),
    "deep dashes": ("- " * 20_000, LEVELS),
    "deep lines": ("".join(" " * n + "a:\n" for n in range(500)), LEVELS),
    "itself": ("&a [*a]", LEVELS),
    "itself in a mapping": ("&a {b: *a}", LEVELS),
    "itself in a merge": ("&a {<<: *a}", LEVELS),
    "two that hold each other": ("&a [&b [*a, *b]]", LEVELS),
    "long number": ("a: " + "9" * 100_000, "numbers of usual size"),
    "long number by tag": ("a: !!int '" + "9" * 100_000 + "'", "numbers of usual size"),
    "code": ("a: !!python/object/apply:os.system ['id']", "could not determine a constructor"),
    "object": ("a: !!python/name:os.system", "could not determine a constructor"),
    "own tag": ("%TAG ! tag:evil,2000:\n---\na: !x 1", "could not determine a constructor"),
    "list as key": ("? [a, b]\n: 1", "expected texts as keys"),
    "two documents": ("a: 1\n---\nb: 2", "another document"),
    "the same key": ("a: 1\na: 2", "duplicate key"),
    "zero": ("a: \0", "unacceptable character"),
    "escape": ("a: \x1b[31m", "unacceptable character"),
    "date": ("a: 2001-01-01T00:00:00+99:99", "offset must be"),
}  # fmt: skip


@pytest.mark.usefixtures("watchdog")
@pytest.mark.parametrize(("text", "words"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused_before_it_is_unfolded(
    text: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(ScenarioError, match=words) as refused:
        read_yaml(file)
    assert "a.yaml" in str(refused.value)
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize(
    "text", [text for name, (text, _) in HOSTILE.items() if "large" not in name]
)
def test_the_same_is_refused_on_the_command_line(text: str) -> None:
    with pytest.raises(InputError, match=r"^--set x="):
        value_of(text, "--set x=...")


def test_a_file_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    with (tmp_path / "a.yaml").open("wb") as file:
        file.truncate(50 * 2**30)
    with pytest.raises(ScenarioError, match=LARGE):
        read_yaml(tmp_path / "a.yaml")


@pytest.mark.parametrize("sort", ["pipe", "device"])
def test_a_pipe_or_device_is_not_waited_for(sort: str, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    if sort == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to("/dev/zero")
    with pytest.raises(FileError, match="it is a device or a pipe; name a file"):
        read_yaml(file)


def test_anchors_merges_and_tables_are_welcome(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    table = "".join(f"  - [{n}, 0.5, name {n}]\n" for n in range(1_000))
    file.write_text(f"base: &b {{x: 1}}\nmore: {{<<: *b, y: 2}}\ntable:\n{table}")
    said, positions = read_yaml(file)
    assert said["more"] == {"x": 1, "y": 2}
    assert len(said["table"]) == 1_000
    assert positions["more", "y"].value.endswith("a.yaml:2:19")


def test_a_file_that_is_called_like_an_option_is_shown_as_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("--set a.yaml").write_text("a: 1")
    assert read_yaml(Path("--set a.yaml"))[1]["a",].value == "./--set a.yaml:1:4"
