"""Draw fines.svg: the outcome of the experiment of docs/experiments.md, as its report shows it.

    python docs/pictures/fines.py

How long fishing villages last, by fine and growth of the lake: means of 40 villages in each
condition, with 95 % intervals and letters.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import society

EXPERIMENT = """
base: fishing_village
replicates: 40
seed: 11
factors:
  fine: [2, 10, 18]
  lake: {harsh: {growth: 0.2}, rich: {growth: 0.6}}
"""


def draw_picture() -> str:
    """Play the experiment, and take the figure from its report."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "fines.yaml").write_text(EXPERIMENT, encoding="utf-8")
        study = society.sweep(home / "fines.yaml", out=home / "sweep")
        society.make_report(study, out=home / "report")
        return (home / "report" / "figures" / "outcome.svg").read_text(encoding="utf-8")


if __name__ == "__main__":
    Path(__file__).with_name("fines.svg").write_text(draw_picture(), encoding="utf-8")
