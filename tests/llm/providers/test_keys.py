"""A key of this machine goes to servers that its user named, and to nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import society
from society.errors import FileError, InputError, Paused
from society.llm.providers import api_keys
from society.llm.providers.named_servers import addresses_in, is_loopback, is_named, naming_servers
from society.llm.providers.settings import ModelSpec

if TYPE_CHECKING:
    from tests.conftest import Typed
    from tests.hostile_server import HostileHandler, HostileServer
    from tests.llm.providers.conftest import Ask, Asked

KEY = "sk-do-not-tell-anybody"
MIND = "scenario: language_village\nrounds: 1\nagents: 2\nparameters: {norm_embedder: hashing}\n"


@pytest.fixture(autouse=True)
def bare(surroundings: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """One key in the environment, and nothing that says where it goes."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "SOCIETY_TRUSTED_HOSTS"):
        surroundings.setenv(name, "")
        surroundings.delenv(name)
    return surroundings


def yaml_with(url: str) -> Path:
    file = Path("minds.yaml")
    file.write_text(f"{MIND}models: {{default: {{model: m, api_base: '{url}', backoff: 0.01}}}}\n")
    return file


def refuse_payment(request: HostileHandler) -> None:
    """Pause the run before it has an answer."""
    request.send(402, b'{"error": {"message": "pay"}}')


# Who is named

OPENAI = "OPENAI_API_KEY"


@pytest.mark.parametrize(
    ("address", "environment"),
    [
        ("https://api.openai.com/v1", {}),
        ("https://API.OPENAI.COM:443/v1", {}),
        ("https://lab.example/v1", {"OPENAI_BASE_URL": "https://lab.example/other"}),
        ("http://lab.example:8000/v1", {"OPENAI_API_BASE": "http://lab.example:8000"}),
        ("http://lab.example:8000/v1", {"SOCIETY_TRUSTED_HOSTS": "lab.example"}),
        ("http://lab.example:8000/v1", {"SOCIETY_TRUSTED_HOSTS": "x.org, lab.example:8000"}),
        ("https://lab.example/v1", {"SOCIETY_TRUSTED_HOSTS": "https://lab.example"}),
    ],
)
def test_an_address_is_named_by_the_environment(
    address: str, environment: dict[str, str], bare: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        bare.setenv(name, value)
    assert is_named(address, OPENAI)


@pytest.mark.parametrize(
    ("address", "environment"),
    [
        ("https://evil.example/v1", {}),
        ("http://api.openai.com/v1", {}),  # not encrypted
        ("https://api.openai.com:8443/v1", {}),
        ("https://api.openai.com.evil.example/v1", {}),
        ("https://evil.example/api.openai.com/v1", {}),
        ("https://evil.example/?https://api.openai.com", {}),
        ("https://evil.example#api.openai.com", {}),
        ("https://api.openai.com@evil.example/v1", {}),
        ("https://api-openai.com/v1", {}),
        ("https://xapi.openai.com/v1", {}),
        ("https://api.openai.com\\.evil.example/v1", {}),
        ("https://\u0430pi.openai.com/v1", {}),  # a Cyrillic letter
        ("http://lab.example/v1", {"OPENAI_BASE_URL": "https://lab.example"}),
        ("https://lab.example:81/v1", {"OPENAI_BASE_URL": "https://lab.example"}),
        ("https://lab.example/v1", {"GROQ_BASE_URL": "https://lab.example"}),
        ("https://evil.lab.example/v1", {"SOCIETY_TRUSTED_HOSTS": "lab.example"}),
        ("https://evil-lab.example/v1", {"SOCIETY_TRUSTED_HOSTS": "lab.example"}),
        ("https://evil.example/v1", {"SOCIETY_TRUSTED_HOSTS": "*"}),
        ("https://evil.example/v1", {"SOCIETY_TRUSTED_HOSTS": ", ,"}),
        ("http://lab.example/v1", {"SOCIETY_TRUSTED_HOSTS": "https://lab.example"}),
        ("http://10.0.0.7:8000/v1", {}),  # of the same network, but somebody else's
        ("http://127.0.0.1.evil.example/v1", {}),
        ("http://169.254.169.254/v1", {}),  # what clouds tell their machines
    ],
)
def test_an_address_that_looks_like_a_named_one_is_none(
    address: str, environment: dict[str, str], bare: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        bare.setenv(name, value)
    assert not is_named(address, OPENAI)
    assert not is_loopback(address)


def test_the_own_default_of_a_provider_is_for_its_own_key() -> None:
    assert not is_named("https://api.openai.com/v1", "HOSTED_VLLM_API_KEY")


def test_addresses_are_found_however_deep_they_stand() -> None:
    said = {"models": {"judge": {"api_base": "https://a"}}, "model.api_base": "https://b", "p": 1}
    assert list(addresses_in(said)) == ["https://a", "https://b"]


def test_what_was_named_is_forgotten_afterwards() -> None:
    with naming_servers(["https://lab.example/v1"]):
        assert is_named("https://lab.example/v1", OPENAI)
    assert not is_named("https://lab.example/v1", OPENAI)


# Files that name a server


def test_a_scenario_file_that_names_a_foreign_server_gets_no_key(
    hostile: HostileServer, typed: Typed
) -> None:
    said = typed("run", yaml_with(hostile.foreign), "--quiet", "--out", "a.run")
    assert said.code == 2
    assert f"only a file names the server 0.0.0.0:{hostile.port}" in said.err
    assert f"--api-base {hostile.foreign}" in said.err
    assert hostile.heard == [], "nothing was sent"


@pytest.mark.parametrize(
    "named", ["--api-base", "--set", "SOCIETY_TRUSTED_HOSTS", "OPENAI_BASE_URL"]
)
def test_who_names_the_server_sends_the_key(
    named: str, hostile: HostileServer, typed: Typed, bare: pytest.MonkeyPatch
) -> None:
    hostile.answers(refuse_payment)
    option: list[object] = []
    if named == "--api-base":
        option = ["--api-base", hostile.foreign]
    elif named == "--set":
        option = ["--set", f"models.default.api_base={hostile.foreign}"]
    else:
        bare.setenv(named, "0.0.0.0" if named.startswith("SOC") else hostile.foreign)
    said = typed("run", yaml_with(hostile.foreign), "--quiet", "--out", "a.run", *option)
    assert said.code == 3
    assert hostile.heard[0]["authorization"] == f"Bearer {KEY}"


def test_a_file_called_like_an_option_names_nobody(hostile: HostileServer, typed: Typed) -> None:
    file = yaml_with(hostile.foreign).rename("--set api_base.yaml")
    assert typed("run", f"./{file}", "--quiet", "--out", "a.run").code == 2
    assert hostile.heard == []


def test_a_run_file_that_names_a_foreign_server_gets_no_key_on_resume(
    hostile: HostileServer, typed: Typed
) -> None:
    """Its maker began it with a server of their own; the reader's key must not follow."""
    hostile.answers(refuse_payment)
    named = ("--api-base", hostile.foreign)
    assert typed("run", yaml_with(hostile.foreign), "--quiet", "--out", "a.run", *named).code == 3
    hostile.heard.clear()
    said = typed("resume", "a.run", "--quiet")
    assert said.code == 2
    assert f"0.0.0.0:{hostile.port}" in said.err
    assert hostile.heard == []
    assert typed("resume", "a.run", "--quiet", *named).code == 3
    assert hostile.heard[0]["authorization"] == f"Bearer {KEY}"


def test_a_sweep_that_names_a_foreign_server_gets_no_key(
    hostile: HostileServer, typed: Typed
) -> None:
    model = f"{{default: {{model: m, api_base: '{hostile.foreign}'}}}}"
    base = f"{{scenario: language_village, rounds: 1, agents: 2, models: {model}, "
    base += "parameters: {norm_embedder: hashing}}"
    Path("e.yaml").write_text(f"name: e\nbase: {base}\nfactors: {{growth: [0.2]}}\n")
    assert typed("sweep", "e.yaml", "--quiet").code in (1, 2)
    assert hostile.heard == []


def test_a_model_of_a_second_name_gets_no_key_either(hostile: HostileServer, typed: Typed) -> None:
    Path("two.yaml").write_text(
        f"{MIND}models: {{default: offline, judge: {{model: m, api_base: '{hostile.foreign}'}}}}\n"
        "cohorts: [{name: a, components: [persona, personal_norm, recall, "
        "{language_policy: {questions: {propose: judge}}}]}]\n"
    )
    assert typed("run", "two.yaml", "--quiet", "--out", "a.run").code == 2
    assert hostile.heard == []


def test_a_server_of_this_machine_in_a_file_is_asked_without_the_key(
    hostile: HostileServer, typed: Typed
) -> None:
    hostile.answers(refuse_payment)
    assert typed("run", yaml_with(hostile.url), "--quiet", "--out", "a.run").code == 3
    assert hostile.heard
    assert KEY not in hostile.said


def test_a_server_of_this_machine_that_wants_the_key_is_named_first(
    hostile: HostileServer, typed: Typed
) -> None:
    hostile.answers(lambda request: request.send(401, b'{"error": {"message": "no"}}'))
    said = typed("run", yaml_with(hostile.url), "--quiet", "--out", "a.run")
    assert said.code == 2
    assert "the one in OPENAI_API_KEY was not sent" in said.err
    assert "--api-base URL" in said.err


def test_a_foreign_server_without_a_key_to_protect_is_asked(
    hostile: HostileServer, typed: Typed, bare: pytest.MonkeyPatch
) -> None:
    bare.delenv("OPENAI_API_KEY")
    hostile.answers(refuse_payment)
    assert typed("run", yaml_with(hostile.foreign), "--quiet", "--out", "a.run").code == 3
    assert "authorization" not in hostile.heard[0]


def test_a_call_in_python_names_its_server(hostile: HostileServer) -> None:
    hostile.answers(refuse_payment)
    model = {"model": "m", "api_base": hostile.foreign}
    with pytest.raises(Paused):
        society.run(
            "language_village", rounds=1, agents=2, model=model,
            parameters={"norm_embedder": "hashing"},
        )  # fmt: skip
    assert hostile.heard[0]["authorization"] == f"Bearer {KEY}"


# A .env file in somebody else's folder


@pytest.mark.parametrize(
    "line",
    [
        "OPENAI_BASE_URL=https://evil.example",
        "OPENAI_API_BASE=https://evil.example",
        "SOCIETY_TRUSTED_HOSTS=evil.example",
        "HTTPS_PROXY=http://evil.example:8080",
        "http_proxy=http://evil.example:8080",
        "ALL_PROXY=http://${OPENAI_API_KEY}@evil.example",
        "SSL_CERT_FILE=evil.pem",
        "OPENAI_ENDPOINT=https://evil.example",
        "OPENAI_LIKE_API_BASE=https://evil.example",
    ],
)
def test_a_dot_env_file_does_not_send_a_key_that_it_did_not_bring(
    line: str, tmp_path: Path, bare: pytest.MonkeyPatch
) -> None:
    bare.delenv(line.partition("=")[0], raising=False)
    (tmp_path / ".env").write_text(f"{line}\n")
    with pytest.raises(FileError, match=r"\.env sets \w+, and would decide where the secret in"):
        api_keys.load_env_file()


def test_a_dot_env_file_may_bring_a_key_and_its_server(
    tmp_path: Path, bare: pytest.MonkeyPatch
) -> None:
    for name in ("GROQ_API_KEY", "GROQ_API_BASE"):
        bare.setenv(name, "")
        bare.delenv(name)
    (tmp_path / ".env").write_text("GROQ_API_KEY=gsk-123456\nGROQ_API_BASE=https://lab.example\n")
    api_keys.load_env_file()
    assert is_named("https://lab.example/v1", "GROQ_API_KEY")
    api_keys.load_env_file()


@pytest.mark.parametrize(
    ("secret", "route"),
    [
        ("AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"),
        ("AWS_SECRET_ACCESS_KEY", "AWS_BEDROCK_RUNTIME_ENDPOINT"),
        ("AZURE_API_KEY", "AZURE_OPENAI_ENDPOINT"),
        ("GOOGLE_API_KEY", "GEMINI_API_BASE"),
        ("HF_TOKEN", "HUGGINGFACE_API_BASE"),
    ],
)
def test_a_dot_env_file_sends_no_key_of_the_same_provider_elsewhere(
    secret: str, route: str, tmp_path: Path, bare: pytest.MonkeyPatch
) -> None:
    """The names of a key and of its server need not begin alike."""
    bare.delenv(route, raising=False)
    bare.setenv(secret, "a-secret-of-somebody")
    (tmp_path / ".env").write_text(f"{route}=https://evil.example\n")
    with pytest.raises(FileError, match=f"decide where the secret in {secret} goes"):
        api_keys.load_env_file()


def test_a_dot_env_file_does_not_copy_a_key_under_another_name(
    tmp_path: Path, bare: pytest.MonkeyPatch
) -> None:
    for name in ("GROQ_API_KEY", "GROQ_API_BASE"):
        bare.setenv(name, "")
        bare.delenv(name)
    lines = "GROQ_API_KEY=${OPENAI_API_KEY}\nGROQ_API_BASE=https://evil.example\n"
    (tmp_path / ".env").write_text(lines)
    api_keys.load_env_file()
    assert os.environ["GROQ_API_KEY"] == "${OPENAI_API_KEY}"


@pytest.mark.parametrize(
    "line",
    [
        "PYTHONPATH=.",
        "LD_PRELOAD=./evil.so",
        "PATH_OF_MINE=.",
        "AWS_CONFIG_FILE=./config",
        "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1",
        "LITELLM_LOG=DEBUG",
        "SSLKEYLOGFILE=keys.txt",
        "VERTEXAI_LOCATION=evil.example/#",
        "AWS_REGION_NAME=evil.example/?",
    ],
)
def test_a_dot_env_file_decides_about_nothing_but_keys_and_their_use(
    line: str, tmp_path: Path, bare: pytest.MonkeyPatch
) -> None:
    name = line.partition("=")[0]
    bare.delenv(name, raising=False)
    (tmp_path / ".env").write_text(f"{line}\n")
    api_keys.load_env_file()
    assert name not in os.environ


def test_a_dot_env_file_may_say_which_account_a_key_is_for(
    tmp_path: Path, bare: pytest.MonkeyPatch
) -> None:
    bare.setenv("VERTEXAI_LOCATION", "")
    bare.delenv("VERTEXAI_LOCATION")
    (tmp_path / ".env").write_text("VERTEXAI_LOCATION=europe-west4\n")
    api_keys.load_env_file()
    assert os.environ["VERTEXAI_LOCATION"] == "europe-west4"


@pytest.mark.thorough
def test_no_dot_env_file_is_read_past_this_care(tmp_path: Path) -> None:
    """Code without a file of its own, as in notebooks, had litellm read it."""
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=https://evil.example\nPYTHONSTARTUP=evil.py\n")
    code = (
        "import os, society.llm.providers.litellm\n"
        "print(os.environ.get('OPENAI_BASE_URL'), os.environ.get('PYTHONSTARTUP'))"
    )
    surroundings = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path,
        env=surroundings,
    )  # fmt: skip
    assert done.stdout == "None None\n"


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("model", "base"),
    [
        ("m", ""),
        ("openai/m", "OPENAI_BASE_URL"),
        ("anthropic/claude-3-5-haiku-20241022", "ANTHROPIC_API_BASE"),
        ("gemini/gemini-1.5-flash", "GEMINI_API_BASE"),
    ],
)
def test_a_redirect_is_not_followed(
    status: int, model: str, base: str, hostile: HostileServer, bare: pytest.MonkeyPatch,
    ask: Ask, asked: Asked,
) -> None:  # fmt: skip
    """Not on either path, whatever header the provider has its key in."""

    def answer(request: HostileHandler) -> None:
        request.send(status, Location=f"{hostile.foreign}/stolen")

    hostile.answers(answer)
    settings: dict[str, Any] = {"model": model, "attempts": 1}
    if base:
        bare.setenv(base, hostile.url)
        bare.setenv(base.replace("BASE_URL", "API_KEY").replace("API_BASE", "API_KEY"), KEY)
    else:
        settings["api_base"] = hostile.url
    with naming_servers([hostile.url]), pytest.raises((InputError, Paused)):
        asked(ModelSpec(**settings), ask())
    hosts = [heard["host"] for heard in hostile.heard]
    assert hosts == [f"127.0.0.1:{hostile.port}"]


# Other ways to say where requests go


@pytest.mark.parametrize(
    "settings",
    [
        {"extra": {"base_url": "https://evil.example"}},
        {"extra": {"api_base": "https://evil.example"}},
        {"extra": {"custom_llm_provider": "hosted_vllm"}},
        {"extra": {"fallbacks": [{"model": "openai/x", "api_base": "https://evil.example"}]}},
        {"extra": {"model_list": [{"model_name": "m"}]}},
        {"extra": {"proxy_url": "https://evil.example"}},
        {"extra": {"azure_endpoint": "https://evil.example"}},
        {"extra": {"aws_region_name": "x.evil.example/#"}},
        {"extra": {"vertex_location": "evil.example/#"}},
        {"extra": {"callbacks": ["langfuse"]}},
        {"extra": {"ssl_verify": False}},
        {"extra": {"aws_role_name": "arn:aws:iam::1:role/evil"}},
        {"extra": {"azure_scope": "https"}},
        {"extra": {"tenant_id": "evil"}},
        {"model": "huggingface/https://evil.example/m"},
        {"model": "openai/https://evil.example/m"},
    ],
)
def test_settings_cannot_name_a_server_past_the_one_that_counts(
    settings: dict[str, Any], ask: Ask, asked: Asked
) -> None:
    with pytest.raises(InputError, match=r"--api-base"):
        asked(ModelSpec(**{"model": "openai/m", **settings}), ask())


@pytest.mark.parametrize("name", ["drop_params", "num_retries", "prompt_id", "guardrails", "cache"])
def test_settings_cannot_change_how_litellm_works(name: str, ask: Ask, asked: Asked) -> None:
    with pytest.raises(InputError, match=f"the setting '{name}' .* is one of litellm's own"):
        asked(ModelSpec(model="openai/m", extra={name: 1}), ask())
