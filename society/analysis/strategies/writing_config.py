"""What models are asked for when they write strategies: a cohort for each model and attitude."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from society.components.programs.author_attitude import LONGEST_ATTITUDE
from society.config.build import Society
from society.config.run_config import RunConfig, load_config
from society.errors import InputError, suggest
from society.sandbox.strategy_folder import FALLBACKS
from society.scenarios.programs.trial_games import TrialGames, WrittenReply
from society.text import clean_line, shorten

from .written_folder import file_word

GAMES = ("public_goods", "collective_risk", "common_pool")
RUN_FILE = "writing.run"  # the record of the writing, in its folder
_ROOM = 4096  # tokens of a reply, in which models also think


def writing_config(
    game: str,
    attitudes: Mapping[str, str],
    count: int,
    authors: Sequence[str] = ("offline",),
    tries: int = 5,
) -> RunConfig:
    """Return the configuration of a writing; raises InputError.

    attitudes: each with the action that stands in where a program fails, "C" or "D". count: of
    strategies for each model and attitude. authors: models. tries: programs for one description.
    """
    if game not in GAMES:
        raise InputError(f"--game {game}: there is no such game; {suggest(game, GAMES)}")
    names = _model_names(list(dict.fromkeys(authors)))
    changes = {
        "parameters": {"game": game},
        "rounds": tries,
        "models": {name: {"model": author, "max_tokens": _ROOM} for name, author in names.items()},
        "cohorts": [
            _author_cohort(name, attitude, fallback, count)
            for name in names
            for attitude, fallback in attitudes.items()
        ],
    }
    return load_config("strategy_writing", changes)


def try_sandbox(setup: Society) -> None:
    """Raise SandboxError if programs cannot be tried here, before anything is paid for."""
    given: Any = setup.params
    with TrialGames(given.game, tried=given.trial) as trial:
        trial.judge([WrittenReply("class A:\n    def act(self, history):\n        return C", "C")])


def _author_cohort(name: str, attitude: str, fallback: str, count: int) -> dict[str, Any]:
    stance = {"attitude": attitude, "fallback_action": fallback}
    return {
        "name": f"{attitude} {name}",
        "count": count,
        "components": [{"author_attitude": stance}, {"language_policy": {"model": name}}],
    }


def _model_names(authors: Sequence[str]) -> dict[str, str]:
    """Name models shortly within the run: openai/gpt-4o-mini -> gpt_4o_mini, numbered if alike."""
    names: dict[str, str] = {}
    alike = Counter[str]()
    for author in authors:
        if not author.strip():
            raise InputError("--model is empty; name a model, or offline")
        word = file_word(author.rpartition("/")[2])
        alike[word] += 1
        names[word if alike[word] == 1 else f"{word}_{alike[word]}"] = author
    return names


def parse_attitudes(texts: Sequence[str]) -> Mapping[str, str]:
    """Parse NAME or NAME=C or NAME=D; raises InputError."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, fallback = (part.strip() for part in text.partition("="))
        if not name:
            raise InputError(
                f"--attitude {text!r} is empty; give one in words, such as collective, or "
                "generous=C"
            )
        if len(name) > LONGEST_ATTITUDE or clean_line(name) != name:
            raise InputError(
                f"--attitude {shorten(clean_line(name), 40)}: got {len(name)} characters; expected "
                f"at most {LONGEST_ATTITUDE} on one line"
            )
        fallback = fallback if equals else FALLBACKS.get(name, "")
        if fallback not in ("C", "D"):
            raise InputError(
                f"--attitude {text}: say which action stands in where its programs fail: "
                f"'{name}=C' or '{name}=D'"
            )
        if name in found:
            raise InputError(f"--attitude {name} is given twice; give it once")
        found[name] = fallback
    return found
