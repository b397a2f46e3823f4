"""The models of a run: each call goes to the model that it names, all within one budget."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from society.engine.calls import Completion, Going, Request, Spent
from society.engine.cancellation import CancellationToken
from society.engine.signatures import check_signature
from society.errors import ArgumentError, InputError, SocietyError, describe_user_error, short_path

from . import api_keys
from .answer_tape import AnswerTape
from .batch_desk import BatchDesk
from .budget import Budget
from .calls_under_way import CallsUnderWay
from .identical_calls import IdenticalCalls, refuse_chance
from .offline import Offline, OfflineModel
from .pricing import find_price
from .settings import FREE_SORTS, Limits, ModelSpec, is_local

if TYPE_CHECKING:
    from .caller import Remote
    from .responses import Client


_OF_SERVERS = {"api_base", "timeout", "deadline", "concurrency"}
_LOG = logging.getLogger(__name__)


class Mind(Protocol):
    """One model, ready to be asked."""

    @property
    def patience(self) -> float: ...
    def check(self) -> None: ...
    async def call(
        self, request: Request, going: Going, token: CancellationToken
    ) -> Completion: ...
    async def close(self) -> None: ...


class ModelPool:
    """The outside minds of one run (`society.engine.calls.Minds`); used in one event loop.

    specs: settings by the name that requests use; `default` is offline unless it is given. A name
    that is not among them is a model, taken with the settings of `default`. own: what makes the
    models of the user's functions, by FILE.py:function. budget: the run's own, or one that it
    shares. seed: of the offline mind. share: ask identical questions once.
    batch: ask models through the batch interfaces of their providers; desk: what their jobs share.
    under_way: the calls without a reply.
    """

    def __init__(
        self,
        specs: Mapping[str, ModelSpec],
        budget: Budget | None = None,
        own: Mapping[str, Callable[[], object]] | None = None,
        *,
        seed: int = 0,
        share: bool = False,
        batch: bool = False,
    ) -> None:
        self._specs = {"default": ModelSpec()} | dict(specs)
        self._budget = budget or Budget(Limits(), Spent())
        self._own, self._seed = own or {}, seed
        self._minds: dict[str, Mind] = {}
        self._batch, self.desk, self.under_way = batch, BatchDesk(), CallsUnderWay()
        self._identical = IdenticalCalls() if share else None

    def spec(self, name: str) -> ModelSpec:
        """The settings of a model that requests call so."""
        if name in self._specs:
            return self._specs[name]
        default = self._specs["default"]
        if not is_local(name):
            return default.model_copy(update={"model": name})
        # How a server is reached and waited for says nothing about a model in this process.
        elsewhere = set() if default.sort == "local" else _OF_SERVERS
        said = default.model_dump(exclude_unset=True, exclude=elsewhere)
        return ModelSpec.model_validate(said | {"model": name})

    def check(self, names: Iterable[str]) -> None:
        """Raise InputError for a model that can never answer, and for limits nobody can keep.

        And for keys among the settings, even of models that nobody calls: run files keep them all.
        """
        for name in names:
            mind = self._mind(name)
            self._refuse_uncounted(self.spec(name))
            mind.check()
            if self._identical is not None:
                refuse_chance(name, self.spec(name))
        for name, spec in self._specs.items():
            _refuse_keys(spec)
            _refuse_two_meanings(name, spec)

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """Ask; raises Paused if no answer can be had, and InputError if none ever will."""
        token.check()
        _LOG.debug("asking %s: %s", request.model, request.address)
        try:
            with self.under_way.of(request):
                reply = await self._reply(request, going, token)
            _LOG.debug("%s has answered: %s", request.model, request.address)
            return reply
        except BaseException as error:
            # Whatever ends a run ends it for all: who has not asked yet need not begin.
            token.cancel(error)
            raise

    async def _reply(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        ask = partial(self._mind(request.model).call, request, going, token)
        if self._identical is None or self.spec(request.model).sort in FREE_SORTS:
            return await ask()
        return await self._identical.call(request, token, ask)

    def remember(self, recorded: Iterable[Completion]) -> None:
        """Take replies that identical questions may share from the record of an earlier session."""
        if self._identical is not None:
            self._identical.remember(recorded)

    @property
    def patience(self) -> float:
        """Seconds that a call under way may still take."""
        return max((mind.patience for mind in self._minds.values()), default=0.0)

    async def close(self) -> None:
        """Let go of connections."""
        for mind in self._minds.values():
            await mind.close()
        self._minds.clear()

    def _refuse_uncounted(self, spec: ModelSpec) -> None:
        limits = self._budget.limits
        bounded = limits.max_cost is not None or limits.max_tokens is not None
        if bounded and spec.max_tokens is None and spec.sort not in FREE_SORTS:
            raise InputError(
                f"limits on tokens and cost cannot be kept: replies of {spec.model!r} may have any "
                "length (max_tokens: none); give max_tokens, or lift the limits and set --max-calls"
            )
        if self._budget.limits.max_cost is None:
            return
        batch = self._batch and spec.sort not in FREE_SORTS
        if find_price(spec, batch=batch) is None:
            unknown = f"the price of {spec.model!r}{' in batches' * batch} is unknown"
        elif self._budget.known.cost is None:
            unknown = "nobody knows what the run has cost so far"
        else:
            return
        raise InputError(
            f"--max-cost cannot be kept: {unknown}; lift it with --max-cost none, "
            "and limit the run by --max-tokens or --max-calls"
        )

    def _mind(self, name: str) -> Mind:
        if name not in self._minds:
            self._minds[name] = self._made(self.spec(name))
        return self._minds[name]

    def _made(self, spec: ModelSpec) -> Mind:
        if spec.sort == "offline":
            return OfflineModel(Offline(self._seed), self._budget)
        if spec.sort == "tape":
            tape = AnswerTape(spec.file)
            return OfflineModel(tape, self._budget, tape.close)
        return self._remote(spec)

    def _remote(self, spec: ModelSpec) -> Remote:
        from .caller import Remote

        api_keys.load_env_file()
        _refuse_keys(spec)
        client = self._client(spec)
        if self._batch:
            from .batches import batched

            return batched(spec, client, self._budget, self.desk, self.under_way)
        return Remote(spec, client, self._budget, self.under_way)

    def _client(self, spec: ModelSpec) -> Client:
        if spec.sort == "lean":
            from .openai_compatible import OpenAICompatible

            return OpenAICompatible(spec, self._seed)
        if spec.sort == "local":
            from .local import Local

            return Local(spec, self._seed)
        if spec.sort == "litellm":
            _refuse_files(spec)
            from .litellm import Litellm

            return Litellm(spec, self._seed)
        if spec.model not in self._own:
            raise InputError(f"{spec.model} was not loaded; name a file and a function in it")
        return _own_client(spec, self._own[spec.model], self._seed)


def _own_client(spec: ModelSpec, make: Callable[[], object], seed: int) -> Client:
    """Return the client of what a function of the user's makes; raises InputError."""
    name = short_path(spec.model)
    try:
        check_signature(make, name)
    except ArgumentError as error:
        raise InputError(
            f"{error}, once for a run; what it returns is the function that answers, or a chat "
            "model (see docs/writing-minds.md)"
        ) from None
    try:
        model = make()
    except SocietyError:
        raise
    except Exception as error:  # a function of the user's may raise anything
        raise InputError(api_keys.quote_stranger(describe_user_error(error))) from None
    langchain = sys.modules.get("langchain_core.language_models")
    # What has not been imported has made no model.
    if langchain is not None and isinstance(model, langchain.BaseChatModel):
        from .langchain import LangChain

        return LangChain(spec, model)
    if callable(model):
        from .own_model import FunctionModel

        return FunctionModel(spec, model, seed)
    raise InputError(
        f"{name} gave {api_keys.quote_stranger(repr(model)[:60])}; expected a BaseChatModel of "
        "langchain-core, or a function that answers (see docs/language-models.md)"
    )


def _refuse_two_meanings(name: str, spec: ModelSpec) -> None:
    """Raise InputError for a name of the run's own by which another model can be meant."""
    other = ModelSpec(model=name)
    if spec.model != name and (other.sort in ("offline", "tape", "own", "local") or "/" in name):
        raise InputError(
            f"the name {name!r} means two models: itself, and {spec.model!r} by the settings under "
            "`models`; give the settings another name"
        )


def _refuse_files(spec: ModelSpec) -> None:
    """Raise InputError for the name of a provider's model that is also a file here."""
    file = Path(spec.model)
    if not file.is_file():
        return
    meant = {".run": f"tape:{file}", ".gguf": f"local:{file}", ".py": f"{file}:function"}
    advice = f"write {meant[file.suffix]} for the file" if file.suffix in meant else ""
    raise InputError(
        f"the model {spec.model!r} is also a file in this folder; "
        f"{advice or 'move the file, or run from another folder, if you mean the provider'}"
    )


def _refuse_keys(spec: ModelSpec) -> None:
    """Raise InputError if a key of the environment stands among the settings."""
    if variable := api_keys.exposed_secret(spec.model_dump()):
        raise InputError(
            f"the settings of model {api_keys.redact(spec.model)!r} hold the value of "
            f"{variable}, and would be written down; take it out: keys come from the environment"
        )
