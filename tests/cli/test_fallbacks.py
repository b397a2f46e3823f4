"""A run whose answers are mostly fallbacks says so, and fails unless that is accepted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.cli.main import main

if TYPE_CHECKING:
    from tests.conftest import Provider

pytestmark = pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")


def play(provider: Provider, folder: Path, *more: str, brain: str = "mumble") -> int:
    """The exit code of a run of five villagers."""
    provider.plan(brain=brain)
    words = ["--model", "m", "--api-base", provider.url, "--set", "model.structured=none"]
    sizes = ["--agents", "5", "--rounds", "1", "--quiet", "--out", str(folder / "a.run")]
    return main(["run", "language_village", *words, *sizes, *more])


def test_a_run_of_fallbacks_fails_and_says_so_though_it_is_quiet(
    provider: Provider, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(provider, tmp_path) == 1
    said = capsys.readouterr().err
    assert "15 of 15 answers of language models could not be read" in said
    assert "--accept-fallbacks" in said


def test_who_wants_a_run_of_fallbacks_may_have_it(
    provider: Provider, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(provider, tmp_path, "--accept-fallbacks") == 0
    assert capsys.readouterr().err == ""


def test_a_run_that_was_answered_is_none(
    provider: Provider, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(provider, tmp_path, brain="resident") == 0
    assert capsys.readouterr().err == ""


def test_a_run_with_too_many_fallbacks_pauses_and_goes_on_when_the_limit_is_lifted(
    provider: Provider, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(provider, tmp_path, "--rounds", "9", "--max-fallbacks", "0.3") == 3
    said = capsys.readouterr().err
    assert "--max-fallbacks: " in said
    assert "could not be read and are fallbacks (the last: got 'Well.'" in said
    asked = provider.stats()["count"]
    assert asked < 9 * 5 * 8
    provider.plan(brain="resident")
    file = str(tmp_path / "a.run")
    assert main(["resume", file, "--quiet"]) == 3, "the limit stands, and nobody is asked"
    assert provider.stats()["count"] == asked
    assert main(["resume", file, "--quiet", "--max-fallbacks", "none"]) == 0
