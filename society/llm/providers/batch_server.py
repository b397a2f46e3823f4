"""The batch interface of OpenAI and of servers that copy it, on the connections of one model.

    POST /files    a line of JSON for each question     ->  the file's id
    POST /batches  that file, to be done within a day   ->  the job, with our key as metadata
    GET /batches/ID                                     ->  how far it is, and the files it wrote
    GET /files/ID/content                               ->  a line of JSON for each reply

Source: OpenAI API reference, "Batch" and "Files".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import aiohttp

from society.errors import InputError, SocietyError

from .api_keys import quote_stranger
from .openai_compatible import OpenAICompatible
from .responses import (
    FILTERED,
    Failed,
    Reply,
    ResponsePlace,
    bounded_body,
    complaint,
    http_error,
    most_reply_bytes,
    parse_completion,
)

WINDOW = 24  # hours that a provider has; no other number is taken
METADATA = "society"  # the name of our key among what is kept with a job
_ENDED = ("completed", "failed", "expired", "cancelled", "canceled")
_FILTERS = ("content_filter", "content_policy_violation")
_ABSENT = (404, 405, 501)
_TOO_LARGE = 413
_PAGES = 10  # of the list of jobs
_EXPIRED = "batch_expired"


class Missing(Exception):
    """The server knows no such file, job or interface."""


class JobState(NamedTuple):
    """A job as its provider tells it; files: with replies and with errors, where there are any.

    done: lines that are answered, or have failed. words: why it failed.
    """

    id: str
    status: str
    files: tuple[str, ...] = ()
    done: int = 0
    words: str = ""

    @property
    def ended(self) -> bool:
        return self.status in _ENDED


class BatchServer(OpenAICompatible):
    """A model on one server, reached by batches; raises Failed, Missing, InputError or Paused."""

    async def upload(self, lines: bytes) -> str:
        """Store the questions at the provider; return the id of the file."""
        with aiohttp.MultipartWriter("form-data") as form:
            part = form.append("batch")
            part.set_content_disposition("form-data", name="purpose")
            part = form.append(lines, {"Content-Type": "application/jsonl"})
            part.set_content_disposition("form-data", name="file", filename="questions.jsonl")
        told = await self._told("POST", "files", form, {"Content-Type": form.content_type})
        return _text(told, "id")

    async def create(self, file: str, key: str) -> JobState:
        """Begin a job that answers the questions in a file."""
        body = {
            "input_file_id": file,
            "endpoint": "/v1/chat/completions",
            "completion_window": f"{WINDOW}h",
            "metadata": {METADATA: key},
        }
        return _state(await self._told("POST", "batches", json.dumps(body).encode()))

    async def retrieve(self, job: str) -> JobState:
        """Ask how far a job is."""
        return _state(await self._told("GET", f"batches/{job}"))

    async def find(self, key: str) -> JobState | None:
        """Look for the job that was begun with a key, among the latest 1,000."""
        after = ""
        for _ in range(_PAGES):
            told = await self._told("GET", f"batches?limit=100{after}")
            jobs = _objects(told.get("data"))
            for job in jobs:
                kept = job.get("metadata")
                if isinstance(kept, dict) and kept.get(METADATA) == key:
                    return _state(job)
            if not jobs or not told.get("has_more"):
                break
            after = f"&after={_text(jobs[-1], 'id')}"
        return None

    async def content(self, file: str, lines: int) -> list[Mapping[str, Any]]:
        """Return the lines of a file of replies; what is no JSON object is left out."""
        body = await self._body("GET", f"files/{file}/content", most=lines * most_reply_bytes())
        return [line for line in map(_parse, body.splitlines()) if isinstance(line, dict)]

    async def _told(
        self, method: str, path: str, data: Any = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        told = _parse(await self._body(method, path, data, headers))
        if not isinstance(told, dict):
            raise Failed(f"an answer to {method} /{path.partition('?')[0]} that is no JSON object")
        return told

    async def _body(
        self,
        method: str,
        path: str,
        data: Any = None,
        headers: Mapping[str, str] | None = None,
        most: int | None = None,
    ) -> bytes:
        self.check()
        try:
            async with (
                asyncio.timeout(self._spec.timeout),
                self._session.request(
                    method,
                    f"{self._spec.api_base}/{path}",
                    data=data,
                    headers=headers,
                    allow_redirects=False,
                ) as response,
            ):
                packed = response.headers.get("Content-Encoding", "")
                pieces = bounded_body(response.content.iter_any(), packed, most)
                body = b"".join([piece async for piece in pieces])
        except aiohttp.InvalidURL:
            raise InputError(f"{self.place.host} is not a valid host; correct --api-base") from None
        except aiohttp.ClientConnectorError as error:
            raise Failed(quote_stranger(f"{type(error).__name__}: {error}"), billed=False) from None
        except TimeoutError:
            raise Failed(f"no answer within {self._spec.timeout:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            raise Failed(quote_stranger(f"{type(error).__name__}: {error}")) from None
        if response.status == 200:
            return body
        words, _ = complaint(_parse(body) or body.decode(errors="replace"))
        if response.status in _ABSENT:
            raise Missing(f"HTTP {response.status}: {quote_stranger(words)}")
        if response.status == _TOO_LARGE:
            raise InputError(
                f"{self.place.host} takes no file of so many questions: HTTP {_TOO_LARGE}: "
                f"{quote_stranger(words)}; leave --batch out, or play fewer replicates in a run"
            )
        raise http_error(response.status, words, response.headers, self.place)


def read_line(line: Mapping[str, Any], place: ResponsePlace) -> Reply | Exception | None:
    """Read the outcome of one question; None if the job ended before it was asked."""
    response, error = line.get("response"), line.get("error")
    if not isinstance(response, dict):
        words, code = complaint(error or "a line without a response")
        return None if code == _EXPIRED else Failed(quote_stranger(words), down=False, billed=False)
    status, body = response.get("status_code"), response.get("body")
    if status == 200:
        try:
            return parse_completion(body, place)
        except (Failed, SocietyError) as error:
            return error
    words, code = complaint(body)
    if status == 400 and code in _FILTERS:
        return FILTERED
    if not isinstance(status, int):
        return Failed("a line without a status", down=False)
    # Headers are not told; what is refused within a job costs nothing.
    return http_error(status, words, {METADATA: "batch"}, place, json.dumps(body))


def _state(told: Mapping[str, Any]) -> JobState:
    files = (told.get(f"{name}_file_id") for name in ("output", "error"))
    counts = told.get("request_counts")
    numbers = counts if isinstance(counts, dict) else {}
    done = sum(one for name in ("completed", "failed") if isinstance(one := numbers.get(name), int))
    errors = told.get("errors")
    problems = _objects(errors.get("data") if isinstance(errors, dict) else errors)
    words = "; ".join(complaint(one)[0] for one in problems)
    words = words or (errors if isinstance(errors, str) else "")
    return JobState(
        _text(told, "id"),
        _text(told, "status").lower(),
        tuple(one for one in files if isinstance(one, str) and _plain(one)),
        done,
        quote_stranger(words),
    )


def _objects(told: object) -> list[dict[str, Any]]:
    """The objects of a list; none if it is no list."""
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    if not isinstance(value, str) or not _plain(value):
        raise Failed(f"an answer without {name}, or with an odd one")
    return value


def _plain(name: str) -> bool:
    """Tell if an id can stand in a URL, a file and a message as it is."""
    return (
        0 < len(name) <= 200 and name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    )


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
