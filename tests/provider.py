"""An OpenAI-compatible server that fails on demand, for tests: `python tests/provider.py`.

What it answers is a function of the messages alone, so that any order of the calls gives the same
run. What goes wrong is a function of the messages, the attempt and the plan's seed. The plan is
given as JSON by --plan or POST /plan:

    seed         of chance
    latency      seconds before an answer, or [least, most]
    faults       {kind: chance}; kinds are in FAULTS, or an HTTP status
    script       kinds for the first, second, ... attempt at every prompt; "ok" is none
    retry_after  seconds that a 429 asks for
    complaint    what it says when it refuses
    hang         seconds for which a hanging attempt hangs
    brain        who answers: a name in BRAINS
    brains       who answers in place of that, by model
    batch        of jobs: polls until one has ended, the status then, lines that it answers at most,
                 and kinds of faults of the first, second, ... request to begin one ("lost": it is
                 begun, but the connection breaks), and of those to look at it (looks)
    odd          names in ODDITIES: what the server does not take, or does its own way
    wrap         text around every answer, which stands for {}
    context      letters that a prompt may have; 0 is no bound
    context_says the words, and the status, by which a longer one is refused

GET /log tells, for every prompt (by its hash), when attempts arrived and how many were answered in
full; GET /stats what there was altogether; POST /reset forgets both, and the plan. There is also
the batch interface, with files; lines fail as attempts would; GET /jobs tells the jobs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2b
from typing import Any

from aiohttp import web

PLAIN: dict[str, Any] = {
    "seed": 0,
    "latency": 0.0,
    "faults": {},
    "script": [],
    "retry_after": 0.05,
    "complaint": "fault",
    "hang": 30.0,
    "brain": "resident",
    "brains": {},
    "batch": {},
    "odd": [],
    "wrap": "{}",
    "context": 0,
    "context_says": ["This model's maximum context length is 8 tokens.", 400],
}
NEVER = 10**9


def chance(*address: object) -> float:
    """A number in [0, 1) that depends on the address alone."""
    said = "\0".join(map(str, address)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(said, digest_size=7).digest(), "little") / 2**56


# Who answers


def resident(prompt: str) -> str:
    """Reads the form of the answer, as `ActionSpace.hint` tells it, and answers in that form."""
    fields = re.findall(r'^- "([^"]+)": (.+)$', prompt, re.MULTILINE)
    mix = re.findall(r'"([^"]+)": <percent>', prompt)
    if mix:
        first = round(100 * chance(prompt, "mix"))
        rest = [100 - first, *[0] * (len(mix) - 2)] if len(mix) > 1 else []
        said: dict[str, Any] = dict(zip(mix, [first, *rest], strict=True))
    else:
        asked = fields or [("answer", prompt)]
        said = {name: to_hint(hint, chance(prompt, name)) for name, hint in asked}
    return f"Having weighed it up: {json.dumps(said)}"


def to_hint(hint: str, u: float) -> Any:
    """An answer to one hint."""
    if names := re.findall(r"one of these names: (.+?), or nobody", hint):
        return names[-1].split(", ")[int(8 * u)] if 8 * u < len(names[-1].split(", ")) else "nobody"
    if "nobody, as you see no one" in hint:
        return "nobody"
    if labels := re.findall(r"one of these: (.+)", hint):
        options = labels[-1].split(", ")
        return options[int(u * len(options))]
    if "the number of one of th" in hint:  # "one of these:", or "one of those above"
        below = hint.rpartition("the number of one of these:")[2]
        places = re.findall(r"^(\d+)\. ", below, re.M)
        return int(places[int(u * len(places))])
    if openings := re.findall(r"one sentence of .* that starts: (.+)", hint):
        return f"{openings[-1]} to give {round(100 * u)} % and to keep the rest, e.g. for later."
    if "text of at most" in hint:
        return f"Everybody should keep to about {round(10 * u)} a round and help those in need."
    if spans := re.findall(r"number from (\S+) to ([\d.]+)", hint):
        low, high = map(float, spans[-1])
        value = low + u * (high - low)
    else:
        value = 10 * u if "of at least" in hint else u
    return round(value) if "whole number" in hint else round(value, 3)


def number(prompt: str) -> str:
    """A number in [0, 1), and nothing else."""
    return json.dumps({"answer": round(chance(prompt), 3)})


def echo(prompt: str) -> str:
    """The end of the prompt."""
    return prompt[-200:]


def mumble(prompt: str) -> str:
    """Say something that cannot be read."""
    return "Well."


def mute(prompt: str) -> str:
    """Give an answer without words."""
    return json.dumps({"answer": ""})


def author(prompt: str) -> str:
    """Describe a strategy; write its program right at the third try, and mend what it is told."""
    if "in words, between guillemets" not in prompt:
        return "Cooperate, unless somebody defected.\n\n- In the first round: cooperate."
    if "IndexError" in prompt:
        return program("return C if all(history.opponent_actions.ravel()) else D")
    if "import os" in prompt:
        return program("return C if history.opponent_actions[-1].all() else D")
    return program("return C", "import os\n\n\n")


def program(move: str, before: str = "") -> str:
    """Write a program in the form of an answer."""
    return f"```python\n{before}class Mine:\n    def act(self, history):\n        {move}\n```"


def stubborn(prompt: str) -> str:
    """Describe a strategy, and never write a program that is allowed."""
    return program("return eval('C')") if "between guillemets" in prompt else "Do as I like."


BRAINS: dict[str, Callable[[str], str]] = {
    "resident": resident,
    "number": number,
    "echo": echo,
    "mumble": mumble,
    "mute": mute,
    "author": author,
    "stubborn": stubborn,
}


class Provider:
    """The plan, and what was asked so far."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = PLAIN | plan
        self.reset()

    def reset(self) -> None:
        self.log: dict[str, dict[str, Any]] = {}
        self.under_way: set[int] = set()  # attempts, by number
        self.most, self.count, self.last = 0, 0, dict[str, Any]()
        self.files: dict[str, bytes] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.begun = 0  # requests to begin a job

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        under_way = self.under_way  # a reset begins another one, whatever still hangs in this
        self.count += 1
        number = self.count
        under_way.add(number)
        self.most = max(self.most, len(under_way))
        self.last = {"body": body, "key": request.headers.get("Authorization", "")}
        try:
            return await self.answer(request, body)
        finally:
            under_way.discard(number)

    async def answer(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        words = json.dumps(body["messages"])
        name = blake2b(words.encode(), digest_size=8).hexdigest()
        entry = self.log.setdefault(name, {"count": 0, "full": 0, "at": []})
        attempt = entry["count"]
        entry["count"] += 1
        entry["at"].append(time.monotonic())
        await self.wait(name, attempt)
        if refusal := self.refusal(body):
            return refusal
        kind = self.kind(name, attempt)
        answer = FAULTS.get(kind, status)
        full = self.said(body)
        if body.get("stream"):
            response = await streamed(request, full)
        else:
            response = await answer(self, request, full, kind)
        entry["full"] += kind in _IN_FULL
        return response

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        field = form["file"]
        assert isinstance(field, web.FileField)
        return web.json_response({"id": self.store(field.file.read()), "object": "file"})

    def store(self, content: bytes) -> str:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return name

    async def content(self, request: web.Request) -> web.Response:
        found = self.files.get(request.match_info["file"])
        return web.Response(status=404) if found is None else web.Response(body=found)

    async def begin(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        script = self.plan["batch"].get("script", [])
        kind = script[self.begun] if self.begun < len(script) else "ok"
        self.begun += 1
        if kind not in ("ok", "lost"):
            return await status(self, request, {}, kind)
        name = f"batch_{len(self.jobs) + 1}"
        lines = self.files[body["input_file_id"]].splitlines()
        counts = {"total": len(lines), "completed": 0, "failed": 0}
        self.jobs[name] = {
            "id": name,
            "object": "batch",
            "status": "validating",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "completion_window": body["completion_window"],
            "metadata": body.get("metadata"),
            "request_counts": counts,
            "polls": 0,
        }
        if kind == "lost":
            return await cut(self, request, {}, kind)
        return web.json_response(self.jobs[name])

    async def listed(self, request: web.Request) -> web.Response:
        jobs = [*reversed(self.jobs.values())]
        return web.json_response({"object": "list", "data": jobs, "has_more": False})

    async def retrieve(self, request: web.Request) -> web.StreamResponse:
        job = self.jobs.get(request.match_info["job"])
        if job is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        job["polls"] += 1
        looks = self.plan["batch"].get("looks", [])
        if job["polls"] <= len(looks):
            kind = looks[job["polls"] - 1]
            return await FAULTS.get(kind, status)(self, request, {}, kind)
        if job["status"] in ("validating", "in_progress"):
            job["status"] = "in_progress"
            if job["polls"] > self.plan["batch"].get("polls", 1):
                self.end(job, self.plan["batch"].get("end", "completed"))
        return web.json_response(job)

    def end(self, job: dict[str, Any], end: str) -> None:
        """Answer the lines of a job, each as an attempt at its prompt would be."""
        job["status"] = end
        if end == "failed":
            job["errors"] = {"data": [{"code": "token_limit", "message": "too many at once"}]}
            return
        good, bad = list[dict[str, Any]](), list[dict[str, Any]]()
        for number, text in enumerate(self.files[job["input_file_id"]].splitlines()):
            line = json.loads(text)
            late = number >= self.plan["batch"].get("lines", NEVER)
            outcome = self.expired(line) if late else self.line(line)
            (bad if outcome["error"] or outcome["response"]["status_code"] != 200 else good).append(
                outcome
            )
        for name, lines in (("output", good), ("error", bad)):
            if lines:
                told = b"".join(json.dumps(one).encode() + b"\n" for one in lines)
                job[f"{name}_file_id"] = self.store(told)
        job["request_counts"] |= {"completed": len(good), "failed": len(bad)}

    def expired(self, line: dict[str, Any]) -> dict[str, Any]:
        error = {"code": "batch_expired", "message": "not done in time"}
        return {"custom_id": line["custom_id"], "response": None, "error": error}

    def line(self, line: dict[str, Any]) -> dict[str, Any]:
        body = line["body"]
        name = blake2b(json.dumps(body["messages"]).encode(), digest_size=8).hexdigest()
        entry = self.log.setdefault(name, {"count": 0, "full": 0, "at": []})
        kind = self.kind(name, entry["count"])
        entry["count"] += 1
        entry["at"].append(time.monotonic())
        self.count += 1
        self.last = {"body": body, "key": ""}
        refusal = self.refusal(body)
        if refusal is not None:
            assert isinstance(refusal.body, bytes)
            response = {"status_code": refusal.status, "body": json.loads(refusal.body)}
        elif kind != "ok":
            error = {"message": f"{self.plan['complaint']} {kind}", "code": None}
            response = {"status_code": int(kind), "body": {"error": error}}
        else:
            entry["full"] += 1
            response = {"status_code": 200, "body": self.said(body)}
        return {"custom_id": line["custom_id"], "response": response, "error": None}

    def said(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer in full, as odd as the plan has it."""
        brain = self.plan["brains"].get(body["model"], self.plan["brain"])
        full = completion(body, BRAINS[brain])
        _message(full)["content"] = self.plan["wrap"].replace("{}", _message(full)["content"])
        for odd in self.plan["odd"]:
            ODDITIES[odd](body, full)
        return full

    def refusal(self, body: dict[str, Any]) -> web.Response | None:
        """Refuse what the server does not take; None if it takes everything."""
        letters = sum(len(message["content"]) for message in body["messages"])
        if 0 < self.plan["context"] < letters:
            words, code = self.plan["context_says"]
            return web.json_response({"error": {"message": words}}, status=code)
        for odd in self.plan["odd"]:
            if odd in REFUSALS and (words := REFUSALS[odd](body)):
                return web.json_response({"error": {"message": words}}, status=400)
        return None

    async def wait(self, name: str, attempt: int) -> None:
        latency = self.plan["latency"]
        if isinstance(latency, list):
            low, high = latency
            latency = low + (high - low) * chance(self.plan["seed"], "latency", name, attempt)
        if latency:
            await asyncio.sleep(latency)

    def kind(self, name: str, attempt: int) -> str:
        """Return the failure of an attempt; "ok" if there is none."""
        if attempt < len(self.plan["script"]):
            return str(self.plan["script"][attempt])
        u = chance(self.plan["seed"], "fault", name, attempt)
        for kind, share in self.plan["faults"].items():
            if u < share:
                return str(kind)
            u -= share
        return "ok"


def completion(body: dict[str, Any], brain: Callable[[str], str]) -> dict[str, Any]:
    """A chat completion; tokens are four letters each."""
    prompt = "\n".join(message["content"] for message in body["messages"])
    text = brain(prompt)
    used = {"prompt_tokens": len(prompt) // 4, "completion_tokens": max(1, len(text) // 4)}
    details = {"prompt_tokens_details": {"cached_tokens": used["prompt_tokens"] // 2}}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [choice],
        "usage": used | {"total_tokens": sum(used.values())} | details,
    }


# What may go wrong

Fault = Callable[[Provider, web.Request, dict[str, Any], str], Awaitable[web.StreamResponse]]


async def ok(*said: Any) -> web.StreamResponse:
    return web.json_response(said[2])


async def status(
    provider: Provider, request: web.Request, full: dict[str, Any], kind: str
) -> web.StreamResponse:
    """An HTTP status, with the words of an error."""
    headers = {"Retry-After": str(provider.plan["retry_after"])} if kind == "429" else {}
    error = {"message": f"{provider.plan['complaint']} {kind}", "type": "test", "code": None}
    return web.json_response({"error": error}, status=int(kind), headers=headers)


async def hang(
    provider: Provider, request: web.Request, full: dict[str, Any], kind: str
) -> web.StreamResponse:
    await asyncio.sleep(provider.plan["hang"])
    return await cut(provider, request, full, kind)


async def cut(
    provider: Provider, request: web.Request, full: dict[str, Any], kind: str
) -> web.StreamResponse:
    """The connection breaks before anything is said."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def truncated(
    provider: Provider, request: web.Request, full: dict[str, Any], kind: str
) -> web.StreamResponse:
    """Break off in the middle of the body."""
    body = json.dumps(full).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    return await cut(provider, request, full, kind)


async def drip(
    provider: Provider, request: web.Request, full: dict[str, Any], kind: str
) -> web.StreamResponse:
    """A good answer, in twenty drops."""
    body = json.dumps(full).encode()
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    step = len(body) // 20 + 1
    for start in range(0, len(body), step):
        await response.write(body[start : start + step])
        await asyncio.sleep(0.01)
    return response


async def policy(*said: Any) -> web.StreamResponse:
    """Refuse the prompt."""
    code = "content_policy_violation"
    error = {"message": "not here", "type": "invalid_request_error", "code": code}
    return web.json_response({"error": error}, status=400)


async def malformed(*said: Any) -> web.StreamResponse:
    return web.Response(text='{"choices": [{"message": ', content_type="application/json")


async def html(*said: Any) -> web.StreamResponse:
    return web.Response(text="<html><h1>Bad Gateway</h1></html>", content_type="text/html")


def changed(change: Callable[[dict[str, Any]], object]) -> Fault:
    """A whole answer with something wrong in it."""

    async def fault(*said: Any) -> web.StreamResponse:
        change(said[2])
        return web.json_response(said[2])

    return fault


def _message(full: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = full["choices"][0]["message"]
    return message


def _cut_off(full: dict[str, Any]) -> None:
    text = _message(full)["content"]
    _message(full)["content"] = text[: len(text) // 2]
    full["choices"][0]["finish_reason"] = "length"


_ODD = {"prompt_tokens": 10**30, "completion_tokens": -1, "total_tokens": 0}

FAULTS: dict[str, Fault] = {
    "ok": ok,
    "hang": hang,
    "cut": cut,
    "truncated": truncated,
    "drip": drip,
    "policy": policy,
    "malformed": malformed,
    "html": html,
    "empty": changed(lambda full: full.update(choices=[])),
    "null": changed(lambda full: _message(full).update(content=None)),
    "garbage": changed(lambda full: _message(full).update(content="§ 7 ?? or 9, who knows {")),
    "length": changed(_cut_off),
    "silent": changed(lambda full: full.pop("usage")),
    "endless": changed(lambda full: full["choices"][0].pop("finish_reason")),
    "odd": changed(lambda full: full.update(usage=_ODD, model="m\ud800")),
    "filtered": changed(lambda full: full["choices"][0].update(finish_reason="content_filter")),
}
# Answers that are paid for
_IN_FULL = ("ok", "drip", "garbage", "length", "silent", "endless", "odd", "filtered")


# What odd servers refuse, and do in their own way


def _form(body: dict[str, Any]) -> str:
    return str(body.get("response_format", {}).get("type", ""))


def _unsupported(name: str) -> Callable[[dict[str, Any]], str]:
    return lambda body: f"Unsupported parameter: '{name}' is not supported" if name in body else ""


REFUSALS: dict[str, Callable[[dict[str, Any]], str]] = {
    **{f"no {name}": _unsupported(name) for name in ("temperature", "seed", "top_p", "tools")},
    "no schema": lambda body: "json_schema: not here" * (_form(body) == "json_schema"),
    "no response_format": lambda body: "response_format: not here" * bool(_form(body)),
    "no max_tokens": lambda body: (
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        * ("max_tokens" in body)
    ),
    "low temperature": lambda body: "temperature must be below 1" * (body["temperature"] >= 1),
    "no system": lambda body: (
        "System role not supported" * any(one["role"] == "system" for one in body["messages"])
    ),
    "stream": lambda body: "Stream must be set to true" * (not body.get("stream")),
}


def _obey(body: dict[str, Any], full: dict[str, Any]) -> None:
    """Answer in the form that is asked for, and in nothing else."""
    message = _message(full)
    said = message["content"][message["content"].find("{") :]
    if _form(body):
        message["content"] = said
    if body.get("tools"):
        call = {"name": body["tools"][0]["function"]["name"], "arguments": said}
        message |= {"content": None, "tool_calls": [{"id": "1", "type": "function"}]}
        message["tool_calls"][0]["function"] = call


def _think(body: dict[str, Any], full: dict[str, Any]) -> None:
    """Put the answer where thoughts belong."""
    message = _message(full)
    message |= {"content": "", "reasoning_content": message["content"]}


def _fail(body: dict[str, Any], full: dict[str, Any]) -> None:
    full["choices"][0]["finish_reason"] = "error"


def _nothing(body: dict[str, Any], full: dict[str, Any]) -> None:
    """Refuse only."""


ODDITIES: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
    **dict.fromkeys(REFUSALS, _nothing),
    "obeys": _obey,
    "thinks": _think,
    "fails": _fail,
}


async def streamed(request: web.Request, full: dict[str, Any]) -> web.StreamResponse:
    """The answer as server-sent events, a few letters each."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    text = _message(full)["content"] or ""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[start : start + 7]} for start in range(0, len(text), 7)]
    choices: list[Any] = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices.append([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    about = {name: full[name] for name in ("id", "created", "model")}
    about |= {"object": "chat.completion.chunk"}
    pieces = [about | {"choices": one} for one in choices]
    pieces.append(about | {"choices": [], "usage": full["usage"]})
    for piece in [*map(json.dumps, pieces), "[DONE]"]:
        await response.write(f"data: {piece}\n\n".encode())
    return response


def application(provider: Provider) -> web.Application:
    async def plan(request: web.Request) -> web.Response:
        provider.plan = PLAIN | await request.json()
        return web.json_response(provider.plan)

    async def log(request: web.Request) -> web.Response:
        return web.json_response(provider.log)

    async def stats(request: web.Request) -> web.Response:
        full = sum(entry["full"] for entry in provider.log.values())
        told = {name: getattr(provider, name) for name in ("count", "most", "last")}
        return web.json_response(told | {"full": full, "in_flight": len(provider.under_way)})

    async def jobs(request: web.Request) -> web.Response:
        return web.json_response(provider.jobs)

    async def reset(request: web.Request) -> web.Response:
        provider.plan = PLAIN
        provider.reset()
        return web.json_response({})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", provider.complete)
    app.router.add_post("/v1/files", provider.upload)
    app.router.add_get("/v1/files/{file}/content", provider.content)
    app.router.add_post("/v1/batches", provider.begin)
    app.router.add_get("/v1/batches", provider.listed)
    app.router.add_get("/v1/batches/{job}", provider.retrieve)
    app.router.add_get("/jobs", jobs)
    app.router.add_post("/plan", plan)
    app.router.add_post("/reset", reset)
    app.router.add_get("/log", log)
    app.router.add_get("/stats", stats)
    return app


async def serve(port: int, plan: dict[str, Any]) -> None:
    """Serve until killed; the URL is the first line of stdout."""
    runner = web.AppRunner(application(Provider(plan)), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--plan", type=json.loads, default={})
    args = parser.parse_args(argv)
    asyncio.run(serve(args.port, args.plan))


if __name__ == "__main__":
    main()
