"""What holds for every scenario, preset and component, without anyone writing a test for it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.registry import components, mechanisms, scenarios
from society.config.run_config import load_config
from society.conformance.invariants import (
    AskedTwice,
    WithinBounds,
    exact_record,
    legal_answers,
    page_arrays,
    replicate_record,
    split_cohorts,
)
from society.conformance.structured_answers import AnswersInJson
from society.engine.action_spaces import Real, fields
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.history import InMemoryRecorder, Page, Step
from society.engine.mechanism import intercept
from society.engine.population import Cast, Cohort
from society.engine.rng import Array, generator
from society.engine.script import Ask, Line, Script
from society.engine.tape import Tape
from society.llm.providers.free_minds import FreeMinds
from society.scenarios.programs.program_params import DilemmaOfPrograms

if TYPE_CHECKING:
    from tests.conformance.conftest import Built, Case, Once, PartsOf, Perform, Sharing
    from tests.conftest import Played


# Replicates, cohorts, seats


@pytest.mark.parametrize("which", ["some", pytest.param("others", marks=pytest.mark.thorough)])
def test_a_batch_equals_a_loop(case: Case, perform: Perform, whole: Once, which: str) -> None:
    """To the last bit of everything told, kept and measured while the replicate runs."""
    batch = whole(case)
    replicates = range(len(batch.pages[0].running))
    some = {0, len(replicates) // 2, len(replicates) - 1}
    for replicate in some if which == "some" else set(replicates) - some:
        alone = perform(case, replicate_ids=[replicate])
        for one, of_many in zip(alone.pages, batch.pages, strict=False):
            assert replicate_record(one, 0) == replicate_record(of_many, replicate)
        over = not alone.pages[-1].running[0, 0]
        assert over or len(alone.pages) == len(batch.pages)


def test_replicates_may_be_played_in_any_order(case: Case, perform: Perform, whole: Once) -> None:
    batch = whole(case)
    count = len(batch.pages[0].running)
    order = [7, 3, 11] if count == 12 else list(range(count))[::-1]
    few = perform(case, replicate_ids=order)
    for page, of_many in zip(few.pages, batch.pages, strict=False):
        for place, replicate in enumerate(order):
            assert replicate_record(page, place) == replicate_record(of_many, replicate)


def test_slices_of_replicates_equal_the_batch(case: Case, built: Built, whole: Once) -> None:
    """Where language minds are asked, whatever the order in which they answer."""
    setup = built(case)
    if setup.replicates < 2 or not setup.models_named:
        return
    recorder = InMemoryRecorder()
    outcome = setup.sliced_game([recorder], minds=Tardy(setup.seed)).play()
    batch = whole(case)
    assert outcome == batch.outcome
    assert exact_record(recorder.pages) == exact_record(batch.pages)
    for page, of_batch in zip(recorder.pages, batch.pages, strict=True):
        assert (page.digest, page.troubles) == (of_batch.digest, of_batch.troubles)


class Tardy(FreeMinds):
    """The offline mind, whose answers come in an order of chance."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.seed = seed

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        delay = generator(self.seed, str(request.address)).exponential(0.0005)
        await asyncio.sleep(float(delay))
        return await super().call(request, going, token)


@pytest.mark.parametrize(
    "ways",
    [
        pytest.param("by seat, others empty", marks=pytest.mark.thorough),
        "by replicate and at random",
    ],
)
def test_splitting_a_cohort_changes_nothing(
    case: Case, perform: Perform, whole: Once, ways: str
) -> None:
    """Split in two ways, one after the other."""

    def parted(cast: Cast, shape: tuple[int, int]) -> Cast:
        replicate, seat = np.indices(shape)
        here = {
            "by seat, others empty": (seat % 2 == 0, np.ones(shape, bool)),
            "by replicate and at random": (
                replicate < shape[0] // 3 + 1,
                np.random.default_rng(1).random(shape) < 0.5,
            ),
        }
        for mask in here[ways]:
            cast = split_cohorts(cast, shape, mask)
        return cast

    played = perform(case, cast=parted)
    assert played.outcome == whole(case).outcome
    assert exact_record(played.pages) == exact_record(whole(case).pages)


def permuted(case: Case, agents: int) -> list[int]:
    ids: list[int] = np.random.default_rng(agents).permutation(agents).tolist()
    return ids


# Facts that are seats, as far as scenarios tell any.
SEATS = {"partner", "about", "past_of", "past_with", "opponents", "whom"}


def names_seats(step: Step, role: str, field: str) -> bool:
    """Check whether an array of a step holds seats."""
    if role != "answer":
        return role in ("parents", "join", "cut") or (role != "who" and field in SEATS)
    forms = dict(part.split(": ", 1) for part in step.form.split("; ")) if field else {}
    return forms.get(field, step.form).startswith("peer on ")


def test_relabelling_rows_permutes_results(case: Case, perform: Perform, whole: Once) -> None:
    """Seat s is taken by agent ids[s], with its cohort and its edges: integers to the last one."""
    straight = whole(case)
    agents = straight.pages[0].present.shape[1]
    ids = permuted(case, agents)
    shuffled = perform(case, ids=ids)
    assert len(shuffled.pages) == len(straight.pages)
    for page, page_before in zip(shuffled.pages, straight.pages, strict=True):
        assert [step.kind for step in page.steps] == [step.kind for step in page_before.steps]
        before, steps = page_arrays(page_before), (*page.steps, *page.asides)
        for key, values in page_arrays(page).items():
            wide = values.shape[1:2] == (agents,) and key[1:2] != ("options",)
            expected = before[key][:, ids] if wide else before[key]
            if isinstance(key[0], int) and names_seats(steps[key[0]], *key[1:]):
                values = np.where(values == NOBODY, NOBODY, np.array(ids)[values])
            if values.dtype.kind == "f":
                np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12, err_msg=key)
            else:
                assert values.tolist() == expected.tolist(), key


# Answers


def test_answers_stay_within_their_reply_and_to_listen_changes_nothing(
    case: Case, perform: Perform, whole: Once
) -> None:
    """A wrapper that only listens: the same seed is the same history."""
    tables: list[Environment] = []

    def checked(said: Line, answered: Any) -> Any:
        if isinstance(said, Ask):
            env = tables[-1]
            asked = env.active if said.who is None else env.active & said.who
            for name, reply in fields(said.reply).items():
                values = answered[name] if name else answered
                unasked = values[~asked]
                silent = np.full_like(unasked, reply.silent)
                assert np.array_equal(unasked, silent, equal_nan=unasked.dtype.kind == "f")
                assert legal_answers(reply, values, env)[asked].all(), said.kind
        return answered

    def listening(script: Script, env: Environment) -> Script:
        tables.append(env)
        return intercept(script, answer=checked)

    assert perform(case, wrap=listening).outcome == whole(case).outcome


def test_no_answer_needs_to_be_cut_to_its_bounds(case: Case, perform: Perform, whole: Once) -> None:
    """A quota cuts answers: that is its purpose."""
    if not any("quota" in part for part in case.changes.get("mechanisms", [])):
        # WithinBounds raises BrokenRule at the first answer outside of its bounds.
        played = perform(case, answerer=WithinBounds)
        assert played.outcome.digest == whole(case).outcome.digest


def test_answering_is_pure(case: Case, perform: Perform, whole: Once) -> None:
    twice = perform(case, answerer=AskedTwice)
    assert twice.outcome.digest == whole(case).outcome.digest


def test_answers_fit_the_schema_of_their_question_and_are_read_from_it(
    case: Case, perform: Perform, whole: Once
) -> None:
    """AnswersInJson raises BrokenRule at the first answer that does not."""
    played = perform(case, answerer=AnswersInJson)
    assert played.outcome.digest == whole(case).outcome.digest


# Replay and wraps


def test_replay_equals_the_run(case: Case, perform: Perform, whole: Once) -> None:
    """From recorded answers, without agents."""
    run = whole(case)
    asides = [step for page in run.pages for step in page.asides]
    replay = perform(case, answerer=lambda cast, world: Tape(run.steps, asides))
    assert [page.digest for page in replay.pages] == [page.digest for page in run.pages]
    assert replay.outcome.digest == run.outcome.digest
    assert replay.outcome.measures == run.outcome.measures
    assert replay.outcome.ends == run.outcome.ends


def test_a_wrapper_that_draws_shifts_nobodys_luck(
    case: Case, perform: Perform, whole: Once
) -> None:
    """Whatever channels it uses: chance belongs to whoever draws."""

    def drawing(script: Script, env: Environment) -> Script:
        def draw(said: Line) -> Line:
            for per in ("agent", "replicate"):
                for channel in ("tie", "whom", "whether", "first", "noise"):
                    env.draws("wrapper", per=per).uniform(channel)
            return said

        return intercept(script, line=draw)

    assert perform(case, wrap=drawing).outcome == whole(case).outcome


# Luck


class Gossip(Component):
    """Draws a lot, on channels of its own and on such as others use, whenever it can."""

    answers = ("chat",)
    columns = (Column("rumours"),)

    def begin(self, agents: AgentGroup) -> None:
        agents["rumours"] = self.chatter(agents)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return np.asarray(self.chatter(agents) % 1)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["rumours"] += self.chatter(agents)

    def born(self, agents: AgentGroup) -> None:
        agents["rumours"] = self.chatter(agents)

    def chatter(self, agents: AgentGroup) -> Array:
        channels = ("first", "noise", "whom", "whether", "when", "gossip")
        heard = [agents.draws.uniform(name) + agents.draws.normal(name) for name in channels]
        return np.asarray(np.abs(np.sum(heard, axis=0)))


def gossiping(heard: Iterable[str]) -> Component:
    """Return a component that notices every kind of tell."""

    class Listening(Gossip):
        notices = tuple(heard)

        @classmethod
        def title(cls) -> str:
            return "gossip"

    return Listening()


def test_an_extra_component_and_an_extra_question_shift_nobodys_luck(
    case: Case, perform: Perform, whole: Once
) -> None:
    run = whole(case)
    gossip = gossiping(step.kind for step in run.steps if step.sort == "tell")

    def chatty(cast: Cast, shape: tuple[int, int]) -> Cast:
        """Add gossip to one cohort before its own components, and to the next after them."""
        orders = [
            (gossip, *c.components) if k % 2 else (*c.components, gossip)
            for k, c in enumerate(cast)
        ]
        return [
            Cohort(cohort.name, cohort.count, parts, cohort.where)
            for cohort, parts in zip(cast, orders, strict=True)
        ]

    def interrupted(said: Line) -> Script:
        yield Ask("chat", Real(0, 1))
        return (yield said)

    disturbed = perform(
        case, cast=chatty, wrap=lambda script, env: intercept(script, line=interrupted)
    )
    for page, undisturbed in zip(disturbed.pages, run.pages, strict=True):
        own = tuple(step for step in page.steps if step.kind != "chat")
        assert len(own) < len(page.steps) or not own
        assert exact_record([page._replace(steps=own)]) == exact_record([undisturbed])


def test_another_seed_is_another_history(
    case: Case, built: Built, perform: Perform, whole: Once
) -> None:
    if built(case).models_named and not whole(case).outcome.ledger:
        pytest.skip("nobody is asked anything, so that nothing is left to chance")
    other = perform(case, seed=4711)
    assert other.outcome.digest != whole(case).outcome.digest or determined(whole(case))


def determined(run: Played) -> bool:
    """Check whether only strategies were asked for, and nobody mixed."""
    asked = [step for step in run.steps if step.sort == "ask"]
    mixes = [step.arrays["answer", ""] for step in asked if step.form.startswith("mix")]
    pure = all(np.isin(mix, (0, 1)).all() for mix in mixes)
    return pure and len(mixes) == len(asked)


PLAYING = """
import json, sys
from society.config.run_config import load_config
from society.config.build import build
for source, changes in json.load(sys.stdin):
    print(build(load_config(source, changes)).gamemaster().play().digest)
"""


@pytest.mark.parametrize(
    ("hash_seed", "part"),
    [
        ("0", slice(0, None, 70)),
        pytest.param("0", slice(0, None, 6), marks=pytest.mark.thorough),
        pytest.param("1", slice(2, None, 6), marks=pytest.mark.thorough),
        pytest.param("4711", slice(4, None, 6), marks=pytest.mark.thorough),
    ],
)
def test_a_fresh_process_with_any_hash_seed_plays_the_same_history(
    cases: list[Case], whole: Once, hash_seed: str, part: slice
) -> None:
    """Half of the cases, each in one of three processes; of these a few are quick."""
    chosen = cases[part]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", PLAYING],
        input=json.dumps([list(case) for case in chosen]),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [whole(case).outcome.digest for case in chosen]


# Whether the suite sees everything


def test_every_part_is_quickly_tried_in_every_way(
    cases: list[Case], dealt: list[set[int]], parts_of: PartsOf
) -> None:
    tried = defaultdict[object, set[int]](set)
    for case, quickly in zip(cases, dealt, strict=True):
        for part in parts_of(case):
            tried[part] |= quickly
    assert {part for part, found in tried.items() if found != set().union(*dealt)} == set()


def test_every_scenario_is_tried(cases: list[Case], parts_of: PartsOf) -> None:
    assert scenarios()
    assert set(scenarios()) - set().union(*map(parts_of, cases)) == set()


def test_every_component_is_tried(cases: list[Case], parts_of: PartsOf) -> None:
    """One that no scenario or preset uses needs a preset, or a default cast that has it."""
    used = set().union(*map(parts_of, cases))
    idle = [name for name, part in components().items() if part not in used]
    assert not idle, f"no scenario or preset uses {', '.join(idle)}"


def test_every_mechanism_is_tried(cases: list[Case], parts_of: PartsOf) -> None:
    """A new one needs a preset that has it, or a line in MECHANISMS."""
    assert mechanisms()
    assert set(mechanisms()) - set().union(*map(parts_of, cases)) == set()


# Legal in one dilemma only, or for folders of the user's: tests of these scenarios have some.
OF_ONE_DILEMMA = {"attitude", "capacity", "factor", "folders", "model", "other", "threshold"}


def test_every_legal_choice_is_tried(
    cases: list[Case], parts_of: PartsOf, sharing: Sharing
) -> None:
    """The found settings take each option of each parameter, and of a number two or more.

    Of what shapes the default cast of several scenarios alike, all of these together do. Mappings
    that are empty unless somebody sets them are tried by presets.
    """
    for name, scenario in scenarios().items():
        for parameter, schema in scenario.params.model_json_schema()["properties"].items():
            if schema.get("default") == {}:
                own = [case for case in cases if name in parts_of(case)]
                specs = (load_config(case.source, case.changes) for case in own)
                assert any(spec.parameters.get(parameter) for spec in specs), parameter
                continue
            if parameter in OF_ONE_DILEMMA and issubclass(scenario.params, DilemmaOfPrograms):
                continue
            sources = sharing(scenario, parameter) or [name]
            mine = [case.changes for case in cases if case.source in sources]
            tried = [changes["parameters"] for changes in mine if "parameters" in changes]
            values = [parameters[parameter] for parameters in tried if parameter in parameters]
            missed = [option for option in schema.get("enum", []) if option not in values]
            assert not missed, f"{name}: {parameter}"
            varied = any(value != values[0] for value in values)
            assert varied, f"{name}: {parameter} is always {values[0]}"


def _leaving(page: Page) -> set[str]:
    """Return the roles of arrays by which agents go on a page, or are back."""
    roles = {role for step in page.steps for role, _ in step.arrays}
    return roles & {"gone", "back"}


@pytest.mark.thorough
def test_where_agents_can_go_some_go_in_the_middle_and_the_others_live_on(
    cases: list[Case], built: Built, whole: Once
) -> None:
    """Or else what happens after a death would not be tried; who is back at once does not count."""
    deadly: Mapping[str, list[bool]] = {name: [] for name in scenarios()}
    for case in cases:
        run = whole(case)
        if any({"gone"} == _leaving(page) for page in run.pages):
            middle = run.pages[len(run.pages) // 2 : -1]
            bereft = [
                ~page.present & page.running & page.present.any(1, keepdims=True) for page in middle
            ]
            deadly[built(case).scenario.name].append(any(here.any() for here in bereft))
    assert all(any(found) for found in deadly.values() if found), deadly
