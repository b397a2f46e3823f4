"""The first sections and the last one: what was played, and where every number is from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from society.engine.calls import Usage
from society.errors import page_path
from society.experiments.factors import format_label
from society.llm.providers.settings import ModelSpec
from society.report.layout import Layout
from society.report.methods import parameter_word
from society.report.page import Caveat, RunFiles, Section, SectionPart, Verbatim, folded_section
from society.report.tables import Head, Table
from society.runs.manifest import Manifest
from society.terminal.labels import describe_extents

_DIGEST = 16  # hexadecimal digits in the page
_QUOTED_PATH = re.compile(r'"(/[^"\n]*/[^"\n]*)"')
_FEW = 12  # levels that a sentence names
_OFFLINE = "offline"
_RANDOM_NUMBERS = {
    "common": (
        "Replicate r draws the same random numbers in every condition (common random numbers)."
    ),
    "independent": "Random numbers are independent between conditions.",
    None: "",
}


def summary_section(layout: Layout) -> Section:
    """Say in one paragraph what was played with whom, and before it what is missing."""
    models = name_models((run.manifest, run.ledger) for run in layout.conditions)
    design = _design(layout)
    told = [models, design] if isinstance(models, Caveat) else [f"{models} {design}"]
    return Section("What was played", [*_incomplete(layout), *told], "summary")


def name_models(runs: Iterable[tuple[Manifest, Sequence[Usage]]]) -> str | Caveat:
    """Name the language models that were asked; warn if others have taken their place."""
    models, recorded = dict[str, None](), dict[str, None]()
    for manifest, ledger in runs:
        named = dict.fromkeys(entry.model for entry in ledger if entry.model)
        (recorded if _from_tape(manifest, ledger) else models).update(named)
    if real := [name for name in models if name != _OFFLINE]:
        return f"Models asked: {', '.join(real)}."
    resident = ["a scripted resident (the offline mind)"] if _OFFLINE in models else []
    tapes = [f"recorded answers of {', '.join(recorded)} (a tape)"] if recorded else []
    if who := " and ".join([*resident, *tapes]):
        return Caveat(f"No language model was asked; in its place: {who}.")
    return "No language model was asked."


def _from_tape(manifest: Manifest, ledger: Sequence[Usage]) -> bool:
    """Check whether answers are those of a tape, which costs nothing."""
    specs = [ModelSpec.model_validate(one) for one in manifest.spec["models"].values()]
    sorts = {spec.sort for spec in specs}
    return "tape" in sorts <= {"tape", _OFFLINE} and all(entry.cost == 0 for entry in ledger)


def _incomplete(layout: Layout) -> Iterator[Caveat]:
    """Name conditions that failed, are not finished or missing, and what was not concluded."""
    study = layout.study
    unfinished = {run.name: run.status for run in study.played if run.status != "finished"}
    for words, items in (
        ("failed", _pairs(study.failures)),
        ("not finished; the report uses what they have", _pairs(unfinished)),
        ("not played", list(study.missing)),
    ):
        if items:
            yield Caveat(f"{count_of(len(items), 'condition')} {words}:", _first(items))
    if study.notes:
        yield Caveat("Not everything could be concluded:", _first(_pairs(study.notes)))


def _pairs(items: Mapping[str, str]) -> list[str]:
    return [f"{name}: {words}" for name, words in items.items()]


def _first(items: Sequence[str]) -> list[str]:
    more = len(items) - _FEW
    return [*items[:_FEW], *([f"and {more} more"] if more > 0 else [])]


def describe_runs(layout: Layout) -> str:
    """Count conditions, runs, agents and rounds in a sentence."""
    given = [run.manifest for run in layout.conditions]
    runs = sum(one.replicates for one in given)
    scenarios = " and ".join(dict.fromkeys(one.scenario for one in given))
    agents = _range([one.agents for one in given], "agent")
    if len(given) == 1:
        many = f"{runs:,} matches" if layout.of_matches else count_of(runs, "run")
        return f"{many} of {scenarios} with {agents}, at most {describe_extents(given)}."
    return (
        f"{count_of(len(given), 'condition')} of {scenarios}, {count_of(runs, 'run')} in all "
        f"({_range([one.replicates for one in given], 'replicate')} per condition), "
        f"{agents}, at most {describe_extents(given)}."
    )


def _design(layout: Layout) -> str:
    """Name factors with their levels, and the kind of random numbers."""
    levels = layout.study.levels.items()
    factors = "; ".join(
        f"{name}: {_some_levels([*map(format_label, each)])}" for name, each in levels
    )
    luck = _RANDOM_NUMBERS[layout.study.random_numbers]
    replicates = "A run is one replicate, one history of a society: the unit of all statistics."
    return " ".join(filter(None, [f"{factors}." if factors else "", luck, replicates]))


def _some_levels(labels: Sequence[str]) -> str:
    few = ", ".join(labels[:_FEW])
    return few if len(labels) <= _FEW else f"{few} and {len(labels) - _FEW} more"


def count_of(count: int, noun: str) -> str:
    """Count things: "1 run", "1,000 runs"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _range(counts: Sequence[int], noun: str) -> str:
    low, high = min(counts), max(counts)
    return count_of(low, noun) if low == high else f"{low:,} to {count_of(high, noun)}"


def provenance_section(layout: Layout) -> Section:
    """List all that is needed to run the study again and to compare."""
    given = [run.manifest for run in layout.conditions]
    prompts = {name: hashed for one in given for name, hashed in one.prompts.items()}
    # Files without the folders of one machine.
    files = {
        path.replace("\\", "/").rpartition("/")[2]: hashed
        for one in given
        for path, hashed in (one.files | one.table_hashes).items()
    }
    text = layout.study.text
    parts: list[SectionPart] = [
        "A digest is a fingerprint of everything that was asked, answered and told in a run. The "
        "command society verify plays the run again and compares digests.",
        _run_table(layout),
        *_replays(layout),
        _version_table(given),
        folded_section("Parameters", _parameter_table(given)),
        *_hashes("prompts", "Prompts, sha256", prompts),
        *_hashes("files", "Files, sha256", files),
        *(
            [
                folded_section(
                    "The experiment as it was written", Verbatim(_text_without_folders(text))
                )
            ]
            if text
            else []
        ),
    ]
    return Section("Provenance", parts, "provenance")


def _hashes(name: str, title: str, hashes: Mapping[str, str]) -> Iterator[Section]:
    if hashes:
        table = Table.of(name, title, [("text", "name", "sha256")], hashes.items())
        yield folded_section(title, table)


def _run_table(layout: Layout) -> Table:
    rows = [
        (
            *(run.name, run.path.name, run.status),
            *(str(run.manifest.seed), run.rounds, run.digest[:_DIGEST]),
        )
        for run in layout.conditions
    ]
    head: Head = [
        ("text", "condition", "file", "status", "seed"),
        ("count", "rounds"),
        ("text", "digest"),
    ]
    return Table.of("runs", "Run files", head, rows)


def _replays(layout: Layout) -> Iterator[Section]:
    """Lead to the run files, and give the commands that show their last rounds again."""
    runs = [
        (run.path.name, run.path, f"--from {max(run.rounds, 1)}")
        for run in layout.conditions[:_FEW]
    ]
    parts: list[SectionPart] = [
        "Commands are for the folder of the run files; --from names the round to begin with, here "
        "the last one.",
        RunFiles(runs),
    ]
    if (more := len(layout.conditions) - _FEW) > 0:
        parts.append(f"{count_of(more, 'run file')} more: see the table above.")
    yield folded_section("Look at these runs round by round", *parts)


def _version_table(given: Sequence[Manifest]) -> Table:
    names = dict.fromkeys(name for one in given for name in one.versions)
    rows = [
        (name, ", ".join(dict.fromkeys(one.versions.get(name, "unknown") for one in given)))
        for name in names
    ]
    return Table.of("versions", "Versions", [("text", "package", "version")], rows)


def _parameter_table(given: Sequence[Manifest]) -> Table:
    """List each parameter with the values that it took."""
    values: dict[str, dict[str, None]] = {}
    for one in given:
        for name, value in one.params.items():
            values.setdefault(name, {})[parameter_word(value)] = None
    rows = [(name, _some_levels([*each])) for name, each in values.items()]
    return Table.of("parameters", "Parameters", [("text", "name"), ("words", "value")], rows)


def _text_without_folders(text: str) -> str:
    return _QUOTED_PATH.sub(lambda found: f'"{page_path(found[1])}"', text)
