"""The models of a run: each call goes to the model that it names, all within one budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from society.engine.calls import Completion, Going, Request, Spent
from society.engine.cancellation import CancellationToken
from society.errors import InputError

from . import api_keys
from .answer_tape import AnswerTape
from .budget import Budget
from .offline import Offline, OfflineModel
from .pricing import find_price
from .settings import Limits, ModelSpec, is_local

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
    shares. seed: of the offline mind.
    """

    def __init__(
        self,
        specs: Mapping[str, ModelSpec],
        budget: Budget | None = None,
        own: Mapping[str, Callable[[], object]] | None = None,
        *,
        seed: int = 0,
    ) -> None:
        self._specs = {"default": ModelSpec()} | dict(specs)
        self._budget = budget or Budget(Limits(), Spent())
        self._own, self._seed = own or {}, seed
        self._minds: dict[str, Mind] = {}

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
        for name, spec in self._specs.items():
            _refuse_keys(spec)
            _refuse_two_meanings(name, spec)

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """Ask; raises Paused if no answer can be had, and InputError if none ever will."""
        token.check()
        _LOG.debug("asking %s: %s", request.model, request.address)
        try:
            reply = await self._mind(request.model).call(request, going, token)
            _LOG.debug("%s has answered: %s", request.model, request.address)
            return reply
        except BaseException as error:
            # Whatever ends a run ends it for all: who has not asked yet need not begin.
            token.cancel(error)
            raise

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
        if bounded and spec.max_tokens is None and spec.sort not in ("offline", "tape"):
            raise InputError(
                f"limits on tokens and cost cannot be kept: replies of {spec.model!r} may have any "
                "length (max_tokens: none); give max_tokens, or lift the limits and set --max-calls"
            )
        if self._budget.limits.max_cost is None:
            return
        if find_price(spec) is None:
            unknown = f"the price of {spec.model!r} is unknown"
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
        return Remote(spec, self._client(spec), self._budget)

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
        from .own_model import own_client

        if spec.model not in self._own:
            raise InputError(f"{spec.model} was not loaded; name a file and a function in it")
        return own_client(spec, self._own[spec.model], self._seed)


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
