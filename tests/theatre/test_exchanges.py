"""The exchanges of an agent: questions, answers, calls, and who answered."""

from __future__ import annotations

from pathlib import Path

import society
from society.runs.reader import open_run_file
from society.theatre.exchanges import AgentExchange, earlier_prompt, exchanges
from society.theatre.history import History


def the(found: list[AgentExchange], kind: str) -> AgentExchange:
    """The one exchange about a question or event."""
    (one,) = [one for one in found if one.kind == kind]
    return one


def test_exchanges_stand_in_the_order_of_the_script(thinkers: History) -> None:
    assert [(one.hook, one.kind) for one in exchanges(thinkers, 0, 0, 0)] == [("begin", "begin")]
    found = [(one.hook, one.kind) for one in exchanges(thinkers, 2, 0, 1)]
    asked = ["effort", "punish", "propose", "vote"]
    assert [kind for hook, kind in found if hook == "answer"] == asked


def test_an_event_on_which_a_component_asked_its_model_stands_where_it_was_heard(
    thinkers: History,
) -> None:
    planned = [
        [(one.hook, one.kind, one.component) for one in exchanges(thinkers, at, 0, 0)]
        for at in range(1, thinkers.last + 1)
    ]
    assert [("notice", "punished", "plan") in found for found in planned].count(True) >= 1
    for found in planned:
        if ("notice", "punished", "plan") in found:
            kinds = [kind for _, kind, _ in found]
            assert kinds == ["effort", "punish", "punished", "propose", "vote"]


def test_a_readable_answer_comes_from_the_model_with_its_thoughts(thinkers: History) -> None:
    effort = the(exchanges(thinkers, 1, 0, 0), "effort")
    assert (effort.component, effort.outcome, effort.repairs) == ("language_policy", "answered", 0)
    assert [field.value for field in effort.answer] == [0.25]
    assert effort.thoughts == {"situation": "The lake is full."}
    assert [call.said.cached_tokens for call in effort.calls] == [100]


def test_an_unreadable_answer_is_repaired_and_then_the_fallback_stands(thinkers: History) -> None:
    effort = the(exchanges(thinkers, 1, 0, 1), "effort")
    assert (effort.outcome, effort.repairs, len(effort.calls)) == ("fallback", 1, 2)
    assert effort.reason == "got 'I would rather sleep.'; expected a number from 0 to 1"
    assert effort.calls[1].request.again == "repair"


def test_a_prompt_is_compared_with_the_last_one_and_a_repair_with_what_it_repeats(
    thinkers: History,
) -> None:
    first, later = (the(exchanges(thinkers, at, 0, 1), "effort") for at in (1, 2))
    assert earlier_prompt(thinkers, first, 0) is None
    assert earlier_prompt(thinkers, later, 0) == first.calls[0]
    assert earlier_prompt(thinkers, later, 1) == later.calls[0]


def test_the_calls_of_all_exchanges_are_all_calls(thinkers: History) -> None:
    found = [
        call
        for at in range(thinkers.last + 1)
        for agent in range(3)
        for one in exchanges(thinkers, at, 0, agent)
        for call in one.calls
    ]
    recorded = [call for call in thinkers.run.calls() if not call.request.address.bare]
    assert sorted(call.request.address for call in found) == sorted(
        call.request.address for call in recorded
    )


def test_rules_are_named_with_what_was_open(village: History) -> None:
    found = exchanges(village, 1, 0, 1)
    assert {(one.kind, one.component) for one in found} >= {
        ("effort", "harvest"),
        ("punish", "punishment"),
    }
    effort, punish = the(found, "effort"), the(found, "punish")
    assert effort.respondent is not None
    assert (effort.respondent.by, effort.calls) == ("rule", ())
    assert effort.answer[0].form == "amount 0..1"
    assert punish.answer[0].peer
    told = village.page(1).steps
    (step,) = [step for step in told if step.kind == "punish"]
    assert punish.answer[0].value == step.arrays["answer", ""][0, 1]


def test_at_level_summary_calls_are_there_and_answers_are_not(tmp_path: Path) -> None:
    society.run(
        "language_village", seed=1, agents=2, rounds=1, level="summary", out=tmp_path / "v.run",
        parameters={"norm_embedder": "hashing"},
    )  # fmt: skip
    with open_run_file(tmp_path / "v.run") as run:
        found = exchanges(History(run), 1, 0, 0)
    assert {one.kind for one in found} == {"effort", "punish", "propose", "vote"}
    assert {(one.answer, one.line, len(one.calls)) for one in found} == {((), None, 1)}
