"""What has changed since a run was made is said by name, so that nobody has to search."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.runs.manifest import Manifest, manifest_of
from society.runs.provenance import list_changes

SETTINGS = {"agents": 2, "rounds": 1}
RULE = """
from society.engine.component import Component

class Steady(Component):
    answers = ("effort",)

    def answer(self, ask, me):
        return 0.5
"""
EFFORT = "pack/language_village/effort.md"

Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """`write("a/b.md", words)` in an empty working directory, with a pack and a rule."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, words: str) -> None:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(words)

    written(EFFORT, "How hard? {{ hint }}")
    written("pack/language_village/told/paid.md", "You were paid.")
    written("steady.py", RULE)
    return written


def village() -> Society:
    return build(load_config("language_village", {**SETTINGS, "prompts": "pack"}))


def manifest(setup: Society) -> Manifest:
    return manifest_of(setup)


def test_where_nothing_has_changed_there_is_nothing_to_say(write: Write) -> None:
    assert list_changes(manifest(village()), village()) == ""


def test_prompts_that_were_rewritten_added_or_taken_away_are_named(write: Write) -> None:
    write("pack/any/mine.md", "Mine.")
    write(EFFORT, "How hard? {{ hint }} {% include 'any/mine.md' %}")
    before = manifest(village())
    write(EFFORT, "How hard will you fish? {{ hint }}")
    Path("pack/any/mine.md").unlink()
    write("pack/language_village/told/landed.md", "You landed it.")
    assert list_changes(before, village()) == (
        "; changed since: prompt any/mine.md is missing, "
        "prompt language_village/effort.md has changed, "
        "prompt language_village/told/landed.md is new"
    )


def test_of_many_prompts_three_are_named(write: Write) -> None:
    before = manifest(village())
    for name in "abcde":
        write(f"pack/language_village/told/{name}.md", "News.")
    assert list_changes(before, village()) == (
        "; changed since: prompt language_village/told/a.md is new, "
        "prompt language_village/told/b.md is new, prompt language_village/told/c.md is new, "
        "2 more of the prompts"
    )


def test_a_prompt_taken_out_of_the_pack_has_changed_where_ours_stands_again(write: Write) -> None:
    write("pack/language_village/vote.md", "Which one? {{ hint }}")
    before = manifest(village())
    Path("pack/language_village/vote.md").unlink()
    assert "; changed since: prompt language_village/vote.md has changed" in (
        list_changes(before, village())
    )


def test_prompts_of_a_run_that_asks_no_model_do_not_matter(write: Write) -> None:
    rules = build(load_config("fishing_village", SETTINGS))
    before = manifest(rules)
    assert before.prompts == {}
    assert list_changes(before, rules) == ""


def test_a_parameter_with_another_default_is_named_with_both_values(write: Write) -> None:
    before = manifest(village())
    now = build(load_config("language_village", {**SETTINGS, "prompts": "pack"}))
    older = before.model_copy(update={"params": before.params | {"growth": 0.25, "vote": "median"}})
    assert list_changes(older, now) == (
        "; changed since: parameter growth was 0.25, now 0.6, "
        "parameter vote was median, now plurality"
    )


def test_versions_and_files_are_told_even_if_the_run_cannot_be_set_up_again(
    write: Write,
) -> None:
    setup = build(load_config("fishing_village", {"uses": ["steady.py"]}))
    before = manifest(setup)
    older = before.model_copy(update={"versions": before.versions | {"numpy": "1.0.0"}})
    write("steady.py", RULE.replace("0.5", "0.6"))
    numpy = before.versions["numpy"]
    changed = f"; changed since: numpy was 1.0.0, now {numpy}, steady.py has changed"
    assert list_changes(older) == changed
    Path("steady.py").unlink()
    assert list_changes(before) == "; changed since: steady.py is missing"
