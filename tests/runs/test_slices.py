"""Runs whose replicates are played apart: which they are, and what their files hold."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.cli.main import main
from society.config.build import Society, build
from society.config.run_config import load_config
from society.conformance.society_checks import check_society, small_society
from society.runs.runfile import Writer, manifest_of, open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.conftest import Provider, Written
    from tests.runs.conftest import Launch

pytestmark = pytest.mark.xdist_group("provider")

MECHANISMS = [{"repetition": {"games": 8, "continuation": 0.8, "window": 3}}, "tournament"]
COHORTS = [{"name": name, "components": ["language_policy"]} for name in ("ann", "bob")]
CALLS = 4 * 2 * 8  # four pairs, each of two players and eight games


def tournament(url: str = "", **changes: Any) -> Society:
    models = {"default": {"model": "resident", "api_base": url}} if url else {}
    given = {"mechanisms": MECHANISMS, "cohorts": COHORTS, "models": models}
    return build(load_config("prisoners_dilemma", {**given, **changes}))


@pytest.fixture
def file(provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A tournament that asks the server, as a scenario file in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    models = {"default": {"model": "resident", "api_base": provider.url}}
    said = {"scenario": "prisoners_dilemma", "mechanisms": MECHANISMS, "cohorts": COHORTS}
    Path("t.yaml").write_text(json.dumps({**said, "models": models}))
    return "t.yaml"


# Whose replicates are played apart


def test_replicates_are_played_apart_where_models_are_asked_that_take_time() -> None:
    assert tournament("http://127.0.0.1:1/v1").separable
    assert not tournament().separable, "the offline mind answers at once"
    rules = build(load_config("fishing_village", {"replicates": 12}))
    assert not rules.separable
    server = {"models": {"default": {"model": "m", "api_base": "http://127.0.0.1:1/v1"}}}
    village = load_config("language_village", {"replicates": 3, **server})
    assert build(village).separable
    assert not build(load_config("language_village", {"replicates": 1, **server})).separable


COUPLED: dict[str, str] = {
    "script": """
from society import Ask, Cohort, Params, Real, Tell, own, scenario
from society.components.language.llm_policy import LanguagePolicy

@scenario(params=Params, cast=lambda p, n: [Cohort("bidder", n, (LanguagePolicy(),))])
def mine(env):
    \"\"\"All replicates share one market.\"\"\"
    for _ in env.rounds():
        bid = yield Ask("bid", Real(0, 1))
        yield Tell("sold", facts={"price": own(bid - bid.mean())})
""",
    "component": """
from society import Component

class Copycat(Component):
    \"\"\"Learns across replicates.\"\"\"
    notices = ("felled",)

    def notice(self, tell, agents):
        agents.replicate.max()
""",
    "mechanism": """
from society import mechanism

@mechanism
class League:
    \"\"\"Pays whoever leads in all matches.\"\"\"

    def on_payoff(self, tell, payoff):
        return 0.0 * payoff + (payoff == payoff.max())
""",
}


@pytest.mark.parametrize("part", COUPLED)
def test_code_of_the_users_that_may_look_at_other_replicates_is_played_as_one_batch(
    part: str, written: Written
) -> None:
    """Nothing in a script, component or mechanism says whether it does."""
    setup = of_the_users(part, written("mine.py", COUPLED[part]))
    assert setup.replicates > 1
    assert setup.has_clients
    assert not setup.separable


WORD = {
    "script": ("@scenario(", "@scenario(separable=True, "),
    "component": ("    notices", "    separable = True\n    notices"),
    "mechanism": ("@mechanism", "@mechanism(separable=True)"),
}


def of_the_users(part: str, file: str) -> Society:
    """A society with a script, component or mechanism of that file, which asks a server."""
    url = "http://127.0.0.1:1/v1"
    if part == "script":
        models = {"default": {"model": "m", "api_base": url}}
        return build(load_config(file, {"replicates": 3, "models": models}))
    if part == "mechanism":
        return tournament(url, uses=[file], mechanisms=[{"league": {}}, *MECHANISMS])
    types = [{**one, "components": ["language_policy", "copycat"]} for one in COHORTS]
    return tournament(url, uses=[file], cohorts=types)


@pytest.mark.parametrize("part", COUPLED)
def test_replicates_are_played_apart_on_the_word_of_the_author(part: str, written: Written) -> None:
    setup = of_the_users(part, written("mine.py", COUPLED[part].replace(*WORD[part])))
    assert setup.separable
    assert setup.says_separable


def test_a_subclass_of_a_component_gives_its_own_word(written: Written) -> None:
    base = COUPLED["component"].replace("Copycat", "Reader").replace(*WORD["component"])
    both = f'{base}\nclass Copycat(Reader):\n    """Learns more."""\n'
    assert not of_the_users("component", written("mine.py", both)).separable


MARKET = COUPLED["script"].replace(*WORD["script"])
APART = "replicates played apart equal the batch, as `separable` says"


def checked(file: str) -> dict[str, str]:
    """How each check of the scenario in a file ended, by its words."""
    setup = small_society(build(load_config(file)))
    return {one.words.partition(": no")[0]: one.outcome for one in check_society(setup, file)}


def test_a_check_tries_the_word_of_the_author(written: Written) -> None:
    """One market for all replicates; one for each; and one for each that nobody vouches for."""
    assert checked(written("shared.py", MARKET))[APART] == "error"
    own = MARKET.replace("bid.mean()", "bid.mean(-1, keepdims=True)")
    assert checked(written("own.py", own))[APART] == "ok"
    assert APART not in checked(written("silent.py", own.replace("separable=True, ", "")))


# What their files hold


def records(path: Path) -> tuple[Any, ...]:
    """All that a file keeps of rounds and of calls, but for times; calls in order of address."""
    with open_run_file(path) as run:
        rounds = [
            (one.page.number, one.page.path, one.page.digest, one.chain, one.ends)
            for one in run.records()
        ]
        calls = sorted(
            (call.request.address, call.round, call.request.words, call.said.text)
            for call in run.calls()
        )
        return rounds, calls, run.outcome()


def test_the_file_is_that_of_the_batch(provider: Provider, tmp_path: Path) -> None:
    """Also the round of every call, although some were asked long before others."""
    provider.plan(latency=[0.0, 0.02])
    setup = tournament(provider.url)
    kept = []
    for make in (setup.gamemaster, setup.sliced_game):
        path = tmp_path / f"{make.__name__}.run"
        with Writer(path, manifest_of(setup)) as writer:
            make([writer], outside=setup.outside(writer.call_store)).play()
        kept.append(records(path))
        assert verify(path).ok
    assert kept[0] == kept[1]
    assert len(kept[0][1]) == CALLS


@pytest.fixture
def whole(file: str) -> tuple[Any, ...]:
    """The record of the tournament, played without interruption."""
    assert main(["run", file, "--out", "whole.run", "--quiet"]) == 0
    return records(Path("whole.run"))


def test_a_limit_pauses_all_slices_and_what_they_have_asked_ahead_is_not_asked_again(
    whole: tuple[Any, ...], file: str, provider: Provider
) -> None:
    provider.reset()
    provider.plan(latency=[0.0, 0.05])
    assert main(["run", file, "--out", "a.run", "--quiet", "--max-calls", "30"]) == 3
    with open_run_file("a.run") as run:
        assert (run.status, len(list(run.calls()))) == ("paused", 30)
    assert verify("a.run").ok
    assert main(["resume", "a.run", "--quiet", "--max-calls", "1000"]) == 0
    assert records(Path("a.run")) == whole
    assert provider.stats()["count"] == CALLS


@pytest.mark.thorough
def test_a_killed_run_goes_on_from_the_answers_of_rounds_that_are_not_over(
    whole: tuple[Any, ...], file: str, provider: Provider, launch: Launch
) -> None:
    """Killed when one slice is a round ahead of another; then everything is asked once."""
    provider.reset()
    provider.plan(latency=[0.0, 0.2])
    process = launch(["run", file, "--out", "a.run", "--quiet"])
    ahead = wait_for(lambda: rounds_ahead(Path("a.run")) >= 1, process)
    process.kill()
    process.join()
    assert ahead, "it was killed before its end"
    with open_run_file("a.run") as run:
        kept = len(list(run.calls()))
        assert run.status == "interrupted"
    before = provider.stats()["count"]
    assert verify("a.run").ok
    provider.plan()
    assert main(["resume", "a.run", "--quiet"]) == 0
    assert records(Path("a.run")) == whole
    assert provider.stats()["count"] == before + CALLS - kept, "nothing kept is asked again"


def rounds_ahead(path: Path) -> int:
    """Count the rounds beyond the open one in which an answer is kept; none in a batch."""
    if not path.exists():
        return 0
    with open_run_file(path) as run:
        return max((call.round for call in run.calls()), default=0) - run.rounds - 1


def wait_for(condition: Callable[[], bool], process: Any) -> bool:
    while process.is_alive():
        if condition():
            return True
        time.sleep(0.01)
    return False
