"""Where a run's calls go out: each to the model that it names, all within one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from society.calls import Going, Request, Said, Spent
from society.errors import InputError, Paused

from . import keys
from .budget import Budget
from .free import Free
from .offline import Offline
from .prices import price
from .settings import Limits, ModelSpec
from .tape import Tape

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from .remote import Remote
    from .wire import Client

_NO_LIMITS, _NOTHING = Limits(), Spent()


class Mind(Protocol):
    """One model, ready to be asked."""

    def check(self) -> None: ...
    async def call(self, request: Request, going: Going) -> Said: ...
    async def close(self) -> None: ...


class Desk:
    """The outside minds of one run (`society.calls.Minds`); used in one event loop.

    specs: settings by the name that requests use; `default` is offline unless it is given. A name
    that is not among them is a model, taken with the settings of `default`. own: what makes the
    models of the user's functions, by FILE.py:function. seed: of the offline mind.
    """

    def __init__(
        self,
        specs: Mapping[str, ModelSpec],
        limits: Limits = _NO_LIMITS,
        spent: Spent = _NOTHING,
        own: Mapping[str, Callable[[], BaseChatModel]] | None = None,
        *,
        seed: int = 0,
    ) -> None:
        self._specs = {"default": ModelSpec()} | dict(specs)
        self._limits, self._spent, self._seed = limits, spent, seed
        self._own = own or {}
        self._budget = Budget(limits, spent)
        self._minds: dict[str, Mind] = {}
        self._stopped: BaseException | None = None

    def spec(self, name: str) -> ModelSpec:
        """The settings of a model that requests call so."""
        if name in self._specs:
            return self._specs[name]
        return self._specs["default"].model_copy(update={"model": name})

    def check(self, names: Iterable[str]) -> None:
        """Raises InputError for a model that can never answer, and for limits nobody can keep."""
        for name in names:
            self._refuse_uncounted(self.spec(name))
            self._mind(name).check()

    async def call(self, request: Request, going: Going) -> Said:
        """Ask; raises Paused if no answer can be had, and InputError if none ever will."""
        try:
            return await self._mind(request.model).call(request, going)
        except BaseException as error:
            self._stopped = self._stopped or error
            raise

    async def close(self) -> None:
        """Let go of connections."""
        for mind in self._minds.values():
            await mind.close()
        self._minds.clear()

    def _halted(self) -> None:
        """Raises Paused if another call has ended the run: nobody need wait for a turn any more."""
        if self._stopped is not None:
            raise Paused("the run was stopped") from self._stopped

    def _refuse_uncounted(self, spec: ModelSpec) -> None:
        limits, spent = self._limits, self._spent
        if limits.max_cost is not None and price(spec) is None:
            raise InputError(
                f"--max-cost cannot be kept: the price of {spec.model!r} is unknown; "
                "use --max-tokens or --max-calls"
            )
        for name, known in (("cost", spent.cost), ("tokens", spent.tokens)):
            if getattr(limits, f"max_{name}") is not None and known is None:
                raise InputError(
                    f"--max-{name} cannot be kept: nobody knows what the run has used so far; "
                    "use --max-calls"
                )

    def _mind(self, name: str) -> Mind:
        if name not in self._minds:
            self._minds[name] = self._made(self.spec(name))
        return self._minds[name]

    def _made(self, spec: ModelSpec) -> Mind:
        if spec.sort == "offline":
            return Free(Offline(self._seed), self._budget)
        if spec.sort == "tape":
            return Free(Tape.read(spec.model.removeprefix("tape:")), self._budget)
        return self._remote(spec)

    def _remote(self, spec: ModelSpec) -> Remote:
        from .remote import Remote

        keys.load()
        return Remote(spec, self._client(spec), self._budget, self._halted)

    def _client(self, spec: ModelSpec) -> Client:
        if spec.sort == "lean":
            from .lean import Lean

            return Lean(spec)
        if spec.sort == "litellm":
            from .litellm import Litellm

            return Litellm(spec)
        from .own import Own

        if spec.model not in self._own:
            raise InputError(f"{spec.model} was not loaded; name a file and a function in it")
        return Own(spec, self._own[spec.model])
