"""Norm coding: what texts say, rated by language models and people with a rubric.

Embeddings do not measure valence, so texts are read. Raters work apart: each has a run of its own
of the scenario norm_coding, in which a text is a replicate and a criterion a round, with all that
runs have (resume, limits, ledger, provenance), and no paid answer is kept anywhere else.

    runs -> texts -> spec of each rater -> its run file -> codes of all -> agreement, measures
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from society.checks import Fault, Refused, anchored, checked
from society.errors import brief
from society.lab.naming import filed, luck, rated
from society.models.settings import ModelSpec
from society.positions import Source, read
from society.rubric import Rubric
from society.scenario_file import File, Model, Section, Spec, load

from .texts import ByHand, codes_by_hand

SCENARIO = "norm_coding"
_SEED = 1


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
    if len({name.casefold() for name in raters}) < len(raters):
        raise ValueError(
            "two raters differ in capitals only, as names of files may not; rename one"
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

    @property
    def files(self) -> dict[str, str]:
        """Run files in the folder of a sweep, by rater."""
        return {name: filed(rated(name)) for name in self.raters}


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


def spec_of(coding: CodingSpec, rater: str, texts: Iterable[str]) -> Spec:
    """The run in which one rater codes these texts; raises InputError."""
    listed, rubric = list(texts), rubric_of(coding.rubric)
    if rater in coding.people:
        codes = codes_by_hand(coding.people[rater], rubric.criteria)
        mind: dict[str, Any] = {"coded_by_hand": {"codes": _about(codes, set(listed))}}
        models = {}
    else:
        mind, models = {"language_policy": {"model": rater}}, {rater: coding.raters[rater]}
    changes = {
        "seed": _seed(rater, rubric),
        "replicates": len(listed),
        "rounds": len(rubric.criteria),
        "cohorts": [{"name": rater, "count": 1, "components": [mind]}],
        "models": {name: model.model_dump() for name, model in models.items()},
        "parameters": {
            "criteria": [criterion.model_dump() for criterion in rubric.criteria],
            "texts": listed,
        },
    }
    return load(SCENARIO, changes)


def _seed(rater: str, rubric: Rubric) -> int:
    """Own to a rater, or two that ask the same model would agree by their luck.

    Own to the order of labels, too, which codes refer to: specs are the same whatever the order in
    which they name things, and so a run by another order would be taken for this one.
    """
    labels = [list(criterion.labels) for criterion in rubric.criteria]
    return luck(_SEED, f"{rater} {labels}")


def _about(codes: ByHand, texts: Collection[str]) -> dict[str, dict[str, str]]:
    """A person's codes of these texts."""
    return {
        criterion: {text: label for text, label in coded.items() if text in texts}
        for criterion, coded in codes.items()
    }
