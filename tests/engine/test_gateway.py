"""Outside minds are asked at most once, and nothing that they say is used before it is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.action_spaces import Real
from society.engine.agents import RunContext
from society.engine.calls import (
    Address,
    Completion,
    Going,
    Message,
    NoCallStore,
    ParseIssue,
    Request,
    Usage,
)
from society.engine.cancellation import CancellationToken
from society.engine.component import Agent, Component, Inquiry
from society.engine.environment import Environment
from society.engine.game_master import GameMaster
from society.engine.gateway import ModelGateway
from society.engine.population import Cohort, Population
from society.engine.rng import Array
from society.engine.scenario import Params, Scenario
from society.engine.script import Ask, Script
from society.errors import PartError, Paused, Unparsed

if TYPE_CHECKING:
    from tests.conftest import Played, Recorded


def request(agent: int = 0, words: str = "How much?", **more: Any) -> Request:
    address = Address("oracle", "answer bid", 0, 0, agent, more.pop("turn", 0))
    return Request(address, "default", (Message("user", words),), **more)


class Diary:
    """A mind and a call_store in one that note what they are told, in order.

    says: what the mind says; it may take its time, and fail. A call is noted by its agent.
    """

    def __init__(self, says: Callable[[Request], Awaitable[Completion]] | None = None) -> None:
        self.says, self.noted = says, list[str]()
        self.record: dict[Address, Completion] = {}
        self.texts: dict[str, Array] = {}
        self.token: CancellationToken | None = None
        self.patience, self.closed = 5.0, 0

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        self.token = token
        await going()
        self.noted.append(f"ask {request.address.agent}")
        return await self.says(request) if self.says else Completion("7", cost=0.5)

    async def close(self) -> None:
        self.closed += 1

    def kept(self, request: Request) -> Completion | None:
        self.noted.append(f"kept {request.address.agent}?")
        return self.record.get(request.address)

    async def withdraw(self, request: Request) -> None:
        """Do nothing: there is no note to take back."""

    async def sending(self, request: Request) -> None:
        self.noted.append(f"sending {request.address.agent}")

    async def keep(self, request: Request, said: Completion) -> None:
        await asyncio.sleep(0)
        self.noted.append(f"keep {request.address.agent}")
        self.record[request.address] = said

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        return {text: self.texts[text] for text in texts if text in self.texts}

    def keep_vectors(self, embedder: str, vectors: Mapping[str, Array]) -> None:
        self.texts |= vectors

    @property
    def gateway(self) -> ModelGateway:
        return ModelGateway(lambda: self, self)


class Full(Diary):
    """A call store with a full disk."""

    async def keep(self, request: Request, said: Completion) -> None:
        raise Paused("the disk is full")


def ask(gateway: ModelGateway, *requests: Request) -> list[Completion]:
    """Make requests at once, and return the replies to them."""
    return asyncio.run(gateway.together(gateway.call(one) for one in requests))


# One call


def test_the_record_is_asked_first_then_the_call_is_noted_made_and_kept() -> None:
    diary = Diary()
    assert ask(diary.gateway, request()) == [Completion("7", cost=0.5)]
    assert diary.noted == ["kept 0?", "sending 0", "ask 0", "keep 0"]


def test_what_is_on_record_is_not_asked_again_and_counts_as_it_did() -> None:
    diary = Diary()
    first, again = diary.gateway, ModelGateway(call_store=diary)
    assert ask(first, request()) == ask(again, request()) == [Completion("7", cost=0.5)]
    assert diary.noted.count("ask 0") == 1
    assert again.ledger.entries() == first.ledger.entries()


def test_nothing_is_used_before_it_is_kept() -> None:
    diary, written = Diary(), asyncio.Event()
    used: list[str] = []

    async def slow(request: Request, said: Completion) -> None:
        await written.wait()

    async def use(gateway: ModelGateway) -> None:
        used.append((await gateway.call(request())).text)

    async def scene() -> None:
        diary.keep = slow  # type: ignore[method-assign]
        gateway = diary.gateway
        using = asyncio.ensure_future(use(gateway))
        while "ask 0" not in diary.noted:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (used, gateway.ledger.entries()) == ([], ())
        written.set()
        await using

    asyncio.run(scene())
    assert used == ["7"]


def test_an_answer_that_cannot_be_kept_is_neither_used_nor_counted() -> None:
    full = Full()
    gateway = full.gateway
    with pytest.raises(Paused, match="the disk is full"):
        ask(gateway, request())
    assert full.noted == ["kept 0?", "sending 0", "ask 0"]
    assert (gateway.ledger.entries(), gateway.troubles) == ((), [])


def test_models_are_reached_with_the_first_call_and_let_go_once() -> None:
    diary, reached = Diary(), list[str]()

    def reach() -> Diary:
        reached.append("now")
        return diary

    gateway = ModelGateway(reach)
    assert reached == []
    ask(gateway, request(0), request(1))
    asyncio.run(gateway.close())
    assert (reached, diary.closed) == (["now"], 1)


def test_who_asks_a_model_in_a_game_that_reaches_none_is_told_so() -> None:
    with pytest.raises(PartError, match=r"'bid' is asked of model 'default', but this game"):
        ask(ModelGateway(), request())


def test_half_a_surrogate_pair_becomes_a_question_mark_before_it_is_kept() -> None:
    async def halved(request: Request) -> Completion:
        return Completion("fish \ud83d or not")

    diary = Diary(halved)
    assert ask(diary.gateway, request())[0].text == "fish ? or not"
    assert [said.text for said in diary.record.values()] == ["fish ? or not"]


# What is counted


def test_calls_are_counted_by_component_kind_and_model_with_what_they_used() -> None:
    async def priced(request: Request) -> Completion:
        model = "gpt" if request.again else ""
        return Completion("7", "stop", 10, 2, 0.25, retries=1, model=model, cached_tokens=6)

    gateway = Diary(priced).gateway
    again = request(turn=1, again="repair", reason="no number"), request(turn=2, again="cut")
    ask(gateway, request(0), request(1), *again)
    assert gateway.ledger.entries() == (
        Usage("oracle", "bid", "", 2, 2, 0, 0, 0, 20, 4, 0.5, 12),
        Usage("oracle", "bid", "gpt", 2, 2, 1, 1, 0, 20, 4, 0.5, 12),
    )
    assert gateway.troubles[0] == ParseIssue("oracle", "bid", "gpt", 0, 0, "repair", "no number")
    assert [trouble.what for trouble in gateway.troubles] == ["repair", "cut"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_sum_in_which_something_is_unknown_is_unknown(order: tuple[int, int]) -> None:
    replies = Completion("7", "stop", 10, None, 0.25), Completion("7", "stop", None, 2, None)

    async def partly(request: Request) -> Completion:
        return replies[request.address.agent]

    gateway = Diary(partly).gateway
    for agent in order:
        ask(gateway, request(agent))
    (entry,) = gateway.ledger.entries()
    assert (entry.prompt_tokens, entry.completion_tokens, entry.cost) == (None, None, None)


# Answers that a component finds without a call through us


@dataclass
class Bystander:
    """Whoever is asked."""

    address: Address
    whole_name: str = "agent 1"
    moment: int = 0


def found(diary: Diary, answer: Any, *, called: bool = False) -> tuple[Any, ModelGateway]:
    """Return the value that `answered` makes of an answer, or of an Unparsed that is raised."""
    gateway = diary.gateway
    asked = Bystander(request().address)

    async def consult() -> Any:
        diary.noted.append("consult")
        if called:
            asked.address = asked.address._replace(turn=1)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return asyncio.run(gateway.answered(asked, consult)), gateway


@pytest.mark.parametrize(
    ("answer", "kept", "read"),
    [
        (0.25, '{"answer": 0.25}', 0.25),
        ("wait", '{"answer": "wait"}', "wait"),
        ({"whom": np.int64(3), "how": np.array([0.5, 0.5])},
         '{"answer": {"whom": 3, "how": [0.5, 0.5]}}', {"whom": 3, "how": [0.5, 0.5]}),
        (None, '{"answer": null}', None),
    ],
)  # fmt: skip
def test_an_answer_found_elsewhere_is_kept_as_it_is_and_not_sought_again(
    answer: Any, kept: str, read: Any
) -> None:
    diary = Diary()
    found(diary, answer)
    assert [said.text for said in diary.record.values()] == [kept]
    diary.noted.clear()
    again, gateway = found(diary, answer)
    assert again == read
    assert diary.noted == ["kept 0?"]
    assert gateway.ledger.entries() == (Usage("oracle", "bid", unasked=1),), (
        "it cost nothing of ours"
    )


def test_an_answer_that_could_not_be_read_stays_unread() -> None:
    diary = Diary()
    for _ in range(2):
        unread, _ = found(diary, Unparsed("only a cough"))
        assert isinstance(unread, Unparsed)
        assert str(unread) == "only a cough"
    assert diary.noted.count("consult") == 1


def test_who_called_through_us_has_no_answer_of_its_own_to_keep() -> None:
    diary = Diary()
    assert found(diary, 0.25, called=True)[0] == 0.25
    assert diary.record == {}


def test_an_answer_found_elsewhere_is_not_used_before_it_is_kept_either() -> None:
    with pytest.raises(Paused, match="the disk is full"):
        found(Full(), 0.25)


@pytest.mark.parametrize(
    "answer",
    [{0.25}, object(), b"wait", {"to": {1, 2}}],
    ids=["set", "object", "bytes", "set within"],
)
def test_what_cannot_be_written_down_is_the_components_mistake(answer: object) -> None:
    with pytest.raises(
        PartError, match=r"'bid' was answered with what cannot be kept: .*; give numbers, text"
    ):
        found(Diary(), answer)


def test_a_coroutine_in_place_of_an_answer_is_told_to_be_awaited() -> None:
    async def slow() -> float:
        return 0.25

    with pytest.raises(PartError, match=r"a coroutine, .*slow, in place .* write `await` before"):
        found(Diary(), slow())


# Vectors


class Counting:
    """An embedder that notes what it embeds: the length of a text, and 1."""

    name = "lengths"

    def __init__(self) -> None:
        self.embedded: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Array:
        self.embedded.append(list(texts))
        return np.array([[len(text), 1] for text in texts], np.float32)


def test_only_texts_that_are_new_are_embedded_and_each_of_them_once() -> None:
    embedder, gateway = Counting(), Diary().gateway
    assert gateway.embedded(embedder, ["lake", "sea", "lake"]).tolist() == [[4, 1], [3, 1], [4, 1]]
    assert gateway.embedded(embedder, ["ocean", "sea"]).tolist() == [[5, 1], [3, 1]]
    gateway.embedded(embedder, ["lake"])
    assert embedder.embedded == [["lake", "sea"], ["ocean"]]


def test_a_kept_vector_stands_even_if_the_embedder_would_now_give_another() -> None:
    diary = Diary()
    diary.keep_vectors("lengths", {"sea": np.array([9.0, 9.0])})
    assert diary.gateway.embedded(Counting(), ["sea", "lake"]).tolist() == [[9, 9], [4, 1]]


# Many at once


def test_what_was_under_way_is_kept_when_another_call_fails_and_the_failure_is_raised() -> None:
    failed = asyncio.Event()

    async def says(request: Request) -> Completion:
        if request.address.agent == 2:  # the last to go out
            failed.set()
            raise Paused("the provider is down")
        await failed.wait()
        await asyncio.sleep(0.01)
        return Completion("7")

    diary = Diary(says)
    with pytest.raises(Paused, match="the provider is down"):
        ask(diary.gateway, *map(request, range(3)))
    assert [address.agent for address in diary.record] == [0, 1]


def test_the_failure_that_came_first_is_raised_and_not_what_followed_from_it() -> None:
    """Agent 2 fails; agent 0, which was waiting for its turn, is told not to go."""
    failed = asyncio.Event()

    class Queue(Diary):
        async def call(
            self, request: Request, going: Going, token: CancellationToken
        ) -> Completion:
            if request.address.agent == 0:
                await failed.wait()
                await asyncio.sleep(0)
            return await super().call(request, going, token)

    async def says(request: Request) -> Completion:
        failed.set()
        raise Paused("out of money")

    queue = Queue(says)
    with pytest.raises(Paused, match="out of money"):
        ask(queue.gateway, request(0), request(2))
    assert queue.noted == ["kept 0?", "kept 2?", "sending 2", "ask 2"]


def test_who_has_not_asked_yet_does_not_when_an_answer_cannot_be_kept() -> None:
    """Each of these answers would be paid for and lost."""

    class Queue(Full):
        async def call(
            self, request: Request, going: Going, token: CancellationToken
        ) -> Completion:
            await asyncio.sleep(0.005 * request.address.agent)
            return await super().call(request, going, token)

    full = Queue()
    with pytest.raises(Paused, match="the disk is full"):
        ask(full.gateway, *map(request, range(4)))
    assert full.noted.count("ask 0") == 1
    assert not {"ask 1", "ask 2", "ask 3"} & set(full.noted)


def test_after_a_failure_nobody_asks_in_this_run_any_more() -> None:
    async def says(request: Request) -> Completion:
        raise Paused("out of money")

    gateway = Diary(says).gateway
    with pytest.raises(Paused, match="out of money"):
        ask(gateway, request(0))
    with pytest.raises(Paused, match="the run was stopped"):
        ask(gateway, request(1))


def test_nobody_at_all_is_no_failure() -> None:
    assert ask(Diary().gateway) == []


def interrupted(
    diary: Diary,
    requests: Iterable[Request],
    awaiting: Callable[[int], None] = lambda count: None,
) -> None:
    """All requests made at once, and an interrupt after the last of them has gone out."""

    async def scene() -> None:
        gateway, calls = ModelGateway(lambda: diary, diary, awaiting), list(requests)
        asking = asyncio.ensure_future(gateway.together(gateway.call(one) for one in calls))
        while diary.noted[-1:] != [f"ask {calls[-1].address.agent}"]:
            await asyncio.sleep(0)
        asking.cancel()
        await asking

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(scene())


def test_the_first_of_many_are_asked_while_the_last_are_still_written() -> None:
    diary = Diary()
    ask(diary.gateway, *map(request, range(40)))
    assert diary.noted.index("ask 0") < diary.noted.index("kept 39?")
    assert len(diary.record) == 40


def test_after_an_interrupt_who_has_not_begun_does_not() -> None:
    diary = Diary()

    async def scene() -> None:
        calls = [diary.gateway.call(request(agent)) for agent in range(40)]
        asking = asyncio.ensure_future(diary.gateway.together(calls))
        while "ask 0" not in diary.noted:
            await asyncio.sleep(0)
        asking.cancel()
        await asking

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(scene())
    assert "kept 0?" in diary.noted
    assert "kept 39?" not in diary.noted


def test_an_interrupt_waits_for_what_is_under_way_and_keeps_it() -> None:
    async def slowly(request: Request) -> Completion:
        await asyncio.sleep(0.01)
        return Completion("7")

    diary = Diary(slowly)
    interrupted(diary, map(request, range(3)))
    assert [address.agent for address in diary.record] == [0, 1, 2]


def test_an_interrupt_waits_no_longer_than_a_call_may_take_and_says_for_how_many() -> None:
    async def never(request: Request) -> Completion:
        if request.address.agent == 0:
            return Completion("7")
        await asyncio.get_running_loop().create_future()
        raise AssertionError("it was answered")

    diary, awaited = Diary(never), list[int]()
    diary.patience = 0.01
    interrupted(diary, map(request, range(3)), awaited.append)
    assert [address.agent for address in diary.record] == [0]
    assert awaited in ([2], [3]), "the first may be being kept"


def test_those_who_wait_for_a_turn_hear_why_the_run_is_over() -> None:
    diary = Diary()
    interrupted(diary, [request()])
    assert diary.token is not None
    assert isinstance(diary.token.reason, asyncio.CancelledError)
    failing = Full()
    with pytest.raises(Paused):
        ask(failing.gateway, request())
    assert failing.token is not None
    assert str(failing.token.reason) == "the disk is full"


# In a game


class Bidder(Component):
    """Bids what the model says."""

    answers = ("bid",)

    async def consult(self, ask: Inquiry, agent: Agent) -> float:
        said = await agent.call("default", [Message("user", f"{agent.name}: how much?")])
        return float(said.text)


class Haggler(Component):
    """Asks somebody on its own."""

    answers = ("bid",)

    def __init__(self, asks: Callable[[Agent], Coroutine[Any, Any, Any]]) -> None:
        self.asks = asks

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        return await self.asks(agent)


def auction(recorded: Recorded, part: Component, gateway: ModelGateway) -> Played:
    """Three rounds of bids by two agents."""

    def script(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real(0, 100), fallback=0)

    table = Environment(Params(), seed=1, ids=np.arange(2), replicate_ids=np.arange(1), horizon=3)
    population = Population([Cohort("all", 2, (part,))], RunContext(table, gateway))
    scenario = Scenario("parlour", script, cast=lambda p, n: [])
    return recorded(GameMaster(scenario, table, population))


def test_a_game_from_the_record_ends_on_the_same_digest_and_asks_nobody(
    recorded: Recorded,
) -> None:
    async def counts(request: Request) -> Completion:
        return Completion(str(10 * request.address.use + request.address.agent), cost=0.1)

    diary = Diary(counts)
    live = auction(recorded, Bidder(), diary.gateway)
    assert [bids.tolist() for bids in live.answers("bid")] == [[[0, 1]], [[10, 11]], [[20, 21]]]
    again = auction(recorded, Bidder(), ModelGateway(call_store=diary))
    assert again.outcome == live.outcome
    assert len([note for note in diary.noted if note.startswith("ask")]) == 6


def test_answers_that_a_component_found_on_its_own_come_from_the_record_too(
    recorded: Recorded,
) -> None:
    asked: list[str] = []

    async def asks(agent: Agent) -> Any:
        asked.append(agent.name)
        if agent.agent == 1:
            raise Unparsed("a shrug")
        return np.float64(5)

    diary = Diary()
    live = auction(recorded, Haggler(asks), diary.gateway)
    again = auction(recorded, Haggler(asks), diary.gateway)
    assert [bids.tolist() for bids in live.answers("bid")] == [[[5, 0]]] * 3
    assert again.outcome == live.outcome
    assert asked == ["0", "1"] * 3
    assert live.outcome.ledger == (Usage("haggler", "bid", fallbacks=3, unasked=6),)


def test_a_game_without_a_record_is_played_as_well(recorded: Recorded) -> None:
    over = auction(recorded, Bidder(), ModelGateway(Diary, NoCallStore()))
    assert over.answers("bid")[2].tolist() == [[7, 7]]


def test_while_jobs_end_and_those_who_waited_for_them_go_on_not_all_wait() -> None:
    """A batch that looked in between would be sent without what is asked next."""

    async def scene() -> list[bool]:
        gateway, waits = Diary().gateway, list[bool]()

        async def twice() -> None:
            for _ in range(2):
                await gateway.together([asyncio.sleep(0)])

        playing = asyncio.create_task(gateway.together([twice()]))
        await asyncio.sleep(0)
        while not playing.done():
            waits.append(gateway.token.all_wait)
            await asyncio.sleep(0)
        return waits

    assert not any(asyncio.run(scene()))
