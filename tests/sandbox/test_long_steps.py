"""Programs cannot keep C code busy: their steps run out within about a second of processor time."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

import pytest

from society.sandbox.checker import check_programs
from society.sandbox.running.step_budget import STEPS, RuleBroken, budget

from .attack_programs import Attack
from .long_steps import LONG_STEPS, QUICK
from .program_play import Table, four_players, start

MINUTE = 60  # of processor time; without limits of steps they would never end
MEMORY = 3 << 30  # beyond what this process has already
FEW = 20_000  # steps, for quick tests

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def label(text: str) -> str:
    return " ".join(text.split())[-60:]


def decide(text: str, steps: int = STEPS) -> str:
    """Let a program decide once; returns how that ended."""
    program = check_programs(Attack("", text, "").source)[-1]
    if program.code is None:
        return "refused"
    game = four_players("public_goods")
    instance, table = start(program, program.code, game), Table(game, program.interface)
    budget.reset(steps)
    try:
        table.call(instance)
    except RuleBroken as broken:
        return broken.rule
    except (ArithmeticError, TypeError, ValueError) as error:
        return type(error).__name__
    return "it ended"


def ends_in_a_child(text: str) -> bool:
    """Tell if a decision ends, in a process of its own that is ended after a minute."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    child = os.fork()
    if child == 0:
        with suppress(BaseException):  # the child must never go on with the tests of its parent
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            resource.setrlimit(resource.RLIMIT_CPU, (MINUTE, MINUTE))
            decide(text)
            os._exit(0)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("text", [one for some in LONG_STEPS.values() for one in some], ids=label)
def test_no_decision_takes_long(text: str) -> None:
    assert ends_in_a_child(text)


@pytest.mark.parametrize("text", QUICK, ids=label)
def test_steps_stop_what_c_code_goes_through(text: str) -> None:
    ended = decide(text, FEW)
    assert "steps in one call" in ended or "nested too deeply" in ended or "items" in ended
