"""Keys come from the environment or a .env file, and are never seen again."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.errors import FileError, InputError, Paused
from society.llm.providers import api_keys
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import ModelSpec

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.llm.providers.conftest import Ask, Asked, Spec


def without(patch: pytest.MonkeyPatch, *names: str) -> None:
    """Remove variables for a test, also those that the test itself loads."""
    for name in names:
        patch.setenv(name, "")
        patch.delenv(name)


def test_a_dot_env_file_gives_what_the_environment_does_not(
    surroundings: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without(surroundings, "GROQ_API_KEY")
    (tmp_path / ".env").write_text("GROQ_API_KEY=from-the-file\nOPENAI_API_KEY=from-the-file\n")
    api_keys.load_env_file()
    assert os.environ["GROQ_API_KEY"] == "from-the-file"
    assert os.environ["OPENAI_API_KEY"] == "sk-do-not-tell-anybody"
    assert {"GROQ_API_KEY", "OPENAI_API_KEY"} <= set(api_keys.key_names())


def test_a_dot_env_file_that_is_no_text_is_refused(
    surroundings: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_bytes(b"GROQ_API_KEY=\xff\xfe\n")
    with pytest.raises(FileError, match=r"cannot read \.env: it is not text in UTF-8"):
        api_keys.load_env_file()


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/m", "OPENAI_API_KEY"),
        ("m", "OPENAI_API_KEY"),
        ("hosted_vllm/m", "HOSTED_VLLM_API_KEY"),
        ("meta-llama/Llama-3", "OPENAI_API_KEY"),
    ],
)
def test_a_known_prefix_says_which_key_a_server_gets(model: str, variable: str) -> None:
    assert api_keys.for_server(model)[0] == variable


def test_a_server_without_a_key_gets_none(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    without(surroundings, "OPENAI_API_KEY")
    asked(ModelSpec(model="keyless", api_base=provider.url), ask())
    assert provider.stats()["last"]["key"] == ""


def test_a_server_that_wants_a_key_is_told_of_by_name(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    without(surroundings, "OPENAI_API_KEY")
    provider.plan(script=["401"])
    with pytest.raises(
        InputError, match=r"asks for a key: HTTP 401: fault 401; set OPENAI_API_KEY"
    ):
        asked(ModelSpec(model="keyless", api_base=provider.url), ask())


def test_a_missing_key_is_found_before_play(surroundings: pytest.MonkeyPatch) -> None:
    without(surroundings, "OPENAI_API_KEY")
    pool = ModelPool({"default": ModelSpec(model="openai/gpt-4o")})
    with pytest.raises(InputError, match=r"needs OPENAI_API_KEY; set it .* or in \.env"):
        pool.check(["default"])


def test_secrets_are_replaced_the_longest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "abcdefgh")
    monkeypatch.setenv("B_SECRET", "abcdefghijkl")
    monkeypatch.setenv("C_API_KEY", "none")
    assert api_keys.redact("abcdefghijkl, abcdefgh, none") == "[key], [key], none"


def test_what_strangers_say_is_short_and_on_one_line() -> None:
    assert api_keys.quote_stranger("a\x1b[2J\n\n b \u202e c") == "a [2J b c"
    assert len(api_keys.quote_stranger("x" * 10_000)) == 243


@pytest.mark.parametrize(("fault", "error"), [("500", Paused), ("401", InputError)])
def test_a_key_that_a_provider_repeats_is_in_no_error(
    fault: str,
    error: type[Exception],
    provider: Provider,
    spec: Spec,
    ask: Ask,
    asked: Asked,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    provider.plan(script=[fault] * 9, complaint="the key sk-do-not-tell-anybody is odd")
    with pytest.raises(error) as raised:
        asked(spec(attempts=1), ask())
    assert "the key [key] is odd" in str(raised.value)
    printed = capfd.readouterr()
    trace = "".join(traceback.format_exception(raised.value))
    for words in (trace, repr(raised.value), caplog.text, printed.out, printed.err):
        assert "do-not-tell" not in words


@pytest.mark.parametrize(
    "settings",
    [
        {"extra": {"wild": "sk-do-not-tell-anybody"}},
        {"extra": {"wild": [{"deep": "Bearer sk-do-not-tell-anybody"}]}},
        {"reasoning_effort": "sk-do-not-tell-anybody"},
        {"model": "sk-do-not-tell-anybody"},
    ],
)
def test_a_key_that_somebody_put_into_the_settings_is_refused(
    settings: dict[str, Any], provider: Provider, spec: Spec, ask: Ask, asked: Asked
) -> None:
    """Before play, and by the call itself; a run file would keep the settings."""
    for act in (
        lambda: asked(spec(**settings), ask()),
        lambda: ModelPool({"nobody calls it": spec(**settings)}).check([]),
    ):
        with pytest.raises(InputError, match="hold the value of OPENAI_API_KEY") as refused:
            act()
        assert "do-not-tell" not in str(refused.value)
    assert provider.stats()["count"] == 0


def test_short_secrets_are_found_only_where_they_stand_alone(
    surroundings: pytest.MonkeyPatch,
) -> None:
    """A server without keys may be given its own name as one."""
    surroundings.setenv("MINE_API_KEY", "lm-studio")
    assert api_keys.exposed_secret({"model": "lm-studio/llama", "max_tokens": 5}) is None
    assert api_keys.exposed_secret({"extra": {"deep": ["lm-studio"]}}) == "MINE_API_KEY"


@pytest.mark.parametrize(
    ("variable", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("OPENAI_APIKEY", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("X_TOKEN_2", True),
        ("X_TOKEN2", True),
        ("API_KEYS", True),
        ("MY_KEY_FOR_WORK", True),
        ("CLIENT_SECRET_B", True),
        ("db_password", True),
        ("TOKENIZERS_PARALLELISM", False),
        ("KEYBOARD_LAYOUT", False),
        ("HOSTNAME", False),
    ],
)
def test_secrets_are_known_by_a_word_in_the_name_of_their_variable(
    variable: str, secret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "sesame-open-yourself")
    assert (api_keys.redact("sesame-open-yourself") == "[key]") == secret
