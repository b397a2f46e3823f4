"""Colours as everybody sees them: contrast by WCAG 2.2, and distance, for three kinds of vision.

Contrast is (L1 + 0.05) / (L2 + 0.05) of relative luminances. Colour vision deficiency is simulated
by the matrices of Machado, Oliveira and Fernandes (2009, IEEE TVCG 15) for complete protanopia and
deuteranopia, in linear RGB.
"""

from __future__ import annotations

import numpy as np

from society.engine.rng import Array

VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def seen(colour: str, vision: str) -> Array:
    """Linear red, green and blue of a colour as somebody sees it, (3,)."""
    signal = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    light = np.where(signal <= 0.04045, signal / 12.92, ((signal + 0.055) / 1.055) ** 2.4)
    mixed: Array = np.clip(VISIONS[vision] @ light, 0, 1)
    return mixed


def luminance(colour: str, vision: str = "usual") -> float:
    return float(TO_XYZ[1] @ seen(colour, vision))


def contrast(one: str, other: str, vision: str = "usual") -> float:
    low, high = sorted(luminance(each, vision) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def distance(one: str, other: str, vision: str) -> float:
    """Distance in CIELAB (1976); some 2.3 are just noticed."""
    labs = []
    for each in (one, other):
        x, y, z = np.cbrt(TO_XYZ @ seen(each, vision) / [0.9505, 1, 1.089])
        labs.append(np.array([116 * y, 500 * (x - y), 200 * (y - z)]))
    return float(np.linalg.norm(labs[0] - labs[1]))
