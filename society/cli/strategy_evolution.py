"""The command that lets strategies evolve: a run of the scenario cultural_evolution."""

from __future__ import annotations

import argparse
from pathlib import Path

from society.analysis.strategies.evolution_config import (
    GENERATIONS,
    MANY,
    RULES,
    evolution_settings,
)

from .arguments import add_output_options, add_strict_option, out_path, whole_number
from .parser import Commands
from .runs import play_config


def add_evolve(verbs: Commands) -> None:
    """Add `society strategies evolve`."""
    parser = verbs.add_parser(
        "evolve", help="let users change to the models and attitudes whose strategies do well"
    )
    parser.add_argument(
        "folders", nargs="*", type=Path, metavar="FOLDER",
        help="folders of strategies (default: those that come with the program)",
    )  # fmt: skip
    parser.add_argument(
        "--game", required=True, metavar="G",
        help="the dilemma: public_goods, collective_risk or common_pool",
    )  # fmt: skip
    parser.add_argument(
        "--players", type=whole_number(2), metavar="N", help="players in a game (default: 4)"
    )
    parser.add_argument(
        "--rule", choices=RULES, default=RULES[0], metavar="RULE",
        help=f"rule of imitation: {', '.join(RULES)} (default: {RULES[0]})",
    )  # fmt: skip
    parser.add_argument(
        "--population", type=whole_number(1), metavar="N", help="number of users (default: 512)"
    )
    parser.add_argument(
        "--generations", type=whole_number(1), metavar="T",
        help=f"generations at most (default: {GENERATIONS[RULES[0]]}; {MANY:,} under other rules)",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole_number(0), metavar="S", help="random seed")
    parser.add_argument(
        "--replicates", type=whole_number(1), metavar="R", help="number of evolutions (default: 1)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="set one or more parameters: `society list cultural_evolution` names them",
    )  # fmt: skip
    parser.add_argument(
        "--record", choices=("full", "summary"), default="full",
        help="full (default): record all games; summary: record measures and digests only, from "
        "which the shares of genes cannot be told",
    )  # fmt: skip
    parser.add_argument("--out", type=out_path, metavar="FILE", help="run file")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    add_strict_option(parser)
    add_output_options(parser)
    parser.set_defaults(command=evolve_command, scenario="cultural_evolution", estimate=False)


def evolve_command(args: argparse.Namespace) -> int:
    """Carry out `society strategies evolve`."""
    from society.config.run_config import load_config, override, parse_settings

    given = evolution_settings(
        args.game,
        args.folders,
        rule=args.rule,
        players=args.players,
        population=args.population,
        generations=args.generations,
        seed=args.seed,
        replicates=args.replicates,
    )
    config = load_config("cultural_evolution", given)
    return play_config(args, override(config, parse_settings(args.changes)))
