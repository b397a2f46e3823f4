"""Norm coding: what texts say, rated by language models and people with a rubric.

Embeddings do not measure valence, so texts are read. A rater is an agent, a text a replicate, a
criterion a round: coding is a run of the scenario norm_coding, with all that runs have (resume,
limits, ledger, provenance), and no paid answer is kept anywhere else.

    runs -> texts -> spec of the coding -> its run file -> codes -> agreement, measures
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from society.checks import Fault, Refused, anchored, checked
from society.errors import InputError, brief
from society.models.settings import ModelSpec
from society.positions import Source, read
from society.rubric import Rubric
from society.scenario_file import File, Model, Section, Spec, load
from society.wording import fenced

from .texts import ByHand, codes_by_hand

SCENARIO = "norm_coding"


def _of_person(said: Any, info: ValidationInfo) -> Any:
    """A file of codes, as if it were a model: it stands in for what a person would answer."""
    given = {"model": said} if isinstance(said, str) else said
    if isinstance(given, Mapping) and str(given.get("model")).endswith(".csv"):
        return {**given, "model": anchored(given["model"], info)}
    return given


def _several(raters: dict[str, ModelSpec]) -> dict[str, ModelSpec]:
    if len(raters) < 2:
        raise ValueError(
            f"got {len(raters)}; expected two raters or more, since nobody can tell how far one "
            "is to be trusted: models, or FILE.csv with the codes of a person"
        )
    return raters


Rater = Annotated[Model, BeforeValidator(_of_person)]


class CodingSpec(Section):
    """What an experiment file says under `coding`.

    rubric: a YAML file. raters: by name, a model or FILE.csv, a person's codes. quotes: which of
    the texts that the scenario quotes; the first, if none is named. rounds: of each agent its last
    text, all, or those of every n-th round.
    """

    rubric: File
    raters: Annotated[dict[str, Rater], AfterValidator(_several)]
    quotes: str | None = None
    rounds: Literal["last", "all"] | Annotated[int, Field(ge=1)] = "last"

    @property
    def people(self) -> dict[str, Path]:
        """Files with the codes of people, by rater."""
        files = {name: rater.model for name, rater in self.raters.items()}
        return {name: Path(file) for name, file in files.items() if file.endswith(".csv")}


def rubric_of(file: Path | str) -> Rubric:
    """A rubric, read and checked; raises FileError, ScenarioError."""
    said, positions = read(Path(file))
    origin = Source(brief(file), positions)
    if not isinstance(said, dict):
        raise origin.refusal([Fault((), "says nothing about a rubric; begin with name: NAME")])
    try:
        return checked(Rubric, said, "key")
    except Refused as refused:
        raise origin.refusal(refused.faults) from None


def spec_of(coding: CodingSpec, texts: Iterable[str]) -> Spec:
    """The run in which these texts are coded; raises InputError."""
    listed, rubric = list(texts), rubric_of(coding.rubric)
    if not listed:
        raise InputError("there is no text to be coded: nobody in these runs has said anything")
    people = _people(coding, rubric)
    cohorts = [
        {"name": name, "count": 1, "components": [_mind(name, people, set(listed))]}
        for name in coding.raters
    ]
    models = {name: rater for name, rater in coding.raters.items() if name not in people}
    changes = {
        "replicates": len(listed),
        "rounds": len(rubric.criteria),
        "cohorts": cohorts,
        "models": {name: model.model_dump() for name, model in models.items()},
        "parameters": {
            "criteria": [criterion.model_dump() for criterion in rubric.criteria],
            "texts": listed,
        },
    }
    return load(SCENARIO, changes)


def strays(coding: CodingSpec, texts: Iterable[str]) -> list[str]:
    """What people have coded though no run says it: a note for each of them; raises InputError."""
    known, notes = set(texts), []
    for name, codes in _people(coding, rubric_of(coding.rubric)).items():
        others = {text: None for coded in codes.values() for text in coded if text not in known}
        if others:
            count = "a text that is" if len(others) == 1 else f"{len(others)} texts that are"
            notes.append(f"{name} has coded {count} in no run: {fenced(next(iter(others)), 60)}")
    return notes


def _people(coding: CodingSpec, rubric: Rubric) -> Mapping[str, ByHand]:
    """The codes of each person."""
    files = coding.people.items()
    return {name: codes_by_hand(file, rubric.criteria) for name, file in files}


def _mind(name: str, people: Mapping[str, ByHand], texts: set[str]) -> dict[str, Any]:
    """What answers for a rater: a model of its name, or the person's codes of these texts."""
    if name not in people:
        return {"language_policy": {"model": name}}
    coded = people[name].items()
    codes = {
        criterion: {text: label for text, label in labels.items() if text in texts}
        for criterion, labels in coded
    }
    return {"coded_by_hand": {"codes": codes}}
