"""Attacks on the sandbox are refused with a reason, or stopped while they run."""

from __future__ import annotations

from collections import Counter

import pytest

from society.sandbox.checker import check_programs
from society.sandbox.running import facades
from society.sandbox.running.step_budget import RuleBroken, budget

from .attack_programs import FAILED, REFUSED, STOPPED, WRONG_TYPES, Attack
from .program_play import Table, four_players, only_program, play, start

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def label(attack: Attack) -> str:
    """Name an attack by its aim and its first line."""
    return f"{attack.aim}: {attack.text.strip().splitlines()[-1][:50]}"


def attacked(attack: Attack) -> object:
    """Let an attack decide in the fourth round of a game."""
    program = only_program(attack.source)
    assert program.accepted, program.reason
    assert program.code is not None
    game = four_players("public_goods")
    table = Table(game, program.interface)
    for cooperates in (True, False, True):
        table.note(cooperates)
    return table.call(start(program, program.code, game))


def test_there_are_more_than_two_hundred_attacks_of_four_kinds() -> None:
    kinds = Counter(one.aim.split(":")[0] for one in (*REFUSED, *STOPPED, *FAILED))
    assert set(kinds) == {"leak", "tamper", "denial of service", "wrong type"}
    assert kinds.total() > 200


@pytest.mark.parametrize("attack", REFUSED, ids=label)
def test_the_checker_refuses(attack: Attack) -> None:
    program = check_programs(attack.source)[-1]
    assert not program.accepted
    assert program.code is None
    assert attack.sentence in program.reason
    assert program.reason.startswith((f"not allowed in {program.name}: ", f"{program.name} has "))
    assert program.line is not None
    assert 1 <= program.line <= len(attack.source.splitlines())


@pytest.mark.parametrize("attack", STOPPED, ids=label)
def test_a_broken_rule_stops_what_runs(attack: Attack) -> None:
    with pytest.raises(RuleBroken) as stopped:
        attacked(attack)
    assert attack.sentence in stopped.value.rule
    assert stopped.value.line is not None
    assert budget.broken is not None


@pytest.mark.parametrize("attack", FAILED, ids=label)
def test_what_is_frozen_gives_an_error(attack: Attack) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)) as failed:
        attacked(attack)
    assert attack.sentence in str(failed.value)


@pytest.mark.parametrize(("text", "kind"), WRONG_TYPES.items())
def test_nothing_but_the_two_actions_is_an_action(text: str, kind: str) -> None:
    program = only_program(Attack("", text, "").source)
    moved = play(program, program.code, four_players("public_goods"))
    assert moved.startswith("<")
    assert moved == f"<{kind}>"


def test_a_return_in_an_inner_finally_does_not_hide_a_broken_rule() -> None:
    """The budget stays broken, whatever the program returns."""
    text = """
        x = 0
        for _ in [1]:
            try:
                while True:
                    pass
            finally:
                x = 1
        return C
    """
    with pytest.raises(RuleBroken):
        attacked(Attack("", text, ""))
    assert budget.broken is not None


def test_two_programs_share_nothing_that_can_be_changed() -> None:
    text = "class Spy:\n    seen = []\n\n    def act(self, history):\n        return C\n"
    program = only_program(text)
    assert program.code is not None
    first, second = (
        facades.define(program.code, "Spy", facades.make_namespace()) for _ in range(2)
    )
    assert first is not second
    assert first.seen is not second.seen


def test_two_instances_share_no_list_of_their_class() -> None:
    text = "class Spy:\n    seen = []\n\n    def act(self, history, memory=[]):\n        return C\n"
    program = only_program(text)
    assert program.code is not None
    kind = facades.define(program.code, "Spy", facades.make_namespace())
    one, other = (facades.new_instance(kind, None) for _ in range(2))
    assert one.seen is not other.seen


@pytest.mark.parametrize("name", ["my_actions", "round_number", "stock"])
def test_a_history_cannot_be_changed(name: str) -> None:
    history = facades.new_history(round_number=0)
    with pytest.raises(AttributeError, match="a PlayerHistory cannot be changed"):
        setattr(history, name, 3)


def test_facades_cannot_be_changed_or_copied() -> None:
    world = facades.make_namespace()["__builtins__"]
    for name in ("math", "np", "random"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            world[name].pi = 3
        with pytest.raises(TypeError, match="cannot be copied"):
            world[name].__reduce_ex__(4)
