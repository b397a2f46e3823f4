"""Whether the first line of a docstring opens with a clause or fragment that is read twice.

A good line opens with a verb ("Return the mean", "Draw each weight") or with a noun ("The mean over
present neighbours", "Rows of calls", "All columns, in order"). Not good are:

    a noun clause                "What a file came to.", "Whom a URL leads to.", "Whether it is so."
    a pronoun without an anchor  "Those of each run.", "Its own.", "Nothing.", "The same for texts."
    a phrase cut off its head    "Of each agent.", "By name.", "With gaps filled.", "From its JSON."
    a bare participle            "Kept until the end.", "Told once more."
    a number or shape            "3 of 10; or 3, if ...", "(R, N) of text."

`lines.tsv` has 100 first lines, drawn at random from the house as it was, with labels by hand; the
test says how often this rule agrees with them.
"""

from __future__ import annotations

import re

_CLAUSES = """
    what whatever who whoever whom whomever whose which whichever where wherever when whenever why
    how however whether if unless that because since although though while until till once
"""
_PRONOUNS = """
    it its itself he she they them their theirs those these this such others
    nothing nobody none everything everybody everyone something somebody anything anybody someone
    everybody's somebody's nobody's everyone's one's others' whosever it's
"""
_PREPOSITIONS = """
    of in by with without from for to into onto on upon over under above below at as after before
    behind beside besides beyond between among amid across along against about around near off out
    through throughout toward towards up down per via within like unlike than except instead despite
    during
"""
_ADVERBS = """
    not only also again so then thus there here yes never always already still just even else
    otherwise together alone apart aside away back too now ascending descending
"""
_PARTICIPLES = """
    told said kept found made drawn given taken seen read known shown done gone put set held left
    sent met spent lent paid cut worn written chosen spoken broken beaten bought built brought
    caught fought sought taught thought felt meant dealt slept swept lost shot shut split spread
    sold bound wound
"""
# What looks like a participle and is a verb or noun; and participles that are imperatives as well.
_NO_PARTICIPLES = {
    "seed",
    "feed",
    "need",
    "speed",
    "embed",
    "shed",
    "bed",
    "breed",
    "deed",
    "exceed",
}
_NO_PARTICIPLES |= {"proceed", "succeed", "heed", "weed", "bleed", "red", "shared", "indeed"}
_IMPERATIVES = {"put", "set", "read", "cut", "spread", "split", "shut"}
_OPENERS = {*_CLAUSES.split(), *_PRONOUNS.split(), *_PREPOSITIONS.split(), *_ADVERBS.split()}
_PARTED = {*_PARTICIPLES.split()} - _IMPERATIVES
# "All see", "each of them", "the same for": here the first word stands for a noun of its own.
_LONE = {"all", "each", "any", "some", "many", "few", "most", "several", "same", "one", "other"}
_LONE |= {"no", "both", "either", "neither", "another"}
_AFTER_LONE = {*_PREPOSITIONS.split(), *_CLAUSES.split(), "and", "or", "but", "if", "else"}
_AFTER_LONE |= {"is", "are", "was", "were", "has", "have", "had", "do", "does", "see", "get", "may"}
_AFTER_LONE |= {"can", "must", "will", "shall", "would", "know", "hear", "give", "take", "there"}


def opens_with_a_clause(line: str) -> bool:
    """Tell whether a first line opens with anything but a verb or a noun."""
    words = re.findall(r"[^\s,;:.()]+|[,;:.()]", line.lower())
    if not words:
        return False
    if words[0] in ("the", "an", "a") and len(words) > 1 and words[1] in _LONE:
        del words[0]
    first, second = words[0], words[1] if len(words) > 1 else "."
    if first in _LONE:
        return (not second[0].isalnum() and second[0] not in "`«'\"") or second in _AFTER_LONE
    if first in _OPENERS or not (first[0].isalpha() or first[0] in "`«'\"-"):
        return True
    participle = first.endswith("ed") and first not in _NO_PARTICIPLES
    return (participle or first in _PARTED) and not _is_noun_after(second)


def _is_noun_after(word: str) -> bool:
    """Tell whether a word may end a noun phrase that a participle opens: "Mixed strategies"."""
    closed = _AFTER_LONE | {
        "the",
        "a",
        "an",
        "its",
        "their",
        "once",
        "again",
        "not",
        "only",
        "anew",
    }
    return word[0].isalpha() and word not in closed and not word.endswith("ly")
