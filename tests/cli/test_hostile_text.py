"""Whatever stands in somebody's file, nothing but plain text reaches the terminal."""

from __future__ import annotations

import json
import sqlite3
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.llm.call_tables import checksum
from society.visible import visible_text
from tests.sweeps import all_but

if TYPE_CHECKING:
    from tests.conftest import Said, Typed
    from tests.hostile_server import HostileHandler, HostileServer

# Colour; a title; the clipboard; a bell; the same by one C1 sign; text turned around; a sign that
# goes back, one to the start of the line; one that nobody sees; tags that spell in secret.
ATTACKS = (
    "\x1b[31m", "\x1b]0;title\x07", "\x1b]52;c;aGk=\x07", "\x07", "\x9b31m", "\u202e", "\u2066",
    "\x08", "\r", "\u200b", "\U000e0041", "\x7f", "\x1bc", "\x90q\x9c", "\u2028", "\x00", "\u061c",
)  # fmt: skip
EVIL = "a" + "".join(ATTACKS).replace("\x00", "") + "z"
YAML = json.dumps(EVIL)  # which YAML reads as JSON does


def dangers(text: str) -> set[str]:
    """Signs of a text that a terminal would obey or hide."""
    return {
        sign
        for sign in text
        if sign != "\n" and unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    }


def harmless(said: Said) -> Said:
    assert not dangers(said.out), said.out
    assert not dangers(said.err), said.err
    return said


@pytest.mark.parametrize("attack", ATTACKS, ids=ascii)
def test_each_attack_is_spelt_out(attack: str) -> None:
    shown = visible_text(f"tea {attack} red")
    assert not dangers(shown)
    assert shown.startswith("tea \\")
    assert shown.endswith(" red")


def test_words_of_any_script_stay_as_they_are() -> None:
    words = "Fischfang – 漁業, ماهیگیری 🐟\u00a0«tea»\nnext line"
    assert visible_text(words) == words


# Scenario files, experiments and the command line


@pytest.mark.parametrize(
    "text",
    [
        f"scenario: {YAML}",
        f"scenario: fishing_village\n{YAML}: 1",
        f"scenario: fishing_village\nparameters: {{{YAML}: 1}}",
        f"scenario: fishing_village\nparameters: {{growth: {YAML}}}",
        f"scenario: fishing_village\nseed: {YAML}",
        f"scenario: fishing_village\ngraph: {YAML}",
        f"scenario: fishing_village\ngraphs: {{{YAML}: ring}}",
        f"scenario: fishing_village\nuses: [{YAML}]",
        f"scenario: fishing_village\nprompts: {YAML}",
        f"scenario: fishing_village\nmechanisms: [{YAML}]",
        f"scenario: fishing_village\nmechanisms: [{{quota: {{{YAML}: 1}}}}]",
        f"scenario: fishing_village\ncohorts: [{{name: {YAML}, components: [{YAML}]}}]",
        f"scenario: fishing_village\ncohorts: [{{name: x, replace: {{{YAML}: harvest}}}}]",
        f"scenario: language_village\nmodels: {{{YAML}: offline}}",
        f"scenario: language_village\nmodels: {{default: {YAML}}}",
        f"scenario: language_village\nmodels: {{default: {{model: {YAML}, api_base: {YAML}}}}}",
        f"scenario: language_village\nmodels: {{default: {{model: x/y, extra: {{{YAML}: 1}}}}}}",
        "scenario: fishing_village\nseed: \x1b[31m",  # no YAML at all
        "scenario: fishing_village\n\u202eseed: [",
        f"&{EVIL} x: *y",
    ],
)
@pytest.mark.parametrize(
    "command",
    [("run",), ("sweep",), ("sweep", "--plan"), ("check",)],
    ids=" ".join,
)
def test_errors_about_a_hostile_file_are_plain(
    text: str, command: tuple[str, ...], typed: Typed
) -> None:
    name, *options = command
    if name == "sweep":
        inner = text.replace("\n", "\n  ")
        text = f"name: e\nbase:\n  {inner}\nfactors: {{{YAML}: [1]}}\n"
    Path("hostile.yaml").write_text(text, encoding="utf-8")
    out = [] if name == "check" else ["--out", "out.run"]
    said = harmless(typed(name, "hostile.yaml", *options, *out))
    if name == "check":  # which asks no provider
        assert said.code in (0, 2)
    else:
        assert said.code == 2
        assert said.err.startswith("society: ")


@pytest.mark.parametrize(
    "words",
    [
        [EVIL],
        ["run", EVIL],
        ["run", f"{EVIL}.yaml"],
        ["run", f"{EVIL}.py"],
        ["show", f"{EVIL}.run"],
        ["report", EVIL],
        ["run", "fishing_village", "--set", f"{EVIL}=1"],
        ["run", "fishing_village", "--set", f"growth={EVIL}"],
        ["run", "fishing_village", "--seed", EVIL],
        ["run", "fishing_village", "--prompts", EVIL],
        ["run", "language_village", "--model", EVIL],
        ["run", "language_village", "--model", "m", "--api-base", f"http://{EVIL}"],
        ["list", EVIL],
        ["list", "runs", EVIL],
        ["prompts", EVIL],
        ["check", EVIL],
        ["reproduce", EVIL],
    ],
    ids=lambda words: " ".join(words)[:30].encode("unicode_escape").decode(),
)
def test_errors_about_hostile_arguments_are_plain(
    words: list[str], typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may come from a pattern of names in somebody's folder."""
    code: object = 0
    try:
        code = harmless(typed(*words)).code
    except SystemExit as stop:  # of argparse
        code = stop.code
    assert code == 2
    assert not dangers(capsys.readouterr().err)


@pytest.mark.thorough
def test_a_hostile_name_of_a_file_is_plain_when_all_goes_well(typed: Typed) -> None:
    name = "a\x1b[31m\u202e\x07.run"
    settings = ("fishing_village", "--rounds", "2", "--out", name)
    assert harmless(typed("run", *settings)).code == 0
    assert harmless(typed("run", *settings)).code == 2, "it is there already"
    for command in ("show", "verify", "resume", "replay", "report"):
        assert harmless(typed(command, name)).code == 0


# Code of the user's

HOSTILE_CODE = f"""
import sys, warnings
from society import Component
import numpy as np

class Loud(Component):
    answers = ("effort",)
    def answer(self, ask, me):
        print({EVIL!a})
        print({EVIL!a}, file=sys.stderr)
        warnings.warn({EVIL!a})
        FAIL
        return np.full(len(me), 0.1)
"""
HOSTILE_CAST = (
    "scenario: fishing_village\nrounds: 2\nuses: [loud.py]\n"
    "cohorts: [{name: a, count: 3, replace: {harvest: loud}}]\n"
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fail", ["pass", "1 / 0", f"raise ValueError({EVIL!a})"])
@pytest.mark.parametrize("option", ["--quiet", "--json", ""])
def test_what_code_of_the_users_prints_and_raises_is_plain(
    fail: str, option: str, typed: Typed
) -> None:
    Path("loud.py").write_text(HOSTILE_CODE.replace("FAIL", fail))
    Path("loud.yaml").write_text(HOSTILE_CAST)
    said = harmless(typed("run", "loud.yaml", *filter(None, [option]), "--out", "a.run"))
    assert said.code == (0 if fail == "pass" else 2)
    if option == "--json" and said.code == 0:
        assert json.loads(said.out)["rounds"] == 2, "what it printed went to stderr"
        assert "\\x1b[31m" in said.err


# Run files


@pytest.fixture
def run_file(typed: Typed) -> Path:
    """A small run that is over."""
    Path("a.yaml").write_text("scenario: language_village\nrounds: 2\nagents: 3\n"
                              "parameters: {norm_embedder: hashing}\n")  # fmt: skip
    assert typed("run", "a.yaml", "--quiet", "--out", "a.run").code == 0
    return Path("a.run")


def poisoned(value: Any) -> Any:
    """Append a hostile text to every text in a value, names included."""
    if isinstance(value, str):
        return value + EVIL
    if isinstance(value, list):
        return [poisoned(one) for one in value]
    if isinstance(value, dict):
        return {name + EVIL: poisoned(one) for name, one in value.items()}
    return value


SHOWN = {"show": 0, "verify": 0, "replay": 0, "resume": 0, "report": 0}
UNREADABLE = dict.fromkeys(SHOWN, 2)
# What a hostile text leads to where it stands at the end of every text of a field.
FIELDS = {
    "scenario": SHOWN,
    "versions": SHOWN,
    "files": SHOWN,
    "prompts": SHOWN,
    "params": SHOWN | {"verify": 1},  # other parameters than those that were played
    **dict.fromkeys(
        ("spec", "level", "measures", "stage", "cohorts", "columns", "objects"), UNREADABLE
    ),
}


@pytest.mark.parametrize("field", all_but(["params", "spec"], FIELDS))
def test_a_run_file_with_hostile_texts_in_its_manifest_is_shown_or_refused_plainly(
    field: str, run_file: Path, typed: Typed
) -> None:
    with closing(sqlite3.connect(run_file)) as connection, connection:
        rows = dict(connection.execute("SELECT * FROM manifest"))
        rows.pop("seal")
        given = json.loads(rows[field]) or {"a": "b"}
        rows[field] = json.dumps(poisoned(given))
        rows["seal"] = checksum(*sorted(rows.items()))
        connection.execute("DELETE FROM manifest")
        connection.executemany("INSERT INTO manifest VALUES (?, ?)", rows.items())
    codes = {command: harmless(typed(command, run_file)).code for command in SHOWN}
    assert codes == FIELDS[field]
    assert harmless(typed("show", run_file, "--json")).code == codes["show"]
    assert harmless(typed("list", "runs", ".")).code == 0


@pytest.mark.parametrize(
    ("statement", "verified", "others"),
    [
        ("UPDATE status SET status = ?", 2, 2),
        ("UPDATE status SET host = ?", 2, 2),
        ("UPDATE rounds SET path = ?", 1, 2),
        ("UPDATE rounds SET troubles = ?", 1, 2),
        ("UPDATE manifest SET value = ? WHERE key = 'scenario'", 2, 2),
        ("INSERT INTO manifest VALUES (?, '1')", 2, 2),
        ("UPDATE sittings SET changed = ?", 0, 0),
        ("UPDATE looks SET words = ?", 1, 2),
    ],
)
def test_a_run_file_with_hostile_texts_in_its_tables_is_shown_or_refused_plainly(
    statement: str, verified: int, others: int, run_file: Path, typed: Typed
) -> None:
    with closing(sqlite3.connect(run_file)) as connection, connection:
        try:
            connection.execute(statement, (EVIL,))
        except sqlite3.OperationalError as error:
            pytest.fail(f"the tables are others now: {error}")
    assert harmless(typed("verify", run_file)).code == verified
    for command in ("show", "replay", "resume"):
        assert harmless(typed(command, run_file)).code == others, command


# Prompt packs and servers


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("effort.md", f"{{{{ {EVIL} }}}}"),
        ("effort.md", "{{ unknown_\x1b[31m }}"),
        ("effort.md", f"{{% include {YAML} %}}"),
        ("effort.md", f"{{{{ {YAML} | number }}}}"),
        ("\x1b[31m\u202e.md", "x"),
    ],
)
def test_errors_about_a_hostile_prompt_pack_are_plain(name: str, text: str, typed: Typed) -> None:
    folder = Path("pack\x07/language_village")
    folder.mkdir(parents=True)
    (folder / name).write_text(text)
    words = ("language_village", "--rounds", "1", "--agents", "2", "--quiet", "--out", "a.run")
    hashing = ("--set", "norm_embedder=hashing", "--prompts", folder.parent)
    assert harmless(typed("run", *words, *hashing)).code == 2


@pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
def test_what_a_hostile_server_says_is_shown_plainly(
    status: int, hostile: HostileServer, typed: Typed
) -> None:
    def answer(request: HostileHandler) -> None:
        request.send(status, json.dumps({"error": {"message": EVIL}, "model": EVIL}).encode())

    hostile.answers(answer)
    Path("a.yaml").write_text(
        "scenario: language_village\nrounds: 1\nagents: 2\nparameters: {norm_embedder: hashing}\n"
        f"models: {{default: {{model: m{status}, api_base: '{hostile.url}', attempts: 1}}}}\n"
    )
    assert harmless(typed("run", "a.yaml", "--quiet", "--out", "a.run")).code in (2, 3)


# What goes to spreadsheets


def hostile_rows() -> Iterator[tuple[str, str]]:
    for sign in ("=", "+", "-", "@", "\t=", "\uff1d"):
        yield f"{sign}cmd|' /C calc'!A0", "'"
    for sign in ("\x1b[31m", "\u202e", "\x07"):
        yield f"tea {sign}", "tea \\"


@pytest.mark.parametrize(("text", "start"), [*hostile_rows()])
def test_a_cell_of_a_report_is_text_and_no_formula(text: str, start: str) -> None:
    from society.report.tables import Table, TableColumn

    sheet = Table("t", "T", [TableColumn("a", [text]), TableColumn("b", [-1.5])]).csv()
    row = sheet.splitlines()[1]
    assert not dangers(sheet)
    assert row.lstrip('"').startswith(start)
    assert row.endswith(",-1.5"), "numbers stay numbers"


def test_a_stream_that_cannot_encode_a_sign_spells_it_out(tmp_path: Path) -> None:
    from society.visible import VisibleStream

    with (tmp_path / "plain.txt").open("w", encoding="ascii") as file:
        VisibleStream(file).write("3 · fish\n")
    assert (tmp_path / "plain.txt").read_text() == "3 \\xb7 fish\n"
    assert isinstance(VisibleStream(sys.stdout), VisibleStream)
