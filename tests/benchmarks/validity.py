"""Valid answers at the first try of a real, very small language model, with schemas and without.

SmolLM2-135M-Instruct in this process, one slot, one thread, replies of 48 tokens at most, texts of
30 characters, temperature 0.8. First each form of reply with a short question of its own, then each
kind of question that scenarios and mechanisms ask, with its real prompt. The judge is the program's
own reading. Legal is not sensible: this model is too small to be a mind.

    python tests/benchmarks/validity.py [--structured 100] [--free 30] [--kinds 10] [--keep FILE]

--keep writes every reply to a form as a line of JSON: the parsers' tests read some of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from society.engine.cancellation import CancellationToken
from society.llm.providers.pool import ModelPool
from tests.real_minds import FORMS, SOCIETIES, SPEC, form_request, reading, real_answers


async def at_once() -> None:
    """Do nothing: there is nothing to note before a call."""


async def ask_forms(count: int, *, structured: bool, kept: TextIO) -> None:
    """Print how many of so many answers in each form are valid at the first try."""
    # Prompts are alike here, and are read once.
    spec = SPEC.model_copy(update={"extra": {}})
    pool, token = ModelPool({"default": spec}, seed=1), CancellationToken()
    try:
        for name, form in FORMS.items():
            valid, began = 0, time.process_time()
            for number in range(count):
                request = form_request(form, number, structured=structured)
                said = await pool.call(request, at_once, token)
                read, trouble = reading(form, said.text, said.finish)
                valid += not trouble
                line = [name, structured, said.text, said.finish, read, trouble]
                kept.write(json.dumps(line, default=float) + "\n")
            _print_row(name, valid, count, time.process_time() - began)
    finally:
        await pool.close()


def ask_kinds(plays: int, *, structured: bool) -> None:
    """Print how many first answers to each kind of question are valid, in so many plays."""
    valid, count = defaultdict[str, int](int), defaultdict[str, int](int)
    began = time.process_time()
    for scenario, changes in SOCIETIES:
        for seed in range(1, plays + 1):
            for one in real_answers(scenario, changes, seed, structured=structured):
                words = f"{one.society}: {one.kind}" + (" (no schema)" if one.free else "")
                valid[words] += not one.trouble
                count[words] += 1
    for words in count:
        _print_row(words, valid[words], count[words])
    _print_row("all", sum(valid.values()), sum(count.values()), time.process_time() - began)


def _print_row(words: str, valid: int, count: int, seconds: float | None = None) -> None:
    took = "" if seconds is None else f"   {seconds:.0f} s of CPU"
    print(f"{words:60} {valid:4} of {count:4}{took}", flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--structured", type=int, default=100, help="answers in each form")
    parser.add_argument("--free", type=int, default=30, help="the same without a schema")
    parser.add_argument("--kinds", type=int, default=10, help="plays of each society")
    parser.add_argument("--keep", type=Path, default=None, help="file for the replies to forms")
    args = parser.parse_args(argv)
    with (args.keep or Path("/dev/null")).open("w", encoding="utf-8") as kept:
        for structured, count in ((True, args.structured), (False, args.free)):
            print(f"\nforms of reply, {'with a schema' if structured else 'free text'}")
            asyncio.run(ask_forms(count, structured=structured, kept=kept))
    print("\nkinds of questions, with a schema where the form has one")
    ask_kinds(args.kinds, structured=True)


if __name__ == "__main__":
    main()
