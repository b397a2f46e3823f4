"""Draw village_replay.svg: a round of the first village of the documents, as the replay shows it.

python docs/pictures/village_replay.py
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import society
from society.runs.reader import open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.export.svg import draw_svg
from society.theatre.frame import Frame, Size
from society.theatre.history import History
from society.theatre.view import View

SEED, SHOWN, SIZE = 1, 50, Size(110, 32)


def draw_picture() -> str:
    """Play the village, and draw one of its rounds without the line of keys."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "lake.run"
        society.run("fishing_village", seed=SEED, out=file)
        with open_run_file(file) as run:
            style = TerminalStyle("utf-8", SIZE.width)
            drawn = draw(History(run), View(round=SHOWN), SIZE, style)
    frame = Frame(Size(SIZE.width, SIZE.height - 1), drawn.lines[:-1])
    return draw_svg(frame, f"Round {SHOWN} of a fishing village", frame.plain)


if __name__ == "__main__":
    Path(__file__).with_name("village_replay.svg").write_text(draw_picture(), encoding="utf-8")
