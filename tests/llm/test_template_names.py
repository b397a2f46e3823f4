"""A name in a prompt that is no variable is found before anybody is asked."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import Environment

from society import index
from society.config.build import Society, build
from society.config.run_config import load_config
from society.errors import InputError
from society.llm.template_names import names_read

Pack = Callable[..., Path]


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """`pack(language_village__vote="...")` is a folder with prompts; "__" stands for a slash."""

    def written(**texts: str) -> Path:
        for name, text in texts.items():
            file = tmp_path / f"{name.replace('__', '/')}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return tmp_path

    return written


def built(folder: Path, scenario: str = "language_village", **changes: object) -> Society:
    return build(load_config(scenario, {"prompts": str(folder), **changes}))


def warned(folder: Path, scenario: str = "language_village", **changes: object) -> list[str]:
    return [str(issue).rpartition("/")[2] for issue in built(folder, scenario, **changes).wiring]


def test_what_a_template_reads_in_any_case_is_told_from_what_it_may_read() -> None:
    source = """{{ stock }} {% if rich %}{{ gain }}{% else %}{{ loss }}{% endif %}
{% for one in peers %}{{ one }} {{ catch }}{% endfor %}
{{ a if b else c }} {% if maybe is defined %}{{ maybe }}{% endif %}
{% set own = stock %}{{ own }} {{ range(3) }}
{% macro told(x) %}{{ x }} {{ hidden }}{% endmacro %}{% include "any/answer.md" %}"""
    read = names_read(Environment().parse(source))
    assert read.always == {"stock": 1, "rich": 1, "peers": 2, "b": 3, "maybe": 3}
    assert read.sometimes == {"gain": 1, "loss": 1, "catch": 2, "a": 3, "c": 3, "hidden": 5}
    assert read.asked == {"maybe"}
    assert read.included == {"any/answer.md"}


def test_a_misspelt_fact_is_refused_with_file_line_and_what_was_meant(pack: Pack) -> None:
    folder = pack(language_village__effort="Fish!\n{{ ful_catch }}")
    with pytest.raises(InputError) as refused:
        built(folder)
    assert str(refused.value).endswith(
        "effort.md:2: there is no 'ful_catch' in the question 'effort'; did you mean 'full_catch'?"
    )


def test_a_fact_of_another_question_is_refused_where_it_is_always_read(pack: Pack) -> None:
    with pytest.raises(InputError, match=r"vote.md:1: there is no 'full_catch' in the question"):
        built(pack(language_village__vote="{{ full_catch }}"))


def test_a_fact_of_another_question_may_stand_in_a_branch(pack: Pack) -> None:
    text = "Vote! {% if kind == 'effort' %}{{ full_catch }}{% endif %} {{ hint }}"
    assert warned(pack(language_village__vote=text)) == []


def test_a_name_that_is_nowhere_is_warned_of_where_it_is_read_on_a_condition(pack: Pack) -> None:
    text = "Vote! {% if p.thinking %}\n{{ flwo }}{% endif %} {{ hint }}"
    (warning,) = warned(pack(language_village__vote=text))
    assert warning.startswith("vote.md:2: there is no 'flwo' in the question 'vote'; ")


def test_a_name_that_a_template_asks_for_or_sets_is_no_mistake(pack: Pack) -> None:
    text = "{% if flow is defined %}{{ flow }}{% endif %}{% set x = 1 %}{{ x }}{{ y | default(2) }}"
    assert warned(pack(language_village__vote=text)) == []


def test_what_a_template_sets_is_there_in_those_that_it_includes(pack: Pack) -> None:
    folder = pack(
        language_village__vote='{% set mood = 1 %}{% include "language_village/mood.md" %}',
        language_village__mood="{{ mood }}",
    )
    assert warned(folder) == []


def test_a_mistake_in_an_included_template_is_found_in_its_own_file(pack: Pack) -> None:
    folder = pack(
        language_village__vote='Vote! {% include "language_village/mood.md" %}',
        language_village__mood="\n{{ moood }}",
    )
    with pytest.raises(InputError, match=r"mood.md:2: there is no 'moood' in the question 'vote'"):
        built(folder)


@pytest.mark.thorough
def test_events_terms_pages_and_system_messages_are_looked_through_too(pack: Pack) -> None:
    for name, place in {
        "language_village__told__harvested": "harvested.md:1: .* in the event 'harvested'",
        "peer_punishment__terms": "terms.md:1: .* in the question",
        "language_village__system": "system.md:1: .* in the question",
        "any__repair": "repair.md:1: .* in the question",
        "any__reflection": "reflection.md:1: .* in the page 'reflection'",
    }.items():
        folder = pack(**{name: "{{ flwo }}"})
        with pytest.raises(InputError, match=place):
            built(folder, mechanisms=["peer_punishment"])
        shutil.rmtree(folder / name.split("__")[0])


def test_a_prompt_that_rules_answer_may_say_what_it_likes(pack: Pack) -> None:
    folder = pack(
        fishing_village__effort="{{ flwo }}", fishing_village__vote="Vote for a cap. {{ hint }}"
    )
    votes = {"name": "voters", "count": 10, "replace": {"voting": "language_policy"}}
    assert warned(folder, "fishing_village", cohorts=[votes]) == []


@pytest.mark.parametrize(
    ("scenario", "changes"),
    [
        ("language_village", {}),
        ("village_meeting", {}),
        ("norm_coding", {}),
        ("donor_language", {}),
        ("prisoners_dilemma", {"parameters": {"minds": "language"}, "mechanisms": ["repetition"]}),
        ("trust", {"parameters": {"minds": "language"}, "mechanisms": ["reputation"], "agents": 4}),
        ("public_goods", {"parameters": {"minds": "language"}, "mechanisms": ["contracts"]}),
    ],
)
def test_copies_of_our_own_prompts_are_without_mistakes(
    tmp_path: Path, scenario: str, changes: dict[str, object]
) -> None:
    for name, file in index.prompts().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, tmp_path / name)
    assert warned(tmp_path, scenario, **changes) == []
