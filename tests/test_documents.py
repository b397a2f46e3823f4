"""README.md and docs/ are run: their files are written, their commands typed, outputs compared."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from society.config.yaml_source import read_yaml
from society.experiments.experiment import file_schema

ROOT = Path(__file__).parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    language: str
    text: str


def blocks(document: Path) -> list[Block]:
    """Every fenced block, in order."""
    text = document.read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(*found) for found in fenced]


def commands(text: str) -> list[tuple[str, str]]:
    """Each `$ command` of a console block with the output shown below it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)


def runs_something(document: Path) -> bool:
    return any(block.language == "console" for block in blocks(document))


RUN = [document for document in DOCUMENTS if runs_something(document)]
# What a newcomer writes first is always run; the others are left to `make test-all`.
FIRST = ("writing-scenarios",)


def _case(document: Path) -> Any:
    marks = [] if document.stem in FIRST else [pytest.mark.thorough]
    return pytest.param(document, id=document.stem, marks=marks)


@pytest.mark.parametrize("document", map(_case, RUN))
def test_every_block_of_a_document_runs_as_shown(document: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    for block in blocks(document):
        if block.language in ("yaml", "python"):
            name = block.text.split("\n", 1)[0].removeprefix("# ")
            assert re.fullmatch(r"[\w.]+", name), f"no file name at the top of:\n{block.text}"
            (tmp_path / name).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command, shown in commands(block.text):
                if command.startswith("make "):
                    continue  # the set-up of this very environment
                done = subprocess.run(
                    command,
                    shell=True,
                    cwd=tmp_path,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=300,
                )
                printed = done.stdout + done.stderr
                expected_code = 2 if shown.startswith("society: ") else 0
                assert done.returncode == expected_code, f"$ {command}\n{printed}"
                assert "warning: " not in printed or "warning: " in shown, f"$ {command}\n{printed}"
                matches = doctest.OutputChecker().check_output(shown, printed, LOOSELY)
                assert not shown or matches, f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_blocks_that_are_run_stand_in_documents_that_run_them(document: Path) -> None:
    """A document with files for a reader to write also shows a command that uses them."""
    files = [block for block in blocks(document) if block.language in ("yaml", "python")]
    assert not files or runs_something(document)


def test_editors_accept_every_scenario_and_experiment_that_documents_show(tmp_path: Path) -> None:
    """Short forms, such as a bare name for a component, a model or a graph, are no mistakes."""
    schema, wrong, read = file_schema(), list[str](), 0
    kinds = {"scenario": "Scenario", "base": "Experiment"}
    accepts = {
        key: Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})
        for key, kind in kinds.items()
    }
    for document in DOCUMENTS:
        for block in blocks(document):
            if block.language != "yaml":
                continue
            file = tmp_path / "shown.yaml"
            file.write_text(block.text, encoding="utf-8")
            said = read_yaml(file)[0]
            for key in kinds.keys() & said:
                read += 1
                found = accepts[key].iter_errors(said)
                wrong += [f"{document.name}: {block.text.split()[1]}: {e.message}" for e in found]
    assert wrong == []
    assert read > 30
    assert not accepts["scenario"].is_valid({"scenario": "a.py", "cohorts": [{"nmae": "b"}]})


@pytest.mark.parametrize("document", DOCUMENTS[1:], ids=lambda document: document.stem)
def test_lines_of_prose_end_within_120_characters(document: Path) -> None:
    """So that a change of a sentence is a change of few lines; a row of a table is one line."""
    prose = re.sub(r"^ *```.*?^ *```$", "", document.read_text("utf-8"), flags=re.DOTALL | re.M)
    lines = [line for line in prose.splitlines() if not line.lstrip().startswith(("|", "!["))]
    assert lines
    assert [line for line in lines if len(line) > 120] == []


def test_the_documents_type_at_least_forty_commands() -> None:
    consoles = [block for document in RUN for block in blocks(document)]
    typed = [
        one for block in consoles if block.language == "console" for one in commands(block.text)
    ]
    assert len(typed) >= 40


def test_the_readme_has_at_most_two_hundred_lines() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_glossary_names_places_that_exist() -> None:
    rows = re.findall(
        r"^\|.*\| (`.*) \|$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.M
    )
    places = [place for row in rows for place in re.findall(r"`([^`]+)`", row)]
    roots = (ROOT / "society", ROOT)
    assert len(places) >= 45
    assert [one for one in places if not any(any(root.glob(one)) for root in roots)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!https?:)([^)#]*)", text):
        assert not link or (document.parent / link).exists(), f"{document.name} links to {link}"
