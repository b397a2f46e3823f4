"""Servers that refuse settings, roles and forms are asked in the way that they take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from society.engine.calls import OVERFLOW, Address, Completion, Message, Request
from society.errors import InputError, Paused, WiringWarning
from society.llm.providers.endpoint import Endpoint
from society.llm.providers.settings import ModelSpec
from tests.hostile_server import chat_completion

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.hostile_server import HostileHandler, HostileServer
    from tests.llm.providers.conftest import Ask, Asked, Spec

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["answer"],
    "additionalProperties": False,
}


@pytest.fixture
def heard(recwarn: pytest.WarningsRecorder) -> Iterator[None]:
    """Each thing is said once, and something is."""
    yield
    words = [str(one.message) for one in recwarn if one.category is WiringWarning]
    assert words
    assert len(set(words)) == len(words)


def ways(said: list[Completion]) -> list[str]:
    """How the form of each answer was enforced."""
    return [_way(one.sent) for one in said]


def _way(sent: Any) -> str:
    if "tools" in sent:
        return "tools"
    form = sent.get("response_format", {"type": "none"})["type"]
    return {"json_schema": "schema", "json_object": "json", "none": "none"}[form]


# The form of the answer


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        (["obeys"], "schema"),
        (["obeys", "no schema"], "json"),
        (["obeys", "no response_format"], "tools"),
        (["obeys", "no response_format", "no tools"], "none"),
    ],
    ids=["all", "no schemas", "tools only", "none"],
)
@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
def test_the_best_form_that_a_server_takes_is_found_by_its_refusals(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, odd: list[str], expected: str
) -> None:
    provider.plan(odd=odd)
    settings = spec(structured="auto")
    said = asked(settings, [ask(f"{n}", n, schema=SCHEMA) for n in range(3)])
    assert ways(said) == [expected] * 3
    assert all(json.loads(one.text[one.text.find("{") :]).keys() == {"answer"} for one in said)
    assert [one.retries for one in said] == [0, 0, 0], "a refusal of a form is no failed attempt"


@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
def test_a_server_that_ignores_the_form_is_asked_in_free_text_in_the_end(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """Each reply stands, whatever it is like: reading judges it."""
    settings = spec(concurrency=1)
    said = asked(settings, [ask(f"{n}", n, schema=SCHEMA) for n in range(5)])
    assert ways(said) == ["schema", "json", "tools", "none", "none"]
    assert all(one.text.startswith("Having weighed it up: {") for one in said)


def test_a_form_that_the_user_has_chosen_is_no_other_one(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(odd=["obeys"])
    for structured in ("schema", "json", "tools", "none"):
        [said] = asked(spec(structured=structured), ask(schema=SCHEMA))
        assert ways([said]) == [structured]
    provider.plan(odd=["no response_format"])
    with pytest.raises(InputError, match="response_format: not here"):
        asked(spec(structured="schema"), ask(schema=SCHEMA))


def test_questions_without_a_schema_are_asked_as_ever(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    assert ways(asked(spec(), ask())) == ["none"]


def test_the_schema_arrives_as_it_is_recorded(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(odd=["obeys"])
    [said] = asked(spec(), ask(schema=SCHEMA))
    arrived = provider.stats()["last"]["body"]
    assert arrived["response_format"] == said.sent["response_format"]
    form = arrived["response_format"]["json_schema"]
    assert (form["strict"], form["schema"]["required"]) == (True, ["answer"])


def test_numbers_stand_on_a_grid_where_a_server_may_not_bound_them(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """llama.cpp does not, and an unknown server may be one; providers by litellm do."""
    provider.plan(odd=["obeys"])
    settings = spec(structured="schema")
    [said] = asked(settings, ask(schema=SCHEMA))
    answer = said.sent["response_format"]["json_schema"]["schema"]["properties"]["answer"]
    if settings.sort == "lean":
        assert answer["enum"][:3] == [0, 0.01, 0.02]
    else:
        assert answer == {"type": "number", "minimum": 0, "maximum": 1}


def test_a_schema_that_is_refused_where_others_are_taken_is_left_out_alone() -> None:
    endpoint = Endpoint(ModelSpec(model="m", api_base="http://localhost/v1"), 0)
    small, large = request(schema=SCHEMA), request(schema=SCHEMA | {"title": "large"})
    sent = endpoint.outgoing(small)
    endpoint.learn(sent, '{"answer": 0.5}', "stop")
    with pytest.warns(WiringWarning, match="refuses one of the schemas"):
        assert endpoint.adapt(endpoint.outgoing(large), "schema too large")
    assert [endpoint.outgoing(one).way for one in (small, large)] == ["schema", "none"]


def test_a_form_that_the_user_has_chosen_and_a_server_ignores_is_kept_and_said_once() -> None:
    endpoint = Endpoint(ModelSpec(model="m", api_base="http://localhost/v1", structured="json"), 0)
    sent = endpoint.outgoing(request(schema=SCHEMA))
    with pytest.warns(WiringWarning, match="ignores JSON mode; with `structured: auto`"):
        endpoint.learn(sent, "I say 0.5", "stop")
    endpoint.learn(sent, "I say 0.5", "stop")
    assert endpoint.outgoing(request(schema=SCHEMA)).way == "json"


def answer_schema(endpoint: Endpoint) -> Any:
    """The schema of an answer as it is sent now."""
    form: Any = endpoint.outgoing(request(schema=SCHEMA)).settings["response_format"]
    return form["json_schema"]["schema"]["properties"]["answer"]


def test_numbers_are_listed_once_a_reply_shows_that_they_are_not_bounded() -> None:
    """Whenever that is: a model may keep to the bounds by itself for a while."""
    endpoint = Endpoint(ModelSpec(model="m", api_base="http://localhost/v1"), 0, bounds=True)
    for text in ('{"answer": 0.5}', '{"answer": 1}'):
        endpoint.learn(endpoint.outgoing(request(schema=SCHEMA)), text, "stop")
    assert answer_schema(endpoint) == {"type": "number", "minimum": 0, "maximum": 1}
    with pytest.warns(WiringWarning, match="does not hold numbers within their bounds"):
        endpoint.learn(endpoint.outgoing(request(schema=SCHEMA)), '{"answer": 7}', "stop")
    assert answer_schema(endpoint)["enum"][:3] == [0, 0.01, 0.02]


def test_bounds_that_a_schema_must_not_have_are_left_to_its_words() -> None:
    spec = ModelSpec(model="m", api_base="http://localhost/v1", structured="schema")
    endpoint = Endpoint(spec, 0, bounds=True)
    with pytest.warns(WiringWarning, match="refuses bounds in schemas"):
        assert endpoint.adapt(
            endpoint.outgoing(request(schema=SCHEMA)),
            "schema: for 'number' type, properties maximum, minimum are not supported",
        )
    assert answer_schema(endpoint) == {"type": "number"}


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        ("Unsupported parameter: 'temperature' is not supported with this model.", True),
        ("'temperature' does not support 0.2. Only the default (1) value is supported.", True),
        ("`temperature` may only be set to 1 when thinking is enabled.", True),
        ("Invalid parameter: temperature must be at most 1.", False),
        ("'temperature' does not support 0.2. Supported values are: 0, 1.", False),
    ],
)
@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
def test_a_setting_is_left_out_only_if_it_is_refused_whatever_its_value(
    words: str, left_out: bool
) -> None:
    spec = ModelSpec(model="m", api_base="http://localhost/v1", temperature=0.2)
    endpoint = Endpoint(spec, 0)
    assert endpoint.adapt(endpoint.outgoing(request()), words) is left_out
    assert ("temperature" in endpoint.outgoing(request()).settings) is not left_out


def test_a_refusal_to_answer_says_nothing_about_a_server(
    hostile: HostileServer, ask: Ask, asked: Asked
) -> None:
    """OpenAI sets such words apart where a schema is enforced."""
    refused: dict[str, Any] = {
        "message": {"content": None, "refusal": "I cannot."},
        "finish_reason": "stop",
    }

    def answer(request: HostileHandler) -> None:
        first = len(request.server.heard) == 1
        request.send(200, chat_completion(choices=[refused]) if first else chat_completion())

    hostile.answers(answer)
    spec = ModelSpec(model="refusing", api_base=hostile.url, concurrency=1)
    one, other = asked(spec, [ask("a", n, schema=SCHEMA) for n in range(2)])
    assert (one.text, one.finish, other.text) == ("I cannot.", "refusal", '{"answer": 0.5}')
    assert ways([one, other]) == ["schema", "schema"]


def test_a_change_is_said_with_the_words_of_the_server_and_not_its_whole_body(
    hostile: HostileServer, ask: Ask, asked: Asked
) -> None:
    def answer(request: HostileHandler) -> None:
        words = json.dumps({"error": {"message": "no seed: not supported", "param": "seed"}})
        taken = "seed" not in request.body
        request.send(*(200, chat_completion()) if taken else (400, words.encode()))

    hostile.answers(answer)
    with pytest.warns(WiringWarning, match=r"which it refuses; it said: no seed: not supported$"):
        asked(ModelSpec(model="seedless", api_base=hostile.url), ask())


def test_a_reply_that_was_cut_off_says_nothing_about_a_server() -> None:
    endpoint = Endpoint(ModelSpec(model="m", api_base="http://localhost/v1"), 0)
    endpoint.learn(endpoint.outgoing(request(schema=SCHEMA)), '{"ans', "length")
    assert endpoint.outgoing(request(schema=SCHEMA)).way == "schema"


def request(*roles: str, **more: Any) -> Request:
    messages = tuple(Message(role, f"the {role}") for role in roles or ("user",))  # type: ignore[arg-type]
    return Request(Address("mind", "answer bid", 0, 0, 0, 0), "m", messages, **more)


# Other settings


@pytest.mark.parametrize("name", ["temperature", "seed", "top_p"])
def test_a_setting_that_is_refused_is_left_out_and_said_once(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, heard: None, name: str
) -> None:
    provider.plan(odd=[f"no {name}"])
    settings = spec(temperature=0.5, extra={"top_p": 0.9, "seed": 3})
    said = asked(settings, [ask(f"{n}", n) for n in range(4)])
    left = {"temperature", "seed", "top_p"} - {name}
    assert all({"temperature", "seed", "top_p"} & one.sent.keys() == left for one in said)
    assert name not in provider.stats()["last"]["body"]


def test_a_value_that_is_refused_is_the_users_mistake(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(odd=["low temperature"])
    with pytest.raises(InputError, match="temperature must be below 1"):
        asked(spec(temperature=1.5), ask())


def test_max_completion_tokens_stand_in_for_max_tokens(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, heard: None
) -> None:
    provider.plan(odd=["no max_tokens"])
    [said] = asked(spec(max_tokens=99), ask())
    assert (said.sent.get("max_tokens"), said.sent["max_completion_tokens"]) == (None, 99)
    assert provider.stats()["last"]["body"]["max_completion_tokens"] == 99


def test_settings_that_are_unset_are_not_sent(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    asked(spec(temperature="none", max_tokens="none"), ask())
    assert {"max_tokens", "temperature"}.isdisjoint(provider.stats()["last"]["body"])


@pytest.mark.parametrize(("roles", "sent"), [("auto", 2), ("user-only", 1)])
@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
def test_a_system_message_is_folded_where_a_model_has_no_such_role(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, roles: str, sent: int
) -> None:
    """At once if the user says so, else after a refusal; the record keeps both messages."""
    provider.plan(odd=["no system"])
    both = (Message("system", "Be brief."), Message("user", "How much?"))
    [said] = asked(spec(roles=roles), ask()._replace(messages=both))
    arrived = provider.stats()["last"]["body"]
    assert arrived["messages"] == [{"role": "user", "content": "Be brief.\n\nHow much?"}]
    assert (said.sent["roles"], provider.stats()["count"]) == ("user-only", sent)


# Streams


def test_a_server_that_only_streams_is_read_piece_by_piece(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, heard: None
) -> None:
    provider.plan(odd=["stream"])
    [said] = asked(spec(), ask("a number from 0 to 1"))
    assert said[:4] == ('Having weighed it up: {"answer": 0.682}', "stop", 5, 9)
    assert (said.sent["stream"], said.cached_tokens) == (True, 2)


# Answers in odd places


def test_an_answer_among_the_thoughts_is_read(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(odd=["thinks"])
    [said] = asked(spec(), ask("a number from 0 to 1"))
    assert said.text == 'Having weighed it up: {"answer": 0.682}'


@pytest.mark.parametrize(
    "wrap",
    [
        "<think>7?</think>{}",
        "[THINK]7?[/THINK]{}<|im_end|>",
        "<seed:think>7?</seed:think>{}</s>",
        "<|channel|>analysis<|message|>7?<|end|><|start|>assistant<|channel|>final<|message|>{}",
    ],
)
def test_marks_of_thinking_are_no_part_of_an_answer(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, wrap: str
) -> None:
    provider.plan(wrap=wrap)
    [said] = asked(spec(), ask("a number from 0 to 1"))
    assert said.text == 'Having weighed it up: {"answer": 0.682}'


def test_a_reply_that_ends_in_an_error_is_a_failed_attempt(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(odd=["fails"])
    with pytest.raises(Paused, match="after 2 attempts"):
        asked(spec(attempts=2), ask())


# Prompts that are too long


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("This model's maximum context length is 4096 tokens. However, you requested 9000.", 400),
        ("The decoder prompt (length 9000) is longer than the maximum model length of 4096.", 400),
        ("the request exceeds the available context size. try increasing it", 400),
        ("input length exceeds maximum context length", 500),
        ("Trying to keep the first 9000 tokens when context the overflows.", 400),
        ("prompt is too long: 210000 tokens > 200000 maximum", 400),
        ("The input token count (1500000) exceeds the maximum number of tokens allowed", 400),
        ("`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4100 `inputs` tokens", 422),
        ("This model's maximum prompt length is 131072 but the request contains 537812.", 400),
        ("Range of input length should be [1, 129024]", 400),
        ("Your request exceeded model token limit: 8192", 400),
        ("Prompt exceeds max length", 400),
        ("Request Entity Too Large", 413),
    ],
    ids=[
        *("OpenAI", "vLLM", "llama.cpp", "Ollama", "LM Studio", "Anthropic", "Gemini"),
        *("TGI", "xAI", "Qwen", "Moonshot", "Zhipu", "nginx"),
    ],
)
def test_a_prompt_that_does_not_fit_is_an_answer_without_words(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, words: str, status: int
) -> None:
    provider.plan(context=10, context_says=[words, status])
    short, long = asked(spec(concurrency=1), [ask("short"), ask("a longer prompt", 1)])
    assert (short.finish, long.finish, long.text) == ("stop", OVERFLOW, "")
    assert (long.prompt_tokens, long.completion_tokens, long.cost) == (0, 0, 0.0)
    assert long.retries == 0, "it would be refused again"


# Rooms that are too large

OF_VLLM = (
    "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context "
    "length is 512 tokens and your request has 25 input tokens (1024 > 512 - 25)."
)


def test_a_room_that_no_prompt_fits_beside_is_the_users_mistake(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    provider.plan(context=1, context_says=[OF_VLLM, 400])
    told = "max_tokens is 1,024, but .* has 512 tokens for prompt and reply .* set max_tokens lower"
    with pytest.raises(InputError, match=told):
        asked(spec(), ask())


@pytest.mark.parametrize(
    "words",
    [OF_VLLM, "max_tokens is too large: 1024. This model supports at most 512 completion tokens."],
    ids=["above the context", "above the model's own"],
)
def test_a_room_that_has_grown_too_far_does_not_end_a_run(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked, words: str
) -> None:
    """The caller has more room than the settings say, since a reply was cut off."""
    provider.plan(context=10, context_says=[words, 400])
    settings = spec(max_tokens=400, concurrency=1)
    short, long = asked(settings, [ask("short"), ask("a longer prompt", 1, room=1024)])
    assert (short.finish, long.finish, long.retries) == ("stop", OVERFLOW, 0)


# Seeds


def test_each_call_has_a_seed_of_its_own_that_the_run_and_its_address_give(
    provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    def seeds(seed: int) -> list[int]:
        calls = asked(spec(), [ask("one", 0), ask("one", 1)], seed=seed)
        return [call.sent["seed"] for call in calls]

    first = seeds(1)
    assert seeds(1) == first
    assert len({*first, *seeds(2)}) == 4
    assert all(0 <= seed < 2**31 for seed in first)
    assert provider.stats()["last"]["body"]["seed"] in seeds(2)


def test_an_empty_reply_is_asked_for_again_with_another_seed_and_an_outage_with_the_same(
    ask: Ask,
) -> None:
    """Else a server that keeps to its seed would be silent for ever."""
    endpoint = Endpoint(ModelSpec(model="openai/gpt-4o"), 1)
    seeds = [endpoint.outgoing(ask(), empty).settings["seed"] for empty in (0, 0, 1, 2)]
    assert len(set(seeds)) == 3
    assert seeds[0] == seeds[1]


def test_a_server_that_is_silent_for_one_seed_is_heard_with_the_next(
    hostile: HostileServer, ask: Ask, asked: Asked
) -> None:
    heard: list[int] = []

    def answer(request: HostileHandler) -> None:
        heard.append(request.body["seed"])
        silent = request.body["seed"] == heard[0]
        request.send(200, chat_completion("" if silent else "0.4"))

    hostile.answers(answer)
    spec = ModelSpec(model="silent", api_base=hostile.url, backoff=0.001)
    (said,) = asked(spec, ask())
    assert (said.text, said.retries, said.sent["seed"]) == ("0.4", 1, heard[1])


def test_a_users_own_seed_stands(provider: Provider, spec: Spec, ask: Ask, asked: Asked) -> None:
    [said] = asked(spec(extra={"seed": 7}), ask())
    assert said.sent["seed"] == 7
