"""What prompts share at their beginning, for each `option_order`, and what a cache makes of it.

in characters   the mean, over all questions that several agents are asked at once, of what all
                prompts begin with, over their mean length
ideal cache     the part of all prompts of a run that an earlier prompt of the run began with
llama.cpp       the part of all tokens of prompts that a real server took from its cache, with as
                many slots as said; with --model FILE.gguf (and xllamacpp), else not measured

python tests/benchmarks/prefixes.py [SOCIETY ...] [--model FILE.gguf] [--slots N]
"""

from __future__ import annotations

import argparse
import bisect
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any, get_args

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from society.engine.agents import OptionOrder
from tests.every_question import SOCIETIES, Heard, groups, listen, shared_share, shared_start

ROOM = 1024  # tokens of context for each slot


def ideal_share(prompts: Sequence[str]) -> float:
    """The part of some prompts with which one before them began."""
    seen: list[str] = []
    hits = 0
    for prompt in prompts:
        place = bisect.bisect(seen, prompt)
        near = seen[max(0, place - 1) : place + 1]
        hits += max((shared_start(prompt, other) for other in near), default=0)
        seen.insert(place, prompt)
    return hits / sum(map(len, prompts))


class Server:
    """A llama.cpp server in this process; each reply is one token."""

    def __init__(self, file: str, slots: int) -> None:
        llama: Any = import_module("xllamacpp")
        params = llama.CommonParams()
        params.model.path = file
        params.n_parallel, params.n_ctx = slots, slots * ROOM
        params.cache_ram_mib, params.warmup, params.verbosity = 0, False, -1
        self._server = llama.Server(params)

    def cached_share(self, heard: Sequence[Heard]) -> float:
        """The part of the tokens of prompts that came from the cache, asked one by one."""
        cached = total = 0
        for one in heard:
            messages = [message._asdict() for message in one.request.messages]
            said: dict[str, Any] = self._server.handle_chat_completions(
                {"messages": messages, "max_tokens": 1, "cache_prompt": True}
            )
            cached += said["timings"]["cache_n"]
            total += said["timings"]["cache_n"] + said["timings"]["prompt_n"]
        return cached / total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("societies", nargs="*", default=list(SOCIETIES), metavar="SOCIETY")
    parser.add_argument("--model", metavar="FILE.gguf")
    parser.add_argument("--slots", type=int, default=4)
    args = parser.parse_args()
    orders = get_args(OptionOrder)
    heads = ["in characters", "ideal cache", *(["llama.cpp"] if args.model else [])]
    print(f"{'':26}" + "".join(f"{head:>24}" for head in heads))
    print(f"{'':26}" + "".join(f"{order:>8}" for order in orders * (3 if args.model else 2)))
    for society in args.societies:
        runs = [listen(society, order) for order in orders]
        shares = [mean(shared_share(words) for _, words in groups(heard)) for heard in runs]
        shares += [ideal_share([one.words for one in heard]) for heard in runs]
        if args.model:
            shares += [Server(args.model, args.slots).cached_share(heard) for heard in runs]
        print(f"{society:26}" + "".join(f"{share:8.0%}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
