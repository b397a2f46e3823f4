"""Slices of replicates are played apart, and nobody can tell from what is told and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from society.conformance.invariants import exact_record
from society.engine import slices
from society.engine.action_spaces import Real
from society.engine.agents import RunContext
from society.engine.calls import Completion, Going, Message, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry, News, Question
from society.engine.environment import Environment
from society.engine.game_master import GameMaster, Runner
from society.engine.gateway import ModelGateway
from society.engine.history import InMemoryRecorder
from society.engine.population import Cohort, Population
from society.engine.scenario import Measure, Scenario
from society.engine.script import VOID_REPLICATE, Ask, Script, Tell, common, own
from society.engine.slices import SlicedGame, slice_replicates
from society.errors import PartError, Paused, Unparsed

ROUNDS, REPLICATES = 6, 4
MEASURES = (
    Measure("bids", "coins", lambda told, env: told["bid"].mean(1)),
    Measure("over", "", lambda told, env: told["over"], fold="first"),
)


def auction(env: Environment) -> Script:
    """Replicate r is over after round r + 1; its stock shrinks on, as the others' does."""
    stock = np.full((env.replicates, 1), 100.0)
    for number in env.rounds():
        bid = yield Ask("bid", Real(0, 100), fallback=0.0)
        stock = stock - 1 - bid.mean(1, keepdims=True)
        over = env.replicate_ids[:, None] < number
        yield Tell("sold", facts={"bid": own(bid), "stock": common(stock), "over": common(over)})
        yield Tell("closed", ends=over)
    yield Tell("cleared", facts={"stock": common(stock)})


class Clerk(Component):
    """Bids by chance, one by one and after some time, and remembers what was sold."""

    answers, notices = ("bid",), ("sold",)
    columns = (Column("seen", public=True),)

    def __init__(self, wait: Callable[[Agent], float] = lambda agent: 0.0) -> None:
        self.wait = wait

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        await asyncio.sleep(self.wait(agent))
        return float(10 * agent.draws.uniform("bid"))

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["seen"] = tell.facts["bid"] + agents["seen"]


def games(
    script: Callable[[Environment], Script],
    clerk: Component,
    *,
    rounds: int = ROUNDS,
    replicates: int = REPLICATES,
    measures: tuple[Measure, ...] = (),
    gateway: ModelGateway | None = None,
) -> tuple[GameMaster, SlicedGame]:
    """The same game as one batch, and in slices."""
    scenario = Scenario("auction", script, cast=lambda p, n: [], measures=measures)
    cast = [Cohort("everybody", 3, (clerk,))]

    def place(ids: Sequence[int]) -> Environment:
        return Environment(
            scenario.params(),
            seed=1,
            ids=np.arange(3),
            replicate_ids=np.array(ids),
            horizon=rounds,
        )

    def game(ids: Sequence[int], gateway: ModelGateway) -> GameMaster:
        env = place(ids)
        return GameMaster(scenario, env, Population(cast, RunContext(env, gateway)))

    everybody, gateway = range(replicates), gateway or ModelGateway()
    parts = [game(part.tolist(), gateway.part()) for part in slice_replicates(replicates)]
    return game(everybody, ModelGateway()), SlicedGame(place(everybody), gateway, parts)


def recorded(game: GameMaster | SlicedGame) -> InMemoryRecorder:
    recorder = InMemoryRecorder()
    game.recorders = [recorder]
    return recorder


def play_both(batch: GameMaster, sliced: SlicedGame) -> list[Any]:
    """Play both; they must be the same, and the pages are returned."""
    one, other = recorded(batch), recorded(sliced)
    outcome, of_slices = batch.play(), sliced.play()
    assert exact_record(other.pages) == exact_record(one.pages)
    for page, of_batch in zip(other.pages, one.pages, strict=True):
        assert (page.digest, page.path) == (of_batch.digest, of_batch.path)
        assert (page.ledger, page.troubles) == (of_batch.ledger, of_batch.troubles)
    assert of_slices == outcome
    for name, values in outcome.values.items():
        assert of_slices.values[name].tobytes() == values.tobytes()
    return one.pages


def in_time(game: Runner) -> None:
    async def scene() -> None:
        async with asyncio.timeout(5):
            await game.perform()

    asyncio.run(scene())


def test_slices_are_one_replicate_each_as_long_as_there_are_not_too_many() -> None:
    assert [len(part) for part in slice_replicates(5)] == [1] * 5
    many = slice_replicates(1_000)
    assert (len(many), {len(part) for part in many}) == (slices.MOST_SLICES, {15, 16})
    assert np.concatenate(many).tolist() == list(range(1_000))


def test_replicates_that_end_early_go_on_being_told_as_long_as_others_run() -> None:
    """Whatever the order in which answers come."""
    rng = np.random.default_rng(5)
    clerk = Clerk(lambda agent: float(rng.exponential(0.001)))
    pages = play_both(*games(auction, clerk, measures=MEASURES))
    assert [page.running[:, 0].sum() for page in pages] == [4, 3, 2, 1, 0]
    assert pages[-1].number == 4, "and when all have ended, no further round begins"


def test_slow_answers_of_one_replicate_hold_up_no_other() -> None:
    last = asyncio.Event()

    class Waiting(Clerk):
        """In replicate 0 nobody answers before replicate 3 has come to its last round."""

        async def consult(self, ask: Inquiry, agent: Agent) -> Any:
            at = agent.address
            if at.replicate == 3 and agent.moment == ROUNDS:
                last.set()
            if at.replicate == 0:
                await last.wait()
            return 1.0

    def lasting(env: Environment) -> Script:
        for _ in env.rounds():
            bid = yield Ask("bid", Real(0, 100))
            yield Tell("sold", facts={"bid": own(bid)})

    _, sliced = games(lasting, Waiting())
    in_time(sliced)
    assert sliced.pages == ROUNDS + 1


def test_no_slice_is_further_ahead_than_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MOST_AHEAD", 3)
    rounds_asked: list[int] = []

    class Slow(Clerk):
        async def consult(self, ask: Inquiry, agent: Agent) -> Any:
            if agent.address.replicate == 0 and agent.moment == 1 and agent.seat == 0:
                while max(rounds_asked, default=0) < 4:
                    await asyncio.sleep(0)
                for _ in range(50):
                    await asyncio.sleep(0)
                assert max(rounds_asked) == 4, "the round that is open, and three more"
            rounds_asked.append(agent.moment)
            return 1.0

    def lasting(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real(0, 100))

    _, sliced = games(lasting, Slow(), rounds=20)
    in_time(sliced)
    assert sliced.pages == 21
    assert max(rounds_asked) == 20


def test_the_first_line_that_fails_ends_all_with_the_same_words_and_rounds() -> None:
    """Replicate 3 fails in round 2, and replicate 1 in round 4: a batch never comes that far."""

    class Wrong(Component):
        answers = ("bid",)

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            replicate = agents.env.replicate_ids[agents.replicate]
            wrong = (replicate == 3) & (agents.moment >= 2) | (replicate == 1) & (agents.moment > 3)
            return np.where(wrong, np.nan, 1.0)

    def lasting(env: Environment) -> Script:
        for _ in env.rounds():
            bid = yield Ask("bid", Real(0, 100))
            yield Tell("sold", facts={"bid": own(bid)})

    words, numbers = set(), []
    for game in games(lasting, Wrong()):
        recorder = recorded(game)
        with pytest.raises(PartError, match=r"agent 0 of replicate 3, answered 'bid'") as failed:
            game.play()
        words.add(str(failed.value))
        numbers.append([page.number for page in recorder.pages])
    assert len(words) == 1
    assert numbers == [[0, 1], [0, 1]]


def test_a_limit_in_one_slice_stops_all_and_answers_under_way_are_awaited() -> None:
    answered: list[int] = []
    stopped = asyncio.Event()

    class Limited(Clerk):
        async def consult(self, ask: Inquiry, agent: Agent) -> Any:
            replicate = agent.address.replicate
            if replicate == 1 and agent.moment == 2:
                stopped.set()
                raise Paused("the budget of 9 calls is used up")
            if replicate == 4:
                await stopped.wait()
                await asyncio.sleep(0.01)
            answered.append(replicate)
            return 1.0

    def lasting(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real(0, 100))

    _, sliced = games(lasting, Limited(), rounds=50, replicates=5)
    recorder = recorded(sliced)
    with pytest.raises(Paused, match="the budget of 9 calls is used up"):
        sliced.play()
    assert answered.count(4) == 3, "what was under way in the slowest one was not lost"
    assert [page.number for page in recorder.pages] == [0]


def test_a_replicate_with_an_answer_that_cannot_be_read_is_void_in_its_place() -> None:
    class Mumbling(Clerk):
        async def consult(self, ask: Inquiry, agent: Agent) -> Any:
            if (agent.address.replicate, agent.seat, agent.moment) == (2, 1, 2):
                raise Unparsed("mumbled")
            return 1.0

    def strict(env: Environment) -> Script:
        for _ in env.rounds():
            bid = yield Ask("bid", Real(0, 100), fallback=VOID_REPLICATE)
            yield Tell("sold", facts={"bid": own(bid)})

    pages = play_both(*games(strict, Mumbling(), measures=MEASURES[:1]))
    assert pages[2].steps[0].arrays["void", ""][:, 0].tolist() == [False, False, True, False]


def test_lines_that_depend_on_data_are_refused() -> None:
    def moody(env: Environment) -> Script:
        for _ in env.rounds():
            if env.replicate_ids[0] == 2:
                yield Tell("sold", facts={"bid": own(0.0)})
            yield Ask("bid", Real(0, 100))

    _, sliced = games(moody, Clerk())
    with pytest.raises(PartError, match="round 1 has other lines in one replicate than in another"):
        sliced.play()


def test_an_interrupt_waits_for_the_answers_under_way_in_all_slices() -> None:
    told, begun, answered = list[int](), list[int](), list[int]()

    class Minds:
        patience = 5.0

        async def call(self, request: Request, going: Going, token: CancellationToken) -> Any:
            await going()
            begun.append(request.address.replicate)
            await asyncio.sleep(0.1)  # longer than those may take who only wait for a turn
            answered.append(request.address.replicate)
            return Completion("1")

        async def close(self) -> None:
            pass

    class Caller(Clerk):
        async def consult(self, ask: Inquiry, agent: Agent) -> Any:
            await agent.call("m", [Message("user", "How much?")])
            return 1.0

    gateway = ModelGateway(Minds, awaiting=told.append)
    _, sliced = games(auction, Caller(), gateway=gateway)

    async def scene() -> None:
        playing = asyncio.create_task(sliced.perform())
        while len(begun) < 12:
            await asyncio.sleep(0)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing

    asyncio.run(scene())
    assert told == [12], "three agents in each of four replicates"
    assert sorted(answered) == sorted(begun)
    assert [entry.calls for entry in gateway.ledger.entries()] == [12], "nobody else was asked"


def test_rounds_that_only_some_replicates_play_are_refused() -> None:
    def longer(env: Environment) -> Script:
        yield Ask("bid", Real(0, 100))
        for _ in env.rounds(2 if env.replicate_ids[0] == 2 else 1):
            yield Ask("bid", Real(0, 100))

    _, sliced = games(longer, Clerk())
    with pytest.raises(PartError, match="round 2 has other lines in one replicate than in another"):
        in_time(sliced)
