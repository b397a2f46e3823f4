"""Draw two_villages.svg: two fishing villages with the same random numbers, side by side.

    python docs/pictures/two_villages.py

One thing differs: at the left nobody can be fined, at the right a fine is 18 fish. Above is a frame
of `society replay A.run --beside B.run`. One pair is an illustration; below are the means of many
pairs, and of their differences, with intervals.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.text import Text

import society
from society.analysis.statistics.contrasts import paired
from society.analysis.statistics.means import mean
from society.runs.reader import open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw_beside
from society.theatre.export.svg import draw_svg
from society.theatre.frame import Frame, Size, fit
from society.theatre.history import History
from society.theatre.view import View

SEED, PAIRS, ROUNDS = 3, 200, 100
VILLAGES: Mapping[str, Mapping[str, float]] = {
    "nobody is fined": {"fine": 18, "punish_until": 0},
    "fines of 18 fish": {"fine": 18},
}
SHOWN = 32  # the round in which the lake at the left collapses
SIZE = Size(140, 25)  # of the frame with its line of keys
LABEL, SCALE = 20, 60  # cells


class Range(NamedTuple):
    """A mean and its 95 % interval, in rounds."""

    mean: float
    low: float
    high: float


def draw_pair(folder: Path) -> Frame:
    """Draw one round of both villages."""
    files = [folder / f"{number}.run" for number in range(2)]
    for file, parameters in zip(files, VILLAGES.values(), strict=True):
        society.run("fishing_village", seed=SEED, parameters=parameters, out=file)
    with open_run_file(files[0]) as one, open_run_file(files[1]) as other:
        view = View(round=SHOWN, beside=True, second=True)
        style = TerminalStyle("utf-8", SIZE.width)
        drawn = draw_beside(History(one), History(other), view, SIZE, style)
    return Frame(drawn.size, drawn.lines[:-1])  # a picture has no keys


def measure_pairs(folder: Path) -> dict[str, Range]:
    """Measure how long villages last, and how much longer each lasts with fines than without."""
    lasted = []
    for number, parameters in enumerate(VILLAGES.values()):
        file = folder / f"many_{number}.run"
        society.run(
            "fishing_village", seed=SEED, replicates=PAIRS, parameters=parameters,
            out=file, level="summary",
        )  # fmt: skip
        with open_run_file(file) as run:
            lasted.append(run.outcome().values["survival_time"])
    means = dict(zip(VILLAGES, map(mean, lasted), strict=True))
    gained = paired(lasted[1], lasted[0])
    return {
        **{name: Range(one.mean, *one.interval[:2]) for name, one in means.items()},
        "difference of pairs": Range(gained.difference, *gained.interval[:2]),
    }


def draw_ranges(ranges: Mapping[str, Range]) -> Iterator[Text]:
    """Draw means and intervals, a line each, on a scale from 0 to all rounds."""
    title = Text().append("── ", "dim").append(f"{PAIRS} pairs of villages", "bold")
    title.append(f": how long they last, in rounds, of at most {ROUNDS} ", "dim")
    yield title.append("─" * (SIZE.width - title.cell_len), "dim")
    for name, one in ranges.items():
        low, here, high = (round(SCALE * value / ROUNDS) for value in (one.low, one.mean, one.high))
        line = Text().append(f"{name:{LABEL}}0 ").append("─" * low, "dim")
        line.append("━" * (here - low) + "◆" + "━" * (high - here), "bold green")
        line.append("─" * (SCALE - high), "dim").append(f" {ROUNDS}")
        line.append(f"  {one.mean:.1f} rounds", "bold")
        yield line.append(f"  (95 % {one.low:.1f} to {one.high:.1f})", "dim")


def draw_picture() -> str:
    """Draw the frame, and the means below it."""
    with TemporaryDirectory() as folder:
        pair, ranges = draw_pair(Path(folder)), measure_pairs(Path(folder))
    lines = [*pair.lines, *draw_ranges(ranges)]
    whole = fit(lines, Size(SIZE.width, len(lines)))
    return draw_svg(whole, "Two fishing villages with the same random numbers", whole.plain)


if __name__ == "__main__":
    Path(__file__).with_name("two_villages.svg").write_text(draw_picture(), encoding="utf-8")
