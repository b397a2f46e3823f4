"""Plans of norm coding: who rates which texts of a sweep, by which rubric.

Embeddings do not measure valence, so texts are read. Raters work apart: each has a run of its own
of the scenario norm_coding, in which a text is a replicate and a criterion a round, with all that
runs have (resume, limits, ledger, provenance), and no paid answer is kept anywhere else.

    runs -> texts -> spec of each rater -> its run file -> codes of all -> agreement, measures
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from society.components.common.human_coder import UNCODED
from society.config.run_config import File, FileSection, Model, RunConfig, load_config
from society.config.yaml_source import Source, read_yaml
from society.engine.parameters import Issue, ValidationIssues, resolve_path, validate
from society.errors import FileError, ScenarioError, short_path, suggest
from society.llm.providers.settings import ModelSpec
from society.scenarios.coding.rubric import Criterion, Rubric
from society.text import clean_line

from .factors import coding_name, independent_seed, run_file_name

SCENARIO = "norm_coding"
_SEED = 1
_LISTED = 5  # mistakes that one message names

HandCodes = Mapping[str, Mapping[str, str]]  # {criterion: {text: label}}


def _of_person(said: Any, info: ValidationInfo) -> Any:
    """A file of codes, as if it were a model: it stands in for what a person would answer."""
    given = {"model": said} if isinstance(said, str) else said
    if isinstance(given, Mapping) and str(given.get("model")).endswith(".csv"):
        return {**given, "model": resolve_path(given["model"], info)}
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


class CodingPlan(FileSection):
    """The section `coding` of an experiment file.

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
        return {name: run_file_name(coding_name(name)) for name in self.raters}


def read_rubric(file: Path | str) -> Rubric:
    """Read and check a rubric; raises FileError, ScenarioError."""
    said, positions = read_yaml(Path(file))
    origin = Source(short_path(file), positions)
    if not isinstance(said, dict):
        raise origin.refusal([Issue((), "got no keys; begin with name: NAME")])
    try:
        return validate(Rubric, said, "key")
    except ValidationIssues as refused:
        raise origin.refusal(refused.faults) from None


def rater_spec(coding: CodingPlan, rater: str, texts: Iterable[str]) -> RunConfig:
    """Specify the run in which one rater codes these texts; raises InputError."""
    listed, rubric = list(texts), read_rubric(coding.rubric)
    if rater in coding.people:
        codes = read_hand_codes(coding.people[rater], rubric.criteria)
        mind: dict[str, Any] = {"human_coder": {"codes": _about(codes, set(listed))}}
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
    return load_config(SCENARIO, changes)


def _seed(rater: str, rubric: Rubric) -> int:
    """Own to a rater, or two that ask the same model would agree by chance.

    Own to the order of labels, too, which codes refer to: specs are the same whatever the order in
    which they name things, and so a run by another order would be taken for this one.
    """
    labels = [list(criterion.labels) for criterion in rubric.criteria]
    return independent_seed(_SEED, f"{rater} {labels}")


def _about(codes: HandCodes, texts: Collection[str]) -> dict[str, dict[str, str]]:
    """A person's codes of these texts."""
    return {
        criterion: {text: label for text, label in coded.items() if text in texts}
        for criterion, coded in codes.items()
    }


def read_hand_codes(file: Path, criteria: Iterable[Criterion]) -> HandCodes:
    """Read the codes that a person has written beside the texts; raises FileError, ScenarioError.

    An empty cell gives no code. All mistakes are told, each with its line.
    """
    sheet = _Sheet(file, {criterion.name: criterion for criterion in criteria})
    try:
        with file.open(encoding="utf-8-sig", newline="") as source:
            sheet.read(source)
    except OSError as error:
        raise FileError(
            f"cannot read {short_path(file)}: {error.strerror}; it is to hold a person's codes, "
            f"with the columns text,{','.join(sheet.criteria)}"
        ) from None
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{short_path(file)} is not text in UTF-8: {error.reason}") from None
    sheet.refuse()
    return sheet.codes


class _Sheet:
    """A person's table as it is read; notes all that is wrong with it."""

    def __init__(self, file: Path, criteria: Mapping[str, Criterion]) -> None:
        self.file, self.criteria = file, criteria
        self.codes: dict[str, dict[str, str]] = {name: {} for name in criteria}
        self.wrong: list[str] = []

    def read(self, lines: Iterable[str]) -> None:
        rows = csv.reader(lines, strict=True)
        try:
            header = [name.strip() for name in next(rows, [])]
            if not self.heads(header):
                return
            for cells in rows:
                if any(cells):
                    self.row(rows.line_num, dict(zip(header, cells, strict=False)))
        except csv.Error as error:
            self.note(rows.line_num, str(error))

    def heads(self, header: list[str]) -> bool:
        """Check that the first line names columns that can be read."""
        legal = ["text", *self.criteria]
        if "text" not in header:
            found = ",".join(header) or "nothing"
            self.note(1, f"got the columns {found}; expected {','.join(legal)}")
        for name in header:
            if name not in legal:
                self.note(1, f"there is no criterion {name!r}; {suggest(name, self.criteria)}")
            elif header.count(name) > 1:
                self.note(1, f"column {name!r} stands there twice; keep one of them")
        return not self.wrong

    def row(self, line: int, cells: dict[str, str]) -> None:
        text = clean_line(cells.pop("text", "").strip().removeprefix("«").removesuffix("»"))
        if not text:
            self.note(line, "codes without a text; fill the column text")
        for name, cell in cells.items():
            label = cell.strip()
            if label in ("", UNCODED):
                continue
            if label not in self.criteria[name].labels:
                labels = self.criteria[name].labels
                self.note(line, f"{name} has no label {label!r}; {suggest(label, labels)}")
            elif self.codes[name].setdefault(text, label) != label:
                other = self.codes[name][text]
                self.note(line, f"{name} of this text is {label}, and {other} further up")

    def note(self, line: int, words: str) -> None:
        self.wrong.append(f"{short_path(self.file)}:{line}: {words}")

    def refuse(self) -> None:
        """Say what was found to be wrong."""
        lines = list(dict.fromkeys(self.wrong))
        more = [f"and {len(lines) - _LISTED} more"] if len(lines) > _LISTED else []
        if lines:
            raise ScenarioError("\n".join(lines[:_LISTED] + more))
