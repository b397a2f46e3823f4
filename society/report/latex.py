"""A table for LaTeX: plain ASCII, so that it compiles with any engine, encoding and font.

Signs that plain fonts lack are spelled by commands, accented letters by accents; any other sign
stands as its code point, [U+4E2D], rather than as nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_LONGEST = 40  # rows on one page; what is longer is broken over pages
_LINE = 72  # characters that a line has room for
_BETWEEN = 3  # characters: the gap between two columns
_LEAST = 0.3  # of a line, for all columns of words
_SMALL = r"\scriptsize\setlength{\tabcolsep}{2pt}"

_LETTERS = "αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΦΨΩ"
_NAMES = """alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho
    varsigma sigma tau upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi
    Omega"""
_MATHS = dict(zip(_LETTERS, _NAMES.split(), strict=True)) | {
    "×": "times",
    "±": "pm",
    "≤": "leq",
    "≥": "geq",
    "≠": "neq",
    "≈": "approx",
    "→": "rightarrow",
    "←": "leftarrow",
    "↔": "leftrightarrow",
    "∞": "infty",
    "√": "surd",
    "·": "cdot",
    "•": "bullet",
    "●": "bullet",
    "◐": "odot",
    "○": "circ",
    "«": "ll",
    "»": "gg",
    "‹": "langle",
    "›": "rangle",
    "µ": "mu",
}
_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    **{sign: f"${sign}$" for sign in "<>|"},
    # At the beginning of a row they would be an option of what ends the row before it.
    **{sign: f"{{{sign}}}" for sign in "[*"},
    **{sign: rf"$\{command}$" for sign, command in _MATHS.items()},
    **{sign: rf"\textsuperscript{{{digit}}}" for sign, digit in zip("¹²³", "123", strict=True)},
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "°": r"\textsuperscript{o}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "§": r"\S{}",
    "£": r"\pounds{}",
    "€": "EUR",
}
_ACCENTS = dict(zip(map(chr, range(0x300, 0x305)), "`'^~=", strict=True)) | {
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
    "\u0328": "k",
}


def escape_latex(text: str) -> str:
    """Escape text in ASCII, so that every sign stands for itself."""
    return "".join(map(_spelled, unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=4096)
def _spelled(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign.isascii():
        return sign
    parts = unicodedata.normalize("NFKD", sign)
    if parts.isascii():
        return escape_latex(parts)
    first, marks = parts[0], parts[1:]
    if not marks or any(mark not in _ACCENTS for mark in marks):
        return f"{{[}}U+{ord(sign):04X}]"
    spelled = _spelled(first)
    for mark in marks:
        spelled = rf"\{_ACCENTS[mark]}{{{spelled}}}"
    return spelled


def latex_table(
    caption: str, forms: str, rows: Sequence[tuple[str, ...]], remarks: Sequence[str]
) -> str:
    """Write a `table`, or a `longtable` beyond 40 rows, with the rules of the package booktabs.

    forms: of each column l, r or p, which breaks its lines. rows: the headings first. What is wider
    than a line is made smaller.
    """
    widths = [max(map(len, column)) + _BETWEEN for column in zip(*rows, strict=True)]
    fixed = sum(width for width, form in zip(widths, forms, strict=True) if form != "p") / _LINE
    wide = fixed + _LEAST * ("p" in forms) > 1
    words = max(1 - fixed, _LEAST) / max(forms.count("p"), 1) - _BETWEEN / _LINE
    places = forms.replace("p", rf"p{{{words:.2f}\linewidth}}")
    head, *body = [" & ".join(map(escape_latex, row)) + r" \\" for row in rows]
    titled = rf"\caption{{{escape_latex(caption)}}}"
    below = [rf"\par\smallskip\footnotesize {escape_latex(remark)}" for remark in remarks]
    build = _over_pages if len(body) > _LONGEST else _on_one_page
    return "\n".join(build(titled, places, head, body, below, wide=wide)) + "\n"


def _on_one_page(
    titled: str, places: str, head: str, body: Sequence[str], below: Sequence[str], *, wide: bool
) -> list[str]:
    return [
        rf"% needs \usepackage{{booktabs{', graphicx' if wide else ''}}}",
        r"\begin{table}",
        r"\centering",
        titled,
        *([r"\resizebox{\linewidth}{!}{%"] if wide else []),
        rf"\begin{{tabular}}{{{places}}}",
        *(r"\toprule", head, r"\midrule", *body, r"\bottomrule"),
        rf"\end{{tabular}}{'}' if wide else ''}",
        *below,
        r"\end{table}",
    ]


def _over_pages(
    titled: str, places: str, head: str, body: Sequence[str], below: Sequence[str], *, wide: bool
) -> list[str]:
    return [
        r"% needs \usepackage{booktabs, longtable}",
        rf"\begingroup{_SMALL if wide else ''}",
        rf"\begin{{longtable}}{{{places}}}",
        rf"{titled} \\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot", *body),
        r"\end{longtable}",
        *below,
        r"\par\endgroup",
    ]
