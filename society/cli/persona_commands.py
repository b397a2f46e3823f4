"""Commands for the people of cohorts: draw them, let a model describe them, compare them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.errors import FileError, InputError, short_path, suggest

from .arguments import (
    add_fallback_option,
    add_limit_options,
    add_output_options,
    out_path,
    whole_number,
)
from .output import console, print_json
from .parser import ArgumentParser, Commands

if TYPE_CHECKING:
    from society.analysis.personas.diversity import PeopleDiversity
    from society.analysis.personas.written_people import WrittenPeople
    from society.config.run_config import RunConfig
    from society.memory.embedders import Embedder
    from society.personas.axes import AxisCoverage
    from society.personas.people import PeopleTable
    from society.personas.table_draws import TableDraw
    from society.runs.runfile import RunFile

_SHOWN = 10  # pairs of near-duplicates, and people without a description


def add_personas(commands: Commands) -> None:
    """Add `society personas` with its verbs."""
    parser = commands.add_parser(
        "personas", help="draw people for cohorts, let a model describe them, compare them"
    )
    verbs = parser.add_subparsers(metavar="COMMAND", parser_class=ArgumentParser)
    for add in (_add_draw, _add_write, _add_diversity):
        add(verbs)
    parser.set_defaults(command=lambda args: _list_verbs(verbs))


def _list_verbs(verbs: Commands) -> int:
    """Carry out `society personas` alone: list its verbs."""
    for action in verbs._choices_actions:
        print(f"society personas {action.dest:9} {action.help}")
    return 0


def _note(words: str) -> None:
    print(f"society: {words}", file=sys.stderr)


# draw


def _add_draw(verbs: Commands) -> None:
    parser = verbs.add_parser("draw", help="draw people from a table, or spread them over axes")
    parser.add_argument(
        "source", metavar="SOURCE",
        help="a table, FILE.csv; axes, FILE.yaml; or an example of ours, whose people are "
        "invented: fishers, townspeople",
    )  # fmt: skip
    parser.add_argument(
        "--count", type=whole_number(1), metavar="N",
        help="people to draw (default: the sum of the quotas)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=whole_number(0), default=1, metavar="S", help="random seed (default: 1)"
    )
    parser.add_argument(
        "--weight", default="", metavar="COLUMN",
        help="column by which people are weighed; it is left out of what is written",
    )  # fmt: skip
    parser.add_argument(
        "--replacement", action="store_true", help="let the same person be drawn several times"
    )
    parser.add_argument(
        "--strata", nargs="+", action="extend", default=[], metavar="COLUMN",
        help="columns whose combinations of values get their shares of the people",
    )  # fmt: skip
    parser.add_argument(
        "--quota", nargs="+", action="extend", default=[], metavar="VALUE[,VALUE]=N",
        help="number of people of a combination, in the order of --strata; others get none",
    )  # fmt: skip
    parser.add_argument(
        "--sequence", choices=("sobol", "halton"), metavar="NAME",
        help="quasi-random sequence for axes: sobol (default) or halton",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=out_path, required=True, metavar="FILE.csv", help="file for the people"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
    add_output_options(parser)
    parser.set_defaults(command=draw_people_command)


def draw_people_command(args: argparse.Namespace) -> int:
    """Carry out `society personas draw`."""
    if Path(args.source).suffix in (".yaml", ".yml"):
        return _draw_from_axes(args)
    return _draw_from_table(args)


def _draw_from_table(args: argparse.Namespace) -> int:
    from society.personas.people import read_people, write_people
    from society.personas.table_draws import draw_people

    if args.sequence:
        raise InputError("--sequence is for axes, in a YAML file; leave it out for a table")
    table = read_people(_table_path(args.source))
    draw = _table_draw(args)
    rows = draw_people(table, draw, args.seed)
    places = [place for place, name in enumerate(table.columns) if name != draw.weight]
    cells = [[table.cells[row][place] for place in places] for row in rows]
    columns = [table.columns[place] for place in places]
    write_people(args.out, columns, cells, overwrite=args.overwrite)
    different = len(set(rows.tolist()))
    facts = {
        "out": str(args.out),
        "people": len(rows),
        "different": different,
        "source": args.source,
        "seed": args.seed,
    }
    _say(args, facts, f"{len(rows)} people, {different} different ones of {len(table)}")
    return 0


def _table_path(source: str) -> Path:
    """Return the path of a table, or of an example of ours; raises FileError."""
    from society.personas.people import TABLES

    if Path(source).suffix or Path(source).name != source:
        return Path(source)
    ours = {file.stem: file for file in sorted(TABLES.glob("*.csv"))}
    if source not in ours:
        raise FileError(
            f"there is no table {source!r}; give FILE.csv or FILE.yaml, or an example: "
            f"{suggest(source, ours)}"
        )
    return ours[source]


def _table_draw(args: argparse.Namespace) -> TableDraw:
    from society.personas.table_draws import TableDraw

    quotas = _parse_quotas(args.quota)
    if quotas and not args.strata:
        raise InputError("--quota is about the values of some columns; name them by --strata")
    count = args.count or sum(quotas.values())
    if not count:
        raise InputError("--count is missing: say how many people to draw")
    return TableDraw(count, args.weight, args.replacement, tuple(args.strata), quotas)


def _parse_quotas(texts: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Parse VALUE,VALUE=N; raises InputError."""
    found: dict[tuple[str, ...], int] = {}
    for text in texts:
        values, _, number = text.rpartition("=")
        stratum = tuple(part.strip() for part in values.split(","))
        if not all(stratum) or not number.strip().isdecimal():
            raise InputError(
                f"--quota {text}: expected values of the strata and a whole number, such as "
                "woman,town=12"
            )
        if stratum in found:
            raise InputError(f"--quota {text}: {values} is given twice; give it once")
        found[stratum] = int(number)
    return found


def _draw_from_axes(args: argparse.Namespace) -> int:
    from society.personas.axes import draw_from_axes, read_axes
    from society.personas.people import write_people

    of_tables = {
        "--weight": args.weight,
        "--replacement": args.replacement,
        "--strata": args.strata,
        "--quota": args.quota,
    }
    if given := [name for name, value in of_tables.items() if value]:
        raise InputError(f"{given[0]} is for tables, and {args.source} has axes; leave it out")
    axes = read_axes(Path(args.source))
    if not args.count:
        raise InputError("--count is missing: say how many people to draw")
    drawn = draw_from_axes(axes, args.count, args.seed, args.sequence or "sobol")
    write_people(args.out, drawn.columns, drawn.cells, overwrite=args.overwrite)
    coverage = drawn.coverage
    facts = {
        "out": str(args.out),
        "people": args.count,
        "source": args.source,
        "seed": args.seed,
        **coverage._asdict(),
    }
    _say(args, facts, f"{args.count} people on {len(axes)} axes")
    if not (args.quiet or args.json):
        _print_coverage(coverage)
    return 0


def _say(args: argparse.Namespace, facts: dict[str, Any], words: str) -> None:
    """Print what was drawn."""
    if args.json:
        print_json(facts)
    elif not args.quiet:
        print(f"{words} · {short_path(args.out)}")


def _print_coverage(coverage: AxisCoverage) -> None:
    """Print the people of each level, and how even their points lie."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("axis", overflow="fold")
    table.add_column("people", overflow="fold")
    for name, counts in coverage.counts.items():
        table.add_row(name, ", ".join(f"{level}: {count}" for level, count in counts.items()))
    print()
    console().print(table)
    if coverage.discrepancy is None:
        print("\ndiscrepancy: computed for at most 4,096 people")
        return
    print(
        f"\ndiscrepancy (centred L2, squared) {coverage.discrepancy:.3g}; of independent random "
        f"people {coverage.random:.3g}"
    )


# write


def _add_write(verbs: Commands) -> None:
    parser = verbs.add_parser(
        "write", help="let a model describe each person of a table in a few sentences"
    )
    parser.add_argument("table", metavar="PEOPLE.csv", help="the people, such as draw has made")
    parser.add_argument("--model", metavar="M", help="the model that writes (default: offline)")
    parser.add_argument(
        "--words", type=whole_number(10), default=80, metavar="N",
        help="length of a description, about (default: 80)",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole_number(0), metavar="S", help="random seed")
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="override the built-in prompts with these"
    )
    parser.add_argument(
        "--out", type=out_path, required=True, metavar="FILE.csv",
        help="file for the people with their descriptions; the writing is recorded beside it, in "
        "FILE.run, and the same command continues it",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace an existing FILE.csv")
    add_limit_options(parser)
    add_fallback_option(parser)
    add_output_options(parser)
    parser.set_defaults(command=write_people_command)


def write_people_command(args: argparse.Namespace) -> int:
    """Carry out `society personas write`: write, or go on writing, then make the file."""
    from society.analysis.personas.written_people import read_written_people
    from society.runs.provenance import list_changes
    from society.runs.runfile import open_run_file

    from .recorded_writing import record_writing
    from .runs import check_fallbacks, print_end

    path = args.out.with_suffix(".run")
    if path == args.out:
        raise InputError(f"--out {args.out} is the name of a run; give FILE.csv")
    _refuse_taken(args, path)
    end = record_writing(args, _writing_config(args), path)
    if end.code:
        code = print_end(args, path, end)
        if end.saved:
            _note("or continue with the same command, which makes the file in the end")
        return code
    with open_run_file(path) as run:
        if since := list_changes(run.manifest):
            _note(f"{short_path(path)}{since}")
        written = read_written_people(run)
        _write_described(args, written)
        _print_written(args, run, written)
        code = 0 if args.accept_fallbacks else check_fallbacks(args, run)
        if len(written.failed) < len(written.descriptions):
            return code
        _note(f"nobody is described, so that no file is made; society show {path} says more")
        return 1


def _refuse_taken(args: argparse.Namespace, recorded: Path) -> None:
    """Raise FileError, before anything is spent, if descriptions could not be written."""
    if args.out.exists() and args.out.samefile(_table_path(args.table)):
        raise FileError(
            f"--out {short_path(args.out)} is the table of people itself; name another file"
        )
    if args.out.exists() and not args.overwrite and not recorded.exists():
        raise FileError(
            f"{short_path(args.out)} exists already; name another --out, or replace it by "
            "--overwrite"
        )


def _writing_config(args: argparse.Namespace) -> RunConfig:
    """Return the configuration of the writing: an author for each person."""
    from society.config.run_config import load_config, override
    from society.personas.people import read_people

    from .runs import given_settings

    people = read_people(_table_path(args.table))
    profile = {"file": str(Path(people.path).resolve()), "shown": list(people.columns)}
    changes = {
        "parameters": {"words": args.words},
        "cohorts": [
            {
                "name": "author",
                "count": len(people),
                "components": [{"profile": profile}, {"language_policy": {}}],
            }
        ],
    }
    return override(load_config("persona_writing", changes), given_settings(args))


def _write_described(args: argparse.Namespace, written: WrittenPeople) -> None:
    """Write the people of whom there is a description, and name the others."""
    from society.personas.people import write_people

    failed = written.failed
    for row in failed[:_SHOWN]:
        line = written.people.lines[row]
        _note(
            f"{short_path(written.people.path)}, line {line}: no description could be read; this "
            "person is left out"
        )
    if len(failed) > _SHOWN:
        _note(f"and so are {len(failed) - _SHOWN} more people")
    if len(failed) == len(written.descriptions):
        return
    if args.out.exists() and not args.overwrite:
        _note(f"{short_path(args.out)} is written; nothing in it is changed")
        return
    write_people(args.out, *written.described, overwrite=args.overwrite)


def _print_written(args: argparse.Namespace, run: RunFile, written: WrittenPeople) -> None:
    from .runs import sum_ledger

    ledger = sum_ledger(run.ledger())
    count = len(written.descriptions)
    described = count - len(written.failed)
    if args.json:
        print_json({
            "out": str(args.out),
            "run": str(run.path),
            "people": count,
            "described": described,
            "failed": [written.people.lines[row] for row in written.failed],
            "ledger": ledger,
        })  # fmt: skip
    elif not args.quiet:
        cost = "an unknown price" if ledger["cost"] is None else f"{ledger['cost']:.4g} dollars"
        print(f"{described} of {count} people described · {short_path(args.out)}")
        print(f"{ledger['calls']:,} calls, {cost}")


# diversity


def _add_diversity(verbs: Commands) -> None:
    parser = verbs.add_parser("diversity", help="say how different the people of a table are")
    parser.add_argument("table", metavar="PEOPLE.csv", help="the people")
    parser.add_argument(
        "--column", metavar="COLUMN",
        help="the texts that are compared (default: description; without one, all columns)",
    )  # fmt: skip
    parser.add_argument(
        "--embedder", metavar="NAME",
        help="hashing (wording), minilm (meaning) or FILE.py:function (default: that of the "
        "project, else hashing)",
    )  # fmt: skip
    parser.add_argument(
        "--near", type=_cosine, default=0.95, metavar="COSINE",
        help="cosine from which two people are named as near-duplicates (default: 0.95)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=people_diversity_command)


def _cosine(text: str) -> float:
    """Return a number above 0 and at most 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a cosine above 0 and at most 1")
    return number


def people_diversity_command(args: argparse.Namespace) -> int:
    """Carry out `society personas diversity`."""
    from society.analysis.personas.diversity import measure_diversity
    from society.personas.people import DESCRIPTION, read_people

    people = read_people(_table_path(args.table))
    if len(people) < 2:
        raise people.wrong(people.lines[0], "there is one person only; compare two or more")
    column = args.column or (DESCRIPTION if DESCRIPTION in people.columns else "")
    texts = people.column(column) if column else _rows_as_texts(people)
    try:
        found = measure_diversity(texts, _embedder(args.embedder), args.near)
    except ValueError as error:
        raise InputError(f"{short_path(people.path)}: {error}; choose another --column") from None
    if args.json:
        print_json({
            "people": found.size,
            "column": column or None,
            "embedder": found.embedder,
            **{name: getattr(found, name)._asdict() for name in ("copies", "shuffled")},
            **found.people._asdict(),
            "pairs": [
                {"lines": [people.lines[one.first], people.lines[one.second]], "cosine": one.cosine}
                for one in found.near
            ],
        })  # fmt: skip
    else:
        _print_diversity(people, found, args.near, column)
    return 0


def _embedder(given: str | None) -> Embedder:
    """Return an embedder by name, by default that of the project; raises InputError without one."""
    from society.config.defaults import find_defaults
    from society.memory.embedders import ForeignWeights, MissingExtra, NoEmbedder, embedder

    defaults = find_defaults()
    name = given or defaults.embedder or "hashing"
    where = defaults.place("embedder") if defaults.embedder and not given else "--embedder"
    try:
        return embedder(name)
    except (NoEmbedder, MissingExtra, ForeignWeights) as error:
        raise InputError(f"{where}: {error}") from None


def _rows_as_texts(people: PeopleTable) -> list[str]:
    """Put each person into words: every trait with its name."""
    return [
        "; ".join(f"{name}: {cell}" for name, cell in zip(people.columns, row, strict=True))
        for row in people.cells
    ]


def _print_diversity(people: PeopleTable, found: PeopleDiversity, near: float, column: str) -> None:
    from rich.table import Table

    about = f"column {column}" if column else "all columns"
    print(f"{found.size} people · {about} · embedder {found.embedder}\n")
    table = Table(box=None, pad_edge=False)
    table.add_column("", overflow="fold")
    for heading in ("mean distance", "nearest pair", "effective number"):
        table.add_column(heading, justify="right")
    rows: Mapping[str, Any] = {
        "these people": found.people,
        "words shuffled": found.shuffled,
        "every second one a copy": found.copies,
    }
    for name, one in rows.items():
        table.add_row(name, f"{one.distance:.3f}", f"{one.nearest:.3f}", f"{one.effective:.1f}")
    console().print(table)
    alike = [pair for pair in found.near if pair.cosine >= near]
    heading = f"near-duplicates, cosine of at least {near:g}" if alike else "the nearest pair"
    print(f"\n{heading}:")
    for pair in found.near[:_SHOWN]:
        lines = f"lines {people.lines[pair.first]} and {people.lines[pair.second]}"
        print(f"  {lines}  {pair.cosine:.3f}")
    if len(found.near) > _SHOWN:
        print(f"  and {len(found.near) - _SHOWN} more pairs")
