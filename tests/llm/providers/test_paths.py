"""Both paths to a model, lean and litellm, behave the same against the same server."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from society.engine.calls import ASKED_ON
from society.errors import InputError, Paused

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.llm.providers.conftest import Ask, Asked, Spec


def test_a_reply_comes_with_its_tokens_and_the_settings_that_were_sent(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    settings = spec(temperature=0.5, max_tokens=99, extra={"top_p": 0.9})
    [said] = asked(settings, ask("a number from 0 to 1"))
    assert said.text == 'Having weighed it up: {"answer": 0.682}'
    assert (said.finish, said.retries) == ("stop", 0)
    assert (said.prompt_tokens, said.completion_tokens) == (5, 9)
    assert said.cached_tokens == 2, "as the server tells"
    assert said.cost is None, "nobody knows the price of a model that is called as a test"
    assert {name: said.sent[name] for name in ("temperature", "max_tokens", "top_p")} == {
        "temperature": 0.5,
        "max_tokens": 99,
        "top_p": 0.9,
    }


def test_what_is_recorded_as_sent_is_what_arrives(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    [said] = asked(spec(temperature=0.0, reasoning_effort=None), ask("hello", room=77))
    arrived = provider.stats()["last"]["body"]
    assert arrived["max_tokens"] == 77, "the room of the request outweighs the settings"
    assert arrived["messages"] == [{"role": "user", "content": "hello"}]
    beside = ("model", ASKED_ON)
    kept = {name: value for name, value in said.sent.items() if name not in beside}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", said.sent[ASKED_ON]), "the day, in UTC"
    assert {name: arrived.get(name) for name in kept} == kept


def test_words_in_any_script_arrive_as_they_are(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(brain="echo")
    [said] = asked(spec(), ask('Fischfang „quoted" 漁業 🐟 {"a": 1} \\n'))
    assert said.text == 'Fischfang „quoted" 漁業 🐟 {"a": 1} \\n'


FAILING = ["500", "503", "429", "408", "409", "cut", "truncated", "malformed", "html"]


@pytest.mark.parametrize("fault", [*FAILING, "empty", "null", "hang"])
def test_what_may_go_better_is_tried_again(
    fault: str, provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=[fault], brain="number", retry_after=0, hang=5)
    [said] = asked(spec(timeout=1.5 if fault == "hang" else 20.0), ask("what now?"))
    assert said.text == '{"answer": 0.008}'
    assert said.retries == 1
    assert provider.stats()["count"] == 2


@pytest.mark.parametrize("fault", FAILING)
def test_a_provider_that_keeps_failing_pauses_the_run(
    fault: str, provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=[fault] * 9, retry_after=0)
    with pytest.raises(Paused, match="did not answer after 3 attempts") as paused:
        asked(spec(attempts=3), ask())
    assert provider.stats()["count"] == 3
    if fault.isdigit():
        assert f"HTTP {fault}: " in str(paused.value)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("400", "refused a request to 'MODEL': HTTP 400: .*fault 400"),
        ("401", "the key in OPENAI_API_KEY was refused by .*HTTP 401"),
        ("403", "the key in OPENAI_API_KEY was refused by .*HTTP 403"),
        ("404", "has no model 'MODEL' at this address: HTTP 404"),
        ("422", "refused a request to 'MODEL': HTTP 422"),
    ],
)
def test_what_can_never_work_is_tried_once(
    fault: str, words: str, provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=[fault] * 9)
    with pytest.raises(InputError, match=words.replace("MODEL", r"[\w/]+")):
        asked(spec(), ask())
    assert provider.stats()["count"] == 1


def test_a_provider_that_wants_money_pauses_the_run_at_once(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=["402"] * 9)
    with pytest.raises(Paused, match=r"asks for payment first: .*fault 402; then resume"):
        asked(spec(), ask())
    assert provider.stats()["count"] == 1


@pytest.mark.parametrize("fault", ["empty", "null"])
def test_a_prompt_that_never_gets_words_is_answered_by_no_words(
    fault: str, provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """It is for the asker to repair and to count; the tokens of all three were paid for."""
    provider.plan(script=[fault] * 9)
    [said] = asked(spec(attempts=3), ask("a number from 0 to 1"))
    assert (said.text, said.retries) == ("", 2)
    assert (said.prompt_tokens, said.completion_tokens) == (15, 27)


def test_a_reply_that_was_cut_off_passes_through(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=["length"])
    [said] = asked(spec(), ask("a number from 0 to 1"))
    assert (said.text, said.finish, said.retries) == ("Having weighed it u", "length", 0)


@pytest.mark.parametrize(("fault", "words"), [("filtered", 39), ("policy", 0)])
def test_a_filter_passes_through(
    fault: str, words: int, provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """Over the reply, or over the prompt: it is no mistake in the settings, nor an outage."""
    provider.plan(script=[fault])
    [said] = asked(spec(), ask())
    assert (len(said.text), said.finish, said.retries) == (words, "content_filter", 0)


def test_garbage_is_what_was_said(provider: Provider, spec: Spec, ask: Ask, asked: Asked) -> None:
    provider.plan(script=["garbage"])
    [said] = asked(spec(), ask())
    assert said.text == "§ 7 ?? or 9, who knows {"


def test_a_slow_drip_is_waited_for(provider: Provider, spec: Spec, ask: Ask, asked: Asked) -> None:
    provider.plan(script=["drip"], brain="number")
    [said] = asked(spec(), ask("what now?"))
    assert (said.text, said.retries) == ('{"answer": 0.008}', 0)


def test_a_drip_beyond_the_time_out_is_given_up(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=["drip"] * 9)
    with pytest.raises(Paused, match=r"last: no answer within 0\.1 s"):
        asked(spec(timeout=0.1, attempts=1), ask())


def test_tokens_that_nobody_counts_are_unknown(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """litellm counts them itself, where the provider does not."""
    provider.plan(script=["silent"])
    settings = spec()
    [said] = asked(settings, ask())
    if settings.sort == "lean":
        assert (said.prompt_tokens, said.completion_tokens) == (None, None)


def test_an_answer_without_the_reason_of_its_end_is_paid_for_once(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=["endless"], brain="number")
    [said] = asked(spec(), ask("what now?"))
    assert (said.text, said.retries) == ('{"answer": 0.008}', 0)


def test_odd_counts_and_names_do_not_cost_the_answer(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(script=["odd"], brain="number")
    [said] = asked(spec(model="openai/gpt-4o"), ask("what now?"))
    assert (said.text, said.retries) == ('{"answer": 0.008}', 0)
    assert (said.prompt_tokens, said.completion_tokens, said.cost) == (None, None, None)
    assert said.model.isprintable()


def test_a_deadline_ends_a_call_before_its_attempts_are_used_up(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """A provider that asks for a pause of a minute is not asked again within ten seconds."""
    provider.plan(script=["429"] * 9, retry_after=60)
    with pytest.raises(Paused, match="after 1 attempt "):
        asked(spec(deadline=10.0), ask())
    assert provider.stats()["count"] == 1


def test_retry_after_is_honoured(provider: Provider, spec: Spec, ask: Ask, asked: Asked) -> None:
    provider.plan(script=["429"], retry_after=0.3)
    [said] = asked(spec(), ask())
    [entry] = provider.log().values()
    first, second = entry["at"]
    assert second - first >= 0.3
    assert said.retries == 1


@pytest.mark.xdist_group("litellm")
@pytest.mark.parametrize("spec", ["litellm"], indirect=True)
def test_a_call_by_way_of_litellm_is_answered(spec: Spec, ask: Ask, asked: Asked) -> None:
    """The one quick test of this path: what both paths promise is thoroughly tried on this one."""
    [said] = asked(spec(), ask())
    assert said.text
    assert said.retries == 0


def test_no_more_calls_are_under_way_than_allowed(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(latency=0.02)
    asked(spec(concurrency=3), [ask(f"no {agent}", agent) for agent in range(12)])
    assert provider.stats()["most"] == 3


@pytest.mark.thorough
def test_every_fault_at_once_loses_no_call(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """Half of all attempts fail somehow; each of forty calls gets the answer to its own words."""
    kinds = ["429", "500", "cut", "truncated", "malformed", "empty", "null", "html", "hang", "drip"]
    provider.plan(faults=dict.fromkeys(kinds, 0.05), brain="echo", retry_after=0.01, hang=5)
    requests = [ask(f"I am {agent}", agent) for agent in range(40)]
    said = asked(spec(attempts=12, timeout=2.0), requests)
    assert [one.text for one in said] == [f"I am {agent}" for agent in range(40)]
    log = provider.log().values()
    assert sum(one.retries for one in said) == sum(entry["count"] - 1 for entry in log)
    assert {name: entry for name, entry in provider.log().items() if entry["full"] != 1} == {}


def test_a_call_goes_out_only_after_it_was_noted(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """Before every attempt; what the note raises ends the call."""
    noted: list[int] = []

    async def going() -> None:
        noted.append(provider.stats()["count"])
        if len(noted) == 3:
            raise Paused("the disk is full")

    provider.plan(script=["500"] * 9)
    with pytest.raises(Paused, match="the disk is full"):
        asked(spec(), ask(), going=going)
    assert noted == [0, 1, 2]
    assert provider.stats()["count"] == 2


def test_the_key_goes_to_the_server_and_nowhere_else(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    [said] = asked(spec(), ask())
    assert provider.stats()["last"]["key"] == "Bearer sk-do-not-tell-anybody"
    assert "do-not-tell" not in repr(said)


def test_what_a_call_costs_is_known_where_the_provider_is(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """3 tokens at 2.5, 2 cached at 1.25, 9 at 10 dollars a million; own servers have no price."""
    settings = spec(model="openai/gpt-4o")
    [said] = asked(settings, ask("a number from 0 to 1"))
    cost = None if settings.sort == "lean" else pytest.approx(3 * 2.5e-6 + 2 * 1.25e-6 + 9 * 10e-6)
    assert said.cost == cost


def test_runs_in_several_threads_use_one_model(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """Each in an event loop of its own; together they keep to the bound of one."""
    provider.plan(latency=0.02, brain="echo")
    settings = spec(concurrency=3)

    def run(start: int) -> list[str]:
        requests = [ask(f"I am {start + agent}", agent) for agent in range(8)]
        return [said.text for said in asked(settings, requests)]

    with ThreadPoolExecutor(2) as pool:
        told = [*pool.map(run, (0, 100))]
    assert told == [[f"I am {start + agent}" for agent in range(8)] for start in (0, 100)]
    assert provider.stats()["most"] == 3
