"""Strategies that are programs, from Python: write, check, play, compare and evolve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from society.config.run_config import Setting, override, read_settings
from society.llm.providers.named_servers import addresses_in, naming_servers
from society.notebook_pages import html_table
from society.sandbox.stage_games import GameName
from society.terminal.labels import count_noun

from .given import (
    choose_word,
    list_some,
    listed,
    output_path,
    read_limits,
    read_mapping,
    read_number,
    read_real,
)
from .progress import watch_in_notebook
from .python_words import speaking_python
from .results import Result
from .single_runs import run

if TYPE_CHECKING:
    from society.analysis.strategies.checked_files import CheckedClass
    from society.analysis.strategies.compared_sets import SetComparison
    from society.analysis.strategies.single_match import ProgramMatch
    from society.analysis.strategies.written_strategies import WrittenStrategy
    from society.report.figures.style import Figure
    from society.scenarios.programs.imitation import ImitationRule

Files = str | Path | Sequence[str | Path]


@dataclass(frozen=True, eq=False)
class StrategyChecks:
    """The classes of some files, each accepted or refused.

    found: all of them, with what the check says.
    """

    found: tuple[CheckedClass, ...]

    @property
    def accepted(self) -> list[str]:
        """The names of the classes that may play."""
        return [one.program.name for one in self.found if one.program.accepted]

    def frame(self) -> Any:
        """One row for each class, with its file, its line and the reason of a refusal.

        Needs the extra `lab`. `words` says what an accepted program reads, draws and remembers.
        """
        from society.analysis.study.frames import (
            FrameColumn,
            data_frame,
            nullable_integers,
            strings,
        )

        programs = [one.program for one in self.found]
        texts: dict[str, list[str]] = {
            "class": [one.name for one in programs],
            "reason": [one.reason for one in programs],
            "file": [str(one.file) for one in self.found],
            "interface": [one.interface for one in programs],
            "words": [one.describe() for one in self.found],
        }
        flags = {
            "accepted": [one.accepted for one in programs],
            "random": [one.random for one in programs],
            "keeps_state": [one.keeps_state for one in programs],
        }
        columns = {name: FrameColumn(strings(values), "words") for name, values in texts.items()}
        columns |= {
            name: FrameColumn(_flags(values), "yes or no") for name, values in flags.items()
        }
        lines = nullable_integers([one.line for one in programs])
        return data_frame({**columns, "line": FrameColumn(lines, "number from 1")})

    def as_json(self) -> list[dict[str, Any]]:
        """Return all that `society strategies check --json` prints."""
        return [one.facts() for one in self.found]

    def __repr__(self) -> str:
        return "\n".join(f"{verdict:8} {name}  {words}" for name, verdict, words in self._rows())

    def _repr_html_(self) -> str:
        caption = f"{len(self.accepted)} of {len(self.found)} classes are accepted"
        return html_table(caption, ("class", "verdict", "what it does, or why not"), self._rows())

    def _rows(self) -> list[tuple[str, str, str]]:
        return [
            (one.program.name, "ok" if one.program.accepted else "refused", one.describe())
            for one in self.found
        ]


@speaking_python()
def check_strategies(
    files: Files, *, game: GameName | None = None, allow: str | Sequence[str] = ()
) -> StrategyChecks:
    """Check the classes of files and folders as the sandbox does, without executing them.

    game: that they are for, which refuses programs of another one. allow: names of numpy, or
    methods of arrays, that programs may use as well. Raises FileError, SandboxError.
    """
    from society.analysis.strategies.checked_files import check_classes

    chosen = None if game is None else _game(game)
    return StrategyChecks(tuple(check_classes(_paths(files), chosen, listed("allow", allow, str))))


@dataclass(frozen=True, eq=False)
class StrategyMatch:
    """A match of programs that was played.

    moves: of each player, such as "CDDC". payoffs: points over all rounds. played: the match with
    its size, its efficiency and its `troubles`, calls that gave no move.
    """

    played: ProgramMatch

    @property
    def moves(self) -> dict[str, str]:
        """The moves of each player, a letter for each round."""
        return self.played.moves

    @property
    def payoffs(self) -> dict[str, float]:
        """The points of each player over all rounds."""
        return self.played.payoffs

    def frame(self) -> Any:
        """One row for each player: its moves, its points, its share of cooperation.

        Needs the extra `lab`.
        """
        import numpy as np

        from society.analysis.study.frames import FrameColumn, data_frame, strings

        shares = [moves.count("C") / len(moves) for moves in self.moves.values()]
        frame = data_frame(
            {
                "player": FrameColumn(strings(self.moves), "name"),
                "moves": FrameColumn(strings(self.moves.values()), "C or D a round"),
                "payoff": FrameColumn(np.array([*self.payoffs.values()]), "points, all rounds"),
                "cooperation": FrameColumn(np.array(shares), "share of rounds"),
            }
        )
        frame.attrs["efficiency"] = self.played.efficiency
        return frame

    def as_json(self) -> dict[str, Any]:
        """Return all that `society strategies play --json` prints."""
        return self.played.facts()

    def __repr__(self) -> str:
        width = max(map(len, self.moves))
        lines = [
            f"{name:{width}}  {moves}  {self.payoffs[name]:.2f} points"
            for name, moves in self.moves.items()
        ]
        return "\n".join([self._caption, *lines, *self._troubles])

    def _repr_html_(self) -> str:
        rows = [(name, moves, f"{self.payoffs[name]:.2f}") for name, moves in self.moves.items()]
        caption = "; ".join([self._caption, *self._troubles])
        return html_table(caption, ("player", "moves", "points"), rows)

    @property
    def _caption(self) -> str:
        size = f"{self.played.players} players, {self.played.rounds} rounds"
        return f"{self.played.game}: {size}, efficiency {self.played.efficiency:.3g}"

    @property
    def _troubles(self) -> list[str]:
        return [one.describe() for one in self.played.troubles]


@speaking_python()
def play_strategies(
    files: Files,
    game: GameName,
    *,
    classes: str | Sequence[str] = (),
    players: int | None = None,
    rounds: int = 20,
    seed: int = 1,
    factor: float | None = None,
    threshold: int | None = None,
    capacity: float | None = None,
    open_source: bool = False,
    allow: str | Sequence[str] = (),
) -> StrategyMatch:
    """Play one match among the classes of some files, in the sandbox.

    classes: those that play; by default all. players: seats, which classes take in turn, by default
    one each and at least four. rounds: how many. seed: of programs that draw. factor, threshold,
    capacity: k, m and K of the game; None: its usual ones. open_source: programs may read each
    other. allow: as in `check_strategies`. Raises FileError, and SandboxError for programs that are
    refused.
    """
    from society.analysis.strategies.checked_files import choose_programs
    from society.analysis.strategies.single_match import play_match

    dilemma = _game(game)
    programs = choose_programs(
        _paths(files), dilemma, listed("classes", classes, str), listed("allow", allow, str)
    )
    match = play_match(
        programs,
        dilemma,
        players=None if players is None else read_number("players", players, 2),
        rounds=read_number("rounds", rounds, 1),
        seed=read_number("seed", seed),
        open_source=open_source,
        factor=None if factor is None else read_real("factor", factor),
        threshold=None if threshold is None else read_number("threshold", threshold),
        capacity=None if capacity is None else read_real("capacity", capacity),
    )
    return StrategyMatch(match)


@dataclass(frozen=True, eq=False)
class WrittenStrategies:
    """What models wrote: descriptions, and the programs that came of them.

    written: all of them, with each program that was tried. folder: the strategies, for
    `check_strategies` and the others. path: the run file of the writing.
    """

    written: tuple[WrittenStrategy, ...]
    folder: Path
    path: Path

    def frame(self) -> Any:
        """One row for each description, with its author and what became of it.

        Needs the extra `lab`.
        """
        import numpy as np

        from society.analysis.study.frames import FrameColumn, data_frame, strings

        texts = {
            name: [getattr(one, name) for one in self.written]
            for name in ("model", "attitude", "description", "reason")
        }
        columns = {name: FrameColumn(strings(values), "words") for name, values in texts.items()}
        columns |= {
            "accepted": FrameColumn(_flags([one.accepted for one in self.written]), "yes or no"),
            "tries": FrameColumn(np.array([len(one.tries) for one in self.written]), "programs"),
        }
        return data_frame(columns)

    def __repr__(self) -> str:
        accepted = sum(one.accepted for one in self.written)
        return f"{accepted} of {len(self.written)} descriptions became programs, in {self.folder}"

    def _repr_html_(self) -> str:
        from society.analysis.strategies.written_strategies import success_by_author

        rows = [
            (*one.group, str(one.described), str(one.accepted), str(one.tries))
            for one in success_by_author(self.written)
        ]
        head = ("model", "attitude", "described", "accepted", "programs tried")
        return html_table(repr(self), head, rows)


@speaking_python(model="models")
def write_strategies(
    game: GameName,
    attitudes: str | Sequence[str] | Mapping[str, str],
    count: int,
    *,
    models: str | Sequence[str] = "offline",
    tries: int = 5,
    parameters: Mapping[str, Any] | None = None,
    prompts: str | Path | None = None,
    seed: int | None = None,
    limits: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
) -> WrittenStrategies:
    """Let models write strategies, in words and then as programs, into a folder.

    attitudes: in words; "collective" and "exploitative" are known, others are given with the action
    that stands in where a program fails, {"generous": "C"}. count: strategies of each model and
    attitude. tries: programs for one description before it is given up. parameters: of the scenario
    strategy_writing. seed: of all chance. out: the folder; None: strategies/GAME. A writing that
    was interrupted there goes on. Raises InputError, and Paused where a limit is reached; what was
    written is kept.
    """
    from society.analysis.strategies.writing_config import (
        RUN_FILE,
        parse_attitudes,
        try_sandbox,
        writing_config,
    )
    from society.config.build import build
    from society.runs.play import play, resume
    from society.runs.provenance import is_unfinished
    from society.runs.session import End

    if isinstance(attitudes, Mapping):
        attitudes = [f"{name}={action}" for name, action in attitudes.items()]
    said = list_some("attitudes", attitudes, str)
    authors, dilemma = list_some("models", models, str), _game(game)
    spec = writing_config(
        dilemma,
        parse_attitudes(said),
        read_number("count", count, 1),
        authors,
        read_number("tries", tries, 1),
    )
    changed = read_mapping("parameters", parameters or {}, "{'trial': False}")
    given = {
        "seed": None if seed is None else read_number("seed", seed),
        "prompts": None if prompts is None else str(prompts),
    }
    bounds = [Setting(("limits", key), one, "limits") for key, one in read_limits(limits).items()]
    own = read_settings({key: one for key, one in given.items() if one is not None})
    settings = [Setting(("parameters", key), one) for key, one in changed.items()]
    setup = build(override(spec, [*settings, *own, *bounds]))
    folder = Path("strategies", dilemma) if out is None else output_path(out)
    path = folder / RUN_FILE
    with naming_servers(addresses_in({})):
        if not path.exists():
            try_sandbox(setup)
            end = play(setup, path, "full", watch=watch_in_notebook, conclude=False)
        elif is_unfinished(path, setup):
            end = resume(path, lambda one: override(one, bounds), watch_in_notebook, conclude=False)
        else:
            end = End("finished")
    if end.error is not None:
        raise end.error
    return _written(folder, path)


def _written(folder: Path, path: Path) -> WrittenStrategies:
    """Read a writing, and make its folder if there is none yet."""
    from society.analysis.strategies.written_folder import write_folder
    from society.analysis.strategies.written_strategies import read_writing
    from society.runs.runfile import open_run_file
    from society.sandbox.strategy_folder import MANIFEST

    with open_run_file(path) as file:
        written = read_writing(file)
        if not (folder / MANIFEST).exists():
            write_folder(folder, file.manifest.params["game"], written)
    return WrittenStrategies(tuple(written), folder, path)


@dataclass(frozen=True, eq=False)
class StrategySets:
    """Sets of strategies, one for each model and attitude, measured in one plane.

    compared: all numbers.
    """

    compared: SetComparison

    def frame(self) -> Any:
        """One row for each set: its size, diversity, cooperation and responsiveness.

        Needs the extra `lab`.

        behaviours                  how many of the strategies differ in behaviour
        mpd, normalised_mpd         mean pairwise distance of behaviour, raw and against chance
        participation_ratio         how many directions the set spreads in
        cooperation, responsiveness means over the strategies of the set
        """
        import numpy as np

        from society.analysis.study.frames import FrameColumn, data_frame, strings

        summaries = self.compared.summaries
        named = {
            "folder": [str(self.compared.folders[one.folder].path) for one in summaries],
            "model": [one.name.model for one in summaries],
            "attitude": [one.name.attitude for one in summaries],
            "typical": [one.typical for one in summaries.values()],
        }
        columns = {name: FrameColumn(strings(values), "name") for name, values in named.items()}
        counts = ("strategies", "behaviours")
        for name, unit in _UNITS.items():
            values = [_number(getattr(one, name)) for one in summaries.values()]
            column = np.array(values, int if name in counts else float)
            columns[name] = FrameColumn(column, unit)
        return data_frame(columns)

    def pairs(self) -> Any:
        """One row for each pair of sets that are compared; needs the extra `lab`.

        compared: "attitudes" of one model in one game, or "folders". distance: of the means of the
        two sets. cohens_d: the same in standard deviations.
        """
        import numpy as np

        from society.analysis.study.frames import FrameColumn, data_frame, strings

        kinds = [("attitudes", one) for one in self.compared.attitudes]
        kinds += [("folders", one) for one in self.compared.shifts]
        texts = {
            "compared": [kind for kind, _ in kinds],
            "first": [self.compared.label(one.first) for _, one in kinds],
            "second": [self.compared.label(one.second) for _, one in kinds],
        }
        columns = {name: FrameColumn(strings(values), "name") for name, values in texts.items()}
        far = np.array([_number(one.shift.distance) for _, one in kinds], float)
        effects = np.array([_number(one.shift.effect) for _, one in kinds], float)
        columns["distance"] = FrameColumn(far, "distance in 961 contexts")
        columns["cohens_d"] = FrameColumn(effects, "standard deviations")
        return data_frame(columns)

    def plot(self) -> Figure:
        """Draw the plane of behaviour with all sets; needs the extra `lab`."""
        from society.report.figures.behaviour_plane import behaviour_plane

        title = "Strategies by their behaviour"
        return behaviour_plane("behaviour_plane", title, self.compared.plane)

    def as_json(self) -> dict[str, Any]:
        """Return all that `society strategies diversity --json` prints."""
        from society.analysis.strategies.folder_comparison import comparison_facts

        return comparison_facts(self.compared)

    def __repr__(self) -> str:
        return "\n".join([self._caption, *(f"  {' · '.join(row)}" for row in self._rows())])

    def _repr_html_(self) -> str:
        head = ("set", "strategies", "behaviours", "normalised distance", "cooperation", "typical")
        return html_table(self._caption, head, self._rows())

    @property
    def _caption(self) -> str:
        from society.analysis.strategies.folder_comparison import describe_refused

        left = "; ".join(describe_refused(self.compared))
        many = count_noun(len(self.compared.summaries), "set")
        return f"{many} of strategies" + (f"; {left}" if left else "")

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                self.compared.label(one),
                str(found.strategies),
                str(found.behaviours),
                "–" if math.isnan(far := _number(found.normalised_mpd)) else f"{far:.3g}",
                f"{found.cooperation:.3g}",
                found.typical,
            )
            for one, found in self.compared.summaries.items()
        ]


_UNITS = {
    "strategies": "strategies",
    "behaviours": "strategies",
    "mpd": "distance in 961 contexts",
    "normalised_mpd": "share of that of uniform vectors",
    "participation_ratio": "directions",
    "cooperation": "rate over contexts",
    "responsiveness": "slope over opponents who cooperated last",
}


@speaking_python()
def compare_strategies(
    first: str | Path,
    second: str | Path | None = None,
    *,
    game: GameName | None = None,
    seed: int = 0,
) -> StrategySets:
    """Compare the behaviour of sets of strategies, of one or two folders.

    game: of a folder without a manifest. seed: of strategies that draw, and of uniform vectors.
    `society strategies diversity` does the same. Raises FileError, SandboxError.
    """
    from society.analysis.strategies.folder_comparison import compare_folders

    folders = [output_path(first, "first")]
    folders += [] if second is None else [output_path(second, "second")]
    chosen = None if game is None else _game(game)
    return StrategySets(compare_folders(folders, chosen, read_number("seed", seed)))


@speaking_python()
def evolve_strategies(
    game: GameName,
    folders: Files = (),
    *,
    rule: ImitationRule = "proportional",
    players: int | None = None,
    population: int | None = None,
    generations: int | None = None,
    seed: int | None = None,
    replicates: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> Result:
    """Let users change to the models and attitudes whose strategies do well.

    folders: of strategies; by default those that come with the program. rule: of imitation.
    players: in a game. population: number of users. generations: at most; by default 200, or 1,000
    under rules of pairs. seed: of all chance. replicates: R, how many evolutions. parameters:
    others of the scenario cultural_evolution. out, overwrite: as `society.run` takes them. `society
    strategies evolve` does the same. Raises InputError for what cannot be played.
    """
    from society.analysis.strategies.evolution_config import RULES, evolution_settings

    given = evolution_settings(
        _game(game),
        [Path(one) for one in listed("folders", folders, str, Path)],
        rule=choose_word("rule", rule, RULES),
        players=players,
        population=population,
        generations=generations,
        seed=seed,
        replicates=replicates,
    )
    more = read_mapping("parameters", parameters or {}, "{'mutation': 0.01}")
    settings = {**given, "parameters": {**given["parameters"], **more}}
    return run({"scenario": "cultural_evolution", **settings}, out=out, overwrite=overwrite)


def _paths(given: Files) -> list[Path]:
    return [Path(one) for one in list_some("files", given, str, Path)]


def _game(given: object) -> GameName:
    """Return a game by its name; raises InputError for another one."""
    return cast(GameName, choose_word("game", given, get_args(GameName)))


def _flags(values: Sequence[bool]) -> Any:
    import numpy as np

    return np.array(values, bool)


def _number(found: object) -> float:
    """Return a number; NaN where none can be estimated."""
    return found if isinstance(found, int | float) else float("nan")
