"""Trust in Python files that a run file names: nothing is executed because a run file says so.

A file is executed if it has the hash that the run file records, and this user has run exactly this
content before (`society run`, `sweep`, `society.run`) or has allowed it by `--trust`. The hashes of
such content are kept in one small text file, a line each: HASH  PATH.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from society.errors import UntrustedCodeError, short_path
from society.text import clean_line

from .manifest import Manifest

_MOST = 256 * 2**20  # bytes of a file that is hashed
_MOST_TRUSTED = 64 * 2**20  # characters of the file of trusted hashes


def trust_store() -> Path:
    """Return the file of trusted hashes: in $SOCIETY_STATE, or in the user's state folder."""
    if given := os.environ.get("SOCIETY_STATE"):
        return Path(given, "trusted")
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state, "society", "trusted")


def trusted_hashes() -> frozenset[str]:
    """Return the hashes of all content that this user trusts."""
    store = trust_store()
    try:
        if not store.is_file() or writable_by_others(store) is not None:
            return frozenset()
        with store.open(encoding="utf-8", errors="replace") as opened:
            lines = opened.read(_MOST_TRUSTED).splitlines()
    except OSError:
        return frozenset()
    return frozenset(line.split(maxsplit=1)[0] for line in lines if line.strip())


def writable_by_others(store: Path) -> Path | None:
    """Return the file of trusted hashes, or its folder, if others than this user can change it."""
    if os.name == "nt":
        return None
    for path in (store, store.parent):
        with suppress(FileNotFoundError):
            about = path.stat()
            if about.st_mode & stat.S_IWOTH or about.st_uid not in (os.getuid(), 0):
                return path
    return None


def trust_files(files: Mapping[str, str]) -> None:
    """Add Python files, path -> SHA-256, to the trusted ones."""
    known = trusted_hashes()
    new = {path: hashed for path, hashed in code_files(files).items() if hashed not in known}
    if not new:
        return
    # Where it cannot be written, a later command asks for --trust.
    with suppress(OSError):
        store = trust_store()
        store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # At once, as other processes may write, too; on a line of its own, as one may have been cut
        # off.
        lines = "".join(f"\n{hashed}  {clean_line(path)}" for path, hashed in new.items()) + "\n"
        how = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)  # not for pipes
        opened = os.open(store, how, 0o600)
        try:
            os.write(opened, lines.encode("utf-8", "backslashreplace"))
        finally:
            os.close(opened)


def code_files(files: Mapping[str, str]) -> dict[str, str]:
    """Return those files that are Python code."""
    return {path: hashed for path, hashed in files.items() if path.endswith(".py")}


def hash_file(path: str | Path) -> str:
    """Return the SHA-256 of a regular file; empty if there is none, or it is absurdly large."""
    try:
        file = Path(path)
        if not file.is_file() or file.stat().st_size > _MOST:
            return ""
        return sha256(file.read_bytes()).hexdigest()
    except (OSError, ValueError):
        return ""


def refuse_user_code(path: str, hashed: str) -> None:
    """Refuse every file of the user's, as reading commands do; raises UntrustedCodeError."""
    raise UntrustedCodeError(
        f"reading a run file does not execute {short_path(path)}, which it names; to execute it, "
        "use society verify or society resume, with --trust"
    )


class RecordedCode:
    """A gate for the Python files that a run file names; see the module's docstring.

    trust: let all of them through, and trust them from now on. announce: called with a line about
    each file that `trust` lets through, before it is executed. named: files that the user has named
    in this command, which pass as in any other.
    """

    def __init__(
        self,
        run: Path,
        manifest: Manifest,
        trust: bool = False,
        announce: Callable[[str], None] = lambda line: None,
        named: Iterable[str] = (),
    ) -> None:
        self._run, self._recorded, self._trust = run, code_files(manifest.files), trust
        self._announce, self._trusted = announce, trusted_hashes()
        now = {path: hash_file(path) for path in self._recorded}
        # All at once, before any of them is executed; missing ones are reported when needed.
        asked = {path: hashed for path, hashed in now.items() if hashed}
        if not trust and not all(self._passes(*one) for one in asked.items()):
            raise self._refusal(asked)
        by_user = {path: hash_file(path) for path in named}
        self._recorded |= by_user
        self._trusted |= set(by_user.values())

    def __call__(self, path: str, hashed: str) -> None:
        """Let a file through, or raise UntrustedCodeError."""
        if self._passes(path, hashed):
            return
        if not self._trust:
            raise self._refusal({path: hashed})
        self._announce(f"executes {self._describe(path, hashed)}")
        trust_files({path: hashed})
        self._trusted |= {hashed}
        self._recorded[path] = hashed

    def _passes(self, path: str, hashed: str) -> bool:
        return hashed == self._recorded.get(path) and hashed in self._trusted

    def _describe(self, path: str, hashed: str) -> str:
        recorded = self._recorded.get(path)
        if recorded is None:
            since = ", which the run file does not record"
        else:
            since = "" if recorded == hashed else ", changed since the run was made"
        return clean_line(f"{path} (SHA-256 {hashed}{since})")

    def _refusal(self, files: Mapping[str, str]) -> UntrustedCodeError:
        said = "".join(f"\n  {self._describe(*one)}" for one in files.items())
        store = writable_by_others(trust_store())
        why = f" {store} counts for nothing: others than you can change it." if store else ""
        return UntrustedCodeError(
            f"{self._run} names Python code that this machine does not trust yet; it would "
            f"execute:{said}\nRead the code; to execute it, repeat the command with --trust "
            f"(in Python: trust=True).{why}"
        )
