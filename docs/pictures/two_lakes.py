"""Draw two_lakes.svg: two fishing villages with the same random numbers, with and without fines.

    python docs/pictures/two_lakes.py

Each curve is the stock of one run, in fish, by round. The means under the picture are those of
1,000 runs a condition with the same seed.
"""

from collections.abc import Mapping
from pathlib import Path

import society

WIDTH, HEIGHT, LEFT, TOP = 640, 230, 46, 16
CAPACITY, ROUNDS, SEED = 300.0, 100, 3
LAKES: tuple[tuple[str, str, Mapping[str, float]], ...] = (
    ("no fines", "#b4442c", {"punish_until": 0}),
    ("fines of 18 fish", "#1f6f8b", {"fine": 18}),
)


def curve(parameters: Mapping[str, float]) -> str:
    """The stock of one run as points of a polyline."""
    rounds = society.run("fishing_village", seed=SEED, parameters=parameters).rounds
    stock = CAPACITY * rounds["stock"]  # a share of the capacity
    return " ".join(
        f"{LEFT + 5.3 * number:.1f},{TOP + 170 * (1 - fish / CAPACITY):.1f}"
        for number, fish in zip(rounds["round"], stock, strict=True)
    )


def mean_survival(parameters: Mapping[str, float]) -> float:
    played = society.run("fishing_village", seed=SEED, replicates=1000, parameters=parameters)
    return float(played.measures["survival_time"].mean or 0)


def picture() -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12">',
        "<title>Stock of the lake by round in two villages with the same random numbers</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<path d="M{LEFT},{TOP} V{TOP + 170} H{LEFT + 530}" fill="none" stroke="#888"/>',
    ]
    for fish in (0, 100, 200, 300):
        y = TOP + 170 * (1 - fish / CAPACITY)
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{fish}</text>')
    for number in (0, 25, 50, 75, ROUNDS):
        x = LEFT + 5.3 * number
        lines.append(f'<text x="{x:.0f}" y="{TOP + 186}" text-anchor="middle">{number}</text>')
    lines.append(f'<text x="{LEFT + 265}" y="{TOP + 204}" text-anchor="middle">round</text>')
    lines.append(f'<text x="{LEFT + 8}" y="{TOP + 10}">fish in the lake</text>')
    for place, (name, colour, parameters) in enumerate(LAKES):
        mean = mean_survival(parameters)
        label = f"{name} (mean survival of 1,000 runs: {mean:.0f} rounds)"
        lines += [
            f'<polyline points="{curve(parameters)}" fill="none" stroke="{colour}" '
            'stroke-width="2.5"/>',
            f'<text x="{LEFT + 200}" y="{TOP + 10 + 18 * place}" fill="{colour}">{label}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_name("two_lakes.svg").write_text(picture(), encoding="utf-8")
