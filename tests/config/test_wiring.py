"""Mistakes that a user makes while wiring a society, as the command line answers to each.

Every mistake is one change to a canal that is sound; what is expected is an error with exit code 2,
or one line of warning, at the line where the mistake stands.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import society
from society.config.build import build
from society.config.registry import scenarios
from society.config.run_config import load_config
from society.config.source_look import SourceFile
from society.engine.arrays import WrongShape, spread_exactly
from society.errors import InputError, WiringWarning
from society.index import experiments, presets
from tests.sweeps import all_but

if TYPE_CHECKING:
    from tests.conftest import Typed

ROOT = Path(__file__).resolve().parents[2]

CANAL = '''"""Farmers along a canal."""
import numpy as np
from society import Ask, Choice, Cohort, Column, Component, Fields, Measure, Params, Real, Tell
from society import FactSpec, common, own, scenario, seen
from society.engine.scenario import DisplaySpec, Meeting

class Canal(Params):
    flow: float = 10.0

class Farmer(Component):
    answers = ("take",)

    def answer(self, ask, me):
        return np.full(len(me), 1.0)

class Grudge(Component):
    columns = (Column("hurt", public=True),)
    notices = ("taken",)

    def notice(self, tell, me):
        me["hurt"] = me["hurt"] + tell.facts["share"]

@scenario(
    params=Canal,
    cast=lambda p, n: [Cohort("farmers", n, (Grudge(), Farmer()))],
    measures=(Measure("left", "water", lambda told, env: told["left"]),),
    display=DisplaySpec(gauge=("left", "flow"), columns=("share", "hurt")),
    agents=5,
    rounds=4,
)
def canal(env):
    """Water is taken, and what is left is told."""
    for _ in env.rounds():
        take = yield Ask("take", Real(0, 10), facts={"flow": common(env.params.flow)})
        left = env.params.flow - take.sum(-1, keepdims=True)
        yield Tell("taken", facts={"left": common(left), "share": own(take)})
'''

ROUNDS = "    for _ in env.rounds():"
TAKE = '        take = yield Ask("take"'
TELL = '        yield Tell("taken"'

DECLARES = """\
@__import__("society").declares(__import__("society").Declared({}))
def canal(env):"""

# The mistake, what it replaces, and the words of the error, which starts with file and line.
ERRORS = {
    "notice without notices": (
        '    notices = ("taken",)\n',
        "",
        "canal.py:19: grudge has `notice`, but no `notices`, so it is never called",
    ),
    "notices misspelt": (
        '    notices = ("taken",)',
        '    notces = ("taken",)',
        "canal.py:20: grudge has `notice`, but no `notices`, so it is never called",
    ),
    "notice misspelt": (
        "    def notice(self",
        "    def notise(self",
        "canal.py:18: grudge has `notices`, but no `notice` to take them in",
    ),
    "answers forgotten": (
        '    answers = ("take",)\n',
        "",
        "canal.py:12: farmer has `answer`, but no `answers`, so it is never asked",
    ),
    "a tell without yield": (
        TELL,
        '        Tell("taken"',
        "canal.py:36: `Tell(...)` without `yield` tells nobody; write `yield Tell(...)`",
    ),
    "a part of a script without yield from": (
        ROUNDS,
        '    def fine():\n        yield Tell("fined")\n\n' + ROUNDS + "\n        fine()",
        "canal.py:37: `fine(...)` without `yield from` does nothing, as it is a part of a script; "
        "write `yield from fine(...)`",
    ),
    "a question without yield": (
        TAKE,
        '        take = Ask("take"',
        "canal.py:34: `take = Ask(...)` without `yield` asks nobody; write `take = yield Ask(...)`",
    ),
    "rounds of its own": (
        ROUNDS,
        "    for _ in range(3):",
        "canal.py:31: canal never opens a round, so it is over at once",
    ),
    "a script that returns at once": (
        ROUNDS,
        "    return\n" + ROUNDS,
        "canal.py:31: canal never opens a round, so it is over at once",
    ),
    "a measure of nothing": (
        'told["left"]',
        'told["lefft"]',
        "canal.py:26: measure 'left' reads the fact 'lefft', which no Tell states; "
        "did you mean 'left'?",
    ),
    "a measure of agents": (
        'told["left"]',
        'told["share"].mean(0)',
        "canal.py:26: the measure 'left' gives shape (5,); expected (1,) or (1, 1), a number",
    ),
    "a gauge of nothing": (
        'gauge=("left", "flow")',
        'gauge=("lefft", "flow")',
        "canal.py:27: the display's gauge names 'lefft', which is nothing that it can show; "
        "did you mean 'left'?",
    ),
    "a gauge without full scale": (
        'gauge=("left", "flow")',
        'gauge=("left", "flwo")',
        "canal.py:27: the display's gauge names 'flwo', which is nothing that it can show; "
        "did you mean 'flow'?",
    ),
    "a move that nobody is asked": (
        "def canal(env):",
        DECLARES.format('move="tkae", told="taken", payoff="share"'),
        "canal.py:31: @declares says move='tkae', which is never asked; did you mean 'take'?",
    ),
    "a payoff that is no fact": (
        "def canal(env):",
        DECLARES.format('move="take", told="taken", payoff="shares"'),
        "canal.py:31: @declares says payoff='shares', which is no fact of Tell('taken'); "
        "did you mean 'share'?",
    ),
    "two classes of a name": (
        "class Grudge(Component):",
        "class Grudge(Component):\n    pass\n\nclass Grudge(Component):",
        "canal.py:19: there is a Grudge in line 16 already, and only the last one counts; "
        "rename one",
    ),
    "a column of nothing": (
        '("share", "hurt")',
        '("share", "hrut")',
        "canal.py:27: the display's columns names 'hrut', which is nothing that it can show; "
        "did you mean 'hurt'?",
    ),
    "a column that is not public": (
        'Column("hurt", public=True)',
        'Column("hurt")',
        "canal.py:27: the display's columns names 'hurt', which is nothing that it can show; "
        "declare it as Column('hurt', public=True)",
    ),
    "a limit that is not told": (
        '("share", "hurt"))',
        '("share", "hurt"), limits={"share": "cap"})',
        "canal.py:27: the display's limits names 'cap', which is nothing that it can show",
    ),
    "a quote of nothing": (
        '("share", "hurt"))',
        '("share", "hurt"), quotes={"speech": "says"})',
        "canal.py:27: the display's quotes names 'speech', which is nothing that it can show",
    ),
    "a better of nothing": (
        '("share", "hurt"))',
        '("share", "hurt"), better={"shaer": "more"})',
        "canal.py:27: the display's better names 'shaer', which is nothing that it can show; "
        "did you mean 'share'?",
    ),
    "a reference that is neither told nor set": (
        '("share", "hurt"))',
        '("share", "hurt"), reference={"inflow": "flwo"})',
        "canal.py:27: the display's reference names 'flwo', which is nothing that it can show; "
        "did you mean 'flow'?",
    ),
    "an amount of nothing": (
        '("share", "hurt"))',
        '("share", "hurt"), links={"take": "took"}, amounts={"take": "hsare"})',
        "canal.py:27: the display's amounts names 'hsare', which is nothing that it can show; "
        "did you mean 'share'?",
    ),
    "an amount of what is no link": (
        '("share", "hurt"))',
        '("share", "hurt"), links={"take": "took"}, amounts={"taek": "share"})',
        "canal.py:27: amounts={'taek': ...} of a display with no such link; did you mean 'take'?",
    ),
    "a deed that one is told of by a fact that there is not": (
        '("share", "hurt"))',
        '("share", "hurt"), meeting=Meeting("share", "share", ("",), heard="shar"))',
        "canal.py:27: the display's meeting names 'shar', which is nothing that it can show; "
        "did you mean 'share'?",
    ),
    "own values by replicate": (
        "own(take)",
        "own(take.sum(-1))",
        "canal.py:36: Tell('taken'): fact 'share' has shape (1,) where (1, 5) was expected",
    ),
    "common values by replicate": (
        "common(left)",
        "common(left[:, 0])",
        "canal.py:36: Tell('taken'): fact 'left' has shape (1,) where (1, 1) was expected",
    ),
    "who by replicate": (
        "Real(0, 10), ",
        "Real(0, 10), who=env.running[:, 0], ",
        "canal.py:34: Ask('take'): who has shape (1,) where (1, 5) was expected",
    ),
    "bounds by replicate": (
        "Real(0, 10), ",
        "Real(0, np.full(env.replicates, 10.0)), ",
        "canal.py:34: Ask('take'): bound 'high' has shape (1,) where (1, 5) was expected",
    ),
    "gone by agent alone": (
        '"share": own(take)})',
        '"share": own(take)}, gone=take[0] < 0)',
        "canal.py:36: Tell('taken'): gone has shape (5,) where (1, 5) was expected",
    ),
    "cuts by agent alone": (
        '"share": own(take)})',
        '"share": own(take)}, cuts={"near": np.zeros(5)})',
        "canal.py:36: Tell('taken'): there is no graph 'near'; say relations=('near',)",
    ),
    "a fallback in another form": (
        "Real(0, 10), ",
        'Real(0, 10), fallback="all", ',
        "canal.py:34: Ask('take'): fallback is 'all'; expected amount 0..10",
    ),
    "a fallback by replicate": (
        "Real(0, 10), ",
        "Real(0, 10), fallback=np.ones(env.replicates), ",
        "canal.py:34: Ask('take'): fallback is shape (1,) where (1, 5) was expected",
    ),
    "a fallback that is no option": (
        "Real(0, 10), ",
        'Choice("few", "many"), fallback="some", ',
        "canal.py:34: Ask('take'): fallback is 'some'; expected choice few/many",
    ),
    "a fallback without a field": (
        "Real(0, 10), ",
        'Fields({"a": Real(0, 1), "b": Real(0, 1)}), fallback={"a": 1}, ',
        "canal.py:34: Ask('take'): fallback is {'a': 1}; expected a value for the field 'b'",
    ),
    "a fact on a relation that is not there": (
        "own(take)",
        'seen("near", take)',
        "canal.py:36: Tell('taken'): there is no graph 'near'; say relations=('near',)",
    ),
    "graphs of a relation that is not there": (
        "    agents=5,\n",
        '    agents=5,\n    relations=("near",),\n    graphs={"naer": "ring"},\n',
        "canal.py:30: graphs= names the relation 'naer'; did you mean 'near'?",
    ),
    "a hook misspelt": (
        "    def notice(self",
        '    def begn(self, me):\n        me["hurt"] = 1.0\n\n    def notice(self',
        "canal.py:20: grudge has a method 'begn', which is never called; did you mean 'begin'?",
    ),
    "a question to the mind misspelt": (
        "    def notice(self",
        '    def ponders(self, ask, me):\n        return "Why?"\n\n    def notice(self',
        "canal.py:20: grudge has a method 'ponders', which is never called; did you mean 'ponder'?",
    ),
    "a copy of a column changed": (
        'me["hurt"] = me["hurt"] + tell.facts["share"]',
        'me["hurt"][tell.facts["share"] > 0] = 1.0',
        "canal.py:21: me['hurt'][tell.facts['share'] > 0] = ... changes a copy, and the column",
    ),
    "an ending misspelt": (
        '("share", "hurt"))',
        '("share", "hurt"), endings={"takne": "dry"})',
        "canal.py:27: the display's endings names 'takne', which is nothing that it can show; "
        "did you mean 'taken'?",
    ),
    "ends by replicate": (
        '"share": own(take)})',
        '"share": own(take)}, ends=left[:, 0] < 0)',
        "canal.py:36: Tell('taken'): ends has shape (1,) where (1, 1) was expected",
    ),
}

OTHER = '\nclass Other(Component):\n    answers = ("take",)\n\n    def answer(self, ask, me):\n'
OTHER += "        return np.zeros(len(me))\n"
WARNINGS = {
    "answers misspelt where a later component answers": (
        "(Grudge(), Farmer()))",
        "(Grudge(), Other(), Farmer()))",
        OTHER.replace('("take",)', '("tkae",)'),
        "warning: canal.py:39: other answers 'tkae', and none of this is asked in canal; "
        "did you mean 'take'?",
    ),
    "a component behind another that answers its question": (
        "(Grudge(), Farmer()))",
        "(Grudge(), Farmer(), Other()))",
        OTHER,
        "warning: canal.py:39: other answers nothing in cohort 'farmers': farmer stands before it "
        "and answers 'take'",
    ),
    "notices of what nobody tells": (
        'notices = ("taken",)',
        'notices = ("takne",)',
        "",
        "warning: canal.py:18: grudge notices 'takne', and none of this is told in canal; "
        "did you mean 'taken'?",
    ),
    "answers that nothing uses": (
        ROUNDS,
        ROUNDS + '\n        yield Ask("take", Real(0, 1))',
        "",
        "warning: canal.py:34: nothing uses the answers to 'take'",
    ),
    "news that nobody takes in": (
        ROUNDS,
        ROUNDS + '\n        yield Tell("rained", facts={"mm": common(3)})',
        "",
        "warning: canal.py:34: nobody notices 'rained', and nothing measures or shows its facts "
        "(mm)",
    ),
    "chance without a seed": (
        "np.full(len(me), 1.0)",
        "np.random.random(len(me))",
        "",
        "warning: canal.py:14: np.random.random draws chance that the seed does not address",
    ),
    "a generator without a seed": (
        "np.full(len(me), 1.0)",
        "np.random.default_rng().random(len(me))",
        "",
        "warning: canal.py:14: np.random.default_rng draws chance that the seed does not address",
    ),
    "a seed from the clock": (
        "np.full(len(me), 1.0)",
        "np.random.default_rng(time.time_ns()).random(len(me))",
        "\nimport time\n",
        "warning: canal.py:14: np.random.default_rng draws chance that the seed does not address",
    ),
    "chance under another name": (
        "np.full(len(me), 1.0)",
        "np.full(len(me), throw(1, 6))",
        "\nfrom random import randint as throw\n",
        "warning: canal.py:14: throw draws chance that the seed does not address",
    ),
    "an identifier drawn by chance": (
        "np.full(len(me), 1.0)",
        "np.full(len(me), uuid.uuid4().int % 10)",
        "\nimport uuid\n",
        "warning: canal.py:14: uuid.uuid4 draws chance that the seed does not address",
    ),
    "a sum over replicates in a script": (
        "take.sum(-1, keepdims=True)",
        "take.sum()",
        "",
        "warning: canal.py:35: take.sum() goes over all replicates, which must not meet; write "
        "take.sum(-1, keepdims=True)",
    ),
    "a mean over members in a component": (
        "np.full(len(me), 1.0)",
        'np.full(len(me), np.mean(ask.facts["flow"]))',
        "",
        "warning: canal.py:14: np.mean(ask.facts['flow']) goes over all replicates",
    ),
    "state outside of columns": (
        "np.full(len(me), 1.0)",
        "np.full(len(me), len(self.counts))\n\n    counts = {}\n\n"
        "    def begin(self, me):\n        self.counts[0] = 1",
        "",
        "warning: canal.py:19: self.counts[0] = ... is shared by replicates and by runs",
    ),
    "a relation that nothing uses": (
        "    agents=5,\n",
        '    agents=5,\n    relations=("near",),\n',
        "",
        "warning: canal.py:29: nothing uses the relation 'near', so that its graph has no effect",
    ),
    "a parameter that nothing reads": (
        "    flow: float = 10.0",
        "    flow: float = 10.0\n    fine: float = 0.0",
        "",
        "warning: canal.py:9: the parameter 'fine' of canal is read nowhere",
    ),
    "a column that nothing sets": (
        '        me["hurt"] = me["hurt"] + tell.facts["share"]',
        '        me["hurt"] + tell.facts["share"]',
        "",
        "warning: canal.py:17: grudge never sets its column 'hurt', which stays as it began",
    ),
    "a measure of facts that no round tells together": (
        'lambda told, env: told["left"]',
        'lambda told, env: told["left"] * told["wide"]',
        "\ndef before(env, rounds=canal.play.script):\n"
        '    yield Tell("dug", facts={"wide": common(2.0)})\n'
        "    yield from rounds(env)\n\n"
        "import dataclasses\n"
        "canal = dataclasses.replace(canal, play=before)\n",
        "warning: canal.py:26: measure 'left' reads the fact 'wide', which no round tells together",
    ),
    "words for what is not told": (
        "    agents=5,\n",
        '    agents=5,\n    facts={"lefft": FactSpec(unit="m3")},\n',
        "",
        "warning: canal.py:29: facts= describes 'lefft', which is neither told, asked nor kept; "
        "did you mean 'left'?",
    ),
    "a fallback out of bounds": (
        "Real(0, 10), ",
        "Real(0, 10), fallback=50, ",
        "",
        "warning: canal.py:34: Ask('take'): fallback 50 is not a number from 0 to 10, and will be",
    ),
    "an answer out of bounds": (
        "np.full(len(me), 1.0)",
        "np.full(len(me), 50.0)",
        "",
        "warning: canal.py:13: farmer answered 'take' with 50; expected 0 to 10, and it is cut",
    ),
    "a fact told if a number is set": (
        TELL,
        "        if env.params.flow > 99:\n"
        '            yield Tell("flooded", facts={"depth": common(1.0)})\n' + TELL,
        "\nimport dataclasses\n"
        'deep = Measure("deep", "m", lambda told, env: told["depth"])\n'
        "canal = dataclasses.replace(canal, measures=(*canal.measures, deep))\n",
        "warning: canal.py:41: measure 'deep' reads the fact 'depth', which is told with no",
    ),
    "chance by another way": (
        "np.full(len(me), 1.0)",
        'getattr(np, "random").random(len(me))',
        "",
        "warning: something has drawn from np.random up to round 1: chance that the seed does not",
    ),
}


def changed(before: str, after: str, more: str = "") -> str:
    assert CANAL.count(before) == 1, before
    return CANAL.replace(before, after) + more


def test_a_line_without_yield_is_found_under_a_star_import(tmp_path: Path) -> None:
    file = tmp_path / "star.py"
    file.write_text("from society import *\n\ndef play(env):\n    Tell('quiet')\n    yield\n")
    assert [issue.words for issue in SourceFile(str(file)).issues] == [
        "`Tell(...)` without `yield` tells nobody; write `yield Tell(...)`"
    ]


def test_a_sound_society_is_not_warned_of(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "canal.py").write_text(CANAL)
    said = typed("run", "canal.py", "--strict", "--json")
    assert (said.code, said.err) == (0, "canal (canal.py) is recorded in runs/canal-1.run\n")
    assert json.loads(said.out)["measures"]["left"]["mean"] == 5


@pytest.mark.parametrize("mistake", ERRORS)
def test_what_is_surely_a_mistake_is_refused_before_the_run(
    typed: Typed, tmp_path: Path, mistake: str
) -> None:
    before, after, words = ERRORS[mistake]
    (tmp_path / "canal.py").write_text(changed(before, after))
    said = typed("run", "canal.py")
    assert said.code == 2
    assert f"society: {words}" in said.err or f"\n{words}" in said.err, said.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("mistake", WARNINGS)
def test_what_is_probably_a_mistake_is_warned_of_in_one_line(
    typed: Typed, tmp_path: Path, mistake: str
) -> None:
    before, after, more, words = WARNINGS[mistake]
    (tmp_path / "canal.py").write_text(changed(before, after, more))
    said = typed("run", "canal.py", "--json")
    lines = [line for line in said.err.splitlines() if line.startswith("warning: ")]
    assert said.code == 0, said.err
    assert len(lines) == 1, said.err
    assert lines[0].startswith(words), lines
    assert json.loads(said.out)["status"] == "finished"


def test_strict_refuses_what_is_warned_of(typed: Typed, tmp_path: Path) -> None:
    before, after, more, words = WARNINGS["notices of what nobody tells"]
    (tmp_path / "canal.py").write_text(changed(before, after, more))
    said = typed("run", "canal.py", "--strict")
    assert (said.code, said.err.startswith(words.replace("warning", "society"))) == (2, True)
    assert not (tmp_path / "runs").exists()


def test_a_sweep_warns_once_for_all_conditions_and_is_strict_if_told(
    typed: Typed, tmp_path: Path
) -> None:
    before, after, more, words = WARNINGS["notices of what nobody tells"]
    (tmp_path / "canal.py").write_text(changed(before, after, more))
    (tmp_path / "e.yaml").write_text("base: canal.py\nfactors: {flow: [5, 10]}\n")
    said = typed("sweep", "e.yaml", "--strict", "--quiet")
    assert (said.code, (tmp_path / "sweeps").exists()) == (2, False)
    assert said.err.startswith(words.replace("warning", "society"))
    said = typed("sweep", "e.yaml", "--quiet")
    assert (said.code, said.err.count("warning: ")) == (0, 1)


def test_an_error_does_not_hide_other_errors_or_warnings(typed: Typed, tmp_path: Path) -> None:
    text = changed('told["left"]', 'told["lefft"]').replace('("taken",)', '("takne",)')
    (tmp_path / "canal.py").write_text(text.replace('"share", "hurt"', '"share", "hrut"'))
    said = typed("run", "canal.py")
    assert said.code == 2
    assert [line.partition("; ")[0] for line in said.err.splitlines()] == [
        "society: canal.py:26: measure 'left' reads the fact 'lefft', which no Tell states",
        "canal.py:27: the display's columns names 'hrut', which is nothing that it can show",
        "warning: canal.py:18: grudge notices 'takne', and none of this is told in canal",
    ]


@pytest.mark.parametrize("command", [("run", "canal.py"), ("sweep", "e.yaml", "--workers", "2")])
def test_chance_that_reading_does_not_show_is_noticed_and_ends_a_strict_run(
    typed: Typed, tmp_path: Path, command: tuple[str, ...]
) -> None:
    before, after, more, words = WARNINGS["chance by another way"]
    (tmp_path / "canal.py").write_text(changed(before, after, more))
    (tmp_path / "e.yaml").write_text("base: canal.py\nfactors: {flow: [5, 10]}\n")
    said = typed(*command, "--quiet")
    assert (said.code, said.err.count(words)) == (0, 1), said.err
    said = typed(*command, "--quiet", "--strict", "--out", "strict.run")
    assert said.code == 2, said.err
    assert words.removeprefix("warning: ") in said.err


def test_chance_that_comes_late_is_noticed(typed: Typed, tmp_path: Path) -> None:
    late = 'np.full(len(me), getattr(np, "random").random() if me.moment == 3 else 1.0)'
    (tmp_path / "canal.py").write_text(changed("np.full(len(me), 1.0)", late))
    said = typed("run", "canal.py", "--quiet")
    assert "warning: something has drawn from np.random up to round 4" in said.err


def test_chance_is_noticed_beside_language_minds(typed: Typed, tmp_path: Path) -> None:
    noisy = 'me["hurt"] = me["hurt"] + getattr(np, "random").random(len(me))'
    text = changed('me["hurt"] = me["hurt"] + tell.facts["share"]', noisy)
    text = text.replace("(Grudge(), Farmer())", "(Grudge(), LanguagePolicy())")
    text = text.replace("Real(0, 10), ", 'Real(0, 10), fallback=0, text="How much?", ')
    minds = "\nfrom society.components.language.llm_policy import LanguagePolicy\n"
    (tmp_path / "canal.py").write_text(text + minds)
    said = typed("run", "canal.py", "--quiet")
    assert said.err.splitlines()[0].startswith("warning: something has drawn from np.random")


def test_a_script_that_fails_says_so_once(typed: Typed, tmp_path: Path) -> None:
    """The rehearsal fails in the same way, which is not worth a second message."""
    (tmp_path / "canal.py").write_text(changed(TELL, "        assert (take > 5).all()\n" + TELL))
    said = typed("run", "canal.py", "--quiet")
    assert said.code == 2
    assert said.err.count("canal.py:36: AssertionError") == 1
    assert "could not be checked" not in said.err


def test_a_fact_told_only_under_two_switches_at_once_is_told(typed: Typed, tmp_path: Path) -> None:
    text = changed("    flow: float = 10.0", "    flow: float = 10.0\n    a: bool = False")
    text = text.replace("a: bool = False", 'a: bool = False\n    b: Literal["x", "y"] = "x"')
    text = text.replace(TELL, '        if env.params.a and env.params.b == "y":\n    ' + TELL)
    (tmp_path / "canal.py").write_text("from typing import Literal\n" + text)
    said = typed("run", "canal.py", "--strict", "--quiet")
    assert (said.code, said.err) == (0, "")


def test_a_slow_script_is_rehearsed_no_longer_than_a_while(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not heard meanwhile may be told under settings that were not tried: a warning."""
    monkeypatch.setattr("society.config.wiring._MOST_SECONDS", 0.0)
    text = changed("    flow: float = 10.0", "    flow: float = 10.0\n    told: bool = False")
    text = text.replace(TELL, "        if env.params.told:\n    " + TELL)
    (tmp_path / "canal.py").write_text(text)
    said = typed("check", "canal.py")
    assert (said.code, "grudge notices 'taken', and none of this is told" in said.out) == (0, True)
    monkeypatch.setattr("society.config.wiring._MOST_SECONDS", 60.0)
    assert "grudge notices" not in typed("check", "canal.py").out


def test_a_file_of_which_nothing_is_used_is_warned_of(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "canal.py").write_text(CANAL)
    (tmp_path / "idle.py").write_text(
        "from society import Component\n\nclass Idle(Component): ...\n"
    )
    (tmp_path / "a.yaml").write_text("scenario: canal.py\nuses: [idle.py]\n")
    assert typed("run", "a.yaml", "--quiet").err == (
        "warning: a.yaml:2: nothing that idle.py defines is used; name its components, mechanisms "
        "or functions here, or leave it out of `uses`\n"
    )


TABLE = "match,round,stage,seat,decision\n0,1,{stage},1,A0\n0,1,{stage},2,A1\n"
COHORT = "{{name: all, count: 2, components: [{}, classic_strategies]}}"


def test_a_table_of_decisions_names_questions_that_are_asked(typed: Typed, tmp_path: Path) -> None:
    cohort = COHORT.format("{recorded_decisions: {file: d.csv}}")
    (tmp_path / "a.yaml").write_text(
        f"scenario: prisoners_dilemma\nrounds: 1\ncohorts: [{cohort}]\n"
    )
    (tmp_path / "d.csv").write_text(TABLE.format(stage="mvoe"))
    said = typed("run", "a.yaml")
    assert (said.code, said.err) == (
        2,
        "society: d.csv:2: 'mvoe' is no question of prisoners_dilemma; did you mean 'move'?\n",
    )
    (tmp_path / "d.csv").write_text(TABLE.format(stage="move") + "0,1,chat,1,Hello\n")
    said = typed("run", "a.yaml", "--quiet")
    assert said.code == 0
    assert said.err.startswith("warning: d.csv:4: 'chat' is no question of prisoners_dilemma")


def test_prompts_beside_a_file_are_asked_for(typed: Typed, tmp_path: Path) -> None:
    text = changed("(Grudge(), Farmer())", "(Grudge(), LanguagePolicy())")
    text = text.replace("Real(0, 10), ", 'Real(0, 10), fallback=0, text="How much?", ')
    minds = "\nfrom society.components.language.llm_policy import LanguagePolicy\n"
    (tmp_path / "canal.py").write_text(text + minds)
    for name in ("canal/tkae.md", "canall/take.md", "other/take.md"):
        (tmp_path / "prompts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "prompts" / name).write_text("How much? {{ hint }}\n")
    said = typed("run", "canal.py", "--quiet")
    assert said.err.splitlines() == [
        "warning: prompts/canal/tkae.md is a prompt that canal does not ask for; did you mean "
        "'canal/take.md'?",
        "warning: prompts/canall is a prompt that canal does not ask for; did you mean 'canal'?",
    ]


def test_a_gauge_of_what_each_agent_has_is_told(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "canal.py").write_text(changed('gauge=("left", "flow")', 'gauge=("share", "flow")'))
    said = typed("run", "canal.py", "--quiet")
    assert (said.code, said.err) == (
        0,
        "warning: canal.py:27: the display's gauge names 'share', which is nothing that it can "
        "show; a gauge shows what all agents share: tell it as common(share)\n",
    )


def test_a_gauge_may_be_full_at_a_number(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "canal.py").write_text(changed('gauge=("left", "flow")', 'gauge=("left", 20)'))
    said = typed("run", "canal.py", "--quiet", "--out", "a.run")
    assert (said.code, said.err) == (0, "")
    said = typed("replay", "a.run", "--plain", "--from", "4")
    assert (said.code, said.err) == (0, "")
    assert "5 of 20" in said.out


def test_prompts_beside_a_file_are_read_though_rules_play(typed: Typed, tmp_path: Path) -> None:
    """They are for other agents, whose run would be the first to miss them."""
    (tmp_path / "canal.py").write_text(CANAL)
    (tmp_path / "prompts/canal").mkdir(parents=True)
    (tmp_path / "prompts/canal/tkae.md").write_text("How much? {{ hint }}\n")
    assert typed("run", "canal.py", "--quiet").err == (
        "warning: prompts/canal/tkae.md is a prompt that canal does not ask for; did you mean "
        "'canal/take.md'?\n"
    )


def test_a_default_that_its_own_bounds_refuse_is_named_with_its_class(
    typed: Typed, tmp_path: Path
) -> None:
    bounded = 'flow: float = __import__("pydantic").Field(10.0, lt=5)'
    (tmp_path / "canal.py").write_text(changed("flow: float = 10.0", bounded))
    said = typed("run", "canal.py")
    assert said.code == 2
    assert said.err.endswith(
        "parameters.flow: its default in Canal (canal.py:7): got 10.0; expected a number below 5\n"
    )


def test_a_fork_says_how_a_parameter_of_ones_own_may_change(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "canal.py").write_text(CANAL)
    assert typed("run", "canal.py", "--quiet", "--out", "a.run").code == 0
    said = typed("fork", "a.run", "--at", "2", "--set", "flow=5")
    assert said.code == 2
    assert said.err.endswith(
        "none of them may; if the script reads it in every round, declare flow: Live[...] in Canal "
        "(from society.engine.scenario import Live)\n"
    )


TREK = """from society import Ask, Choice, Cohort, Component, Tell, own, scenario


class Herder(Component):
    def answer_go(self, ask, agents):
        return [0] * len(agents)


@scenario(cast=lambda params, count: [Cohort("herder", count, (Herder(),))], agents=2, rounds=1)
def trek(env):
    for _ in env.rounds():
        place = yield Ask("go", Choice("north", "south"))
        yield Tell("went", {"place": own(place)})
"""


def test_the_answer_to_a_question_of_two_letters_is_no_misspelt_hook(
    typed: Typed, tmp_path: Path
) -> None:
    """Though `answer_go` is close to `answer`."""
    (tmp_path / "trek.py").write_text(TREK)
    said = typed("run", "trek.py", "--quiet", "--out", "a.run")
    assert (said.code, said.err) == (0, "")


def test_a_hook_of_a_mechanism_is_spelt_as_it_is_called(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "taxed.py").write_text(
        "from society import mechanism\n\n@mechanism\nclass Taxed:\n"
        '    """Payoffs are taxed."""\n\n'
        "    def on_mvoe(self, ask):\n        return ask\n\n"
        "    def on_payoff(self, tell, payoff):\n        return -0.1 * payoff\n"
    )
    (tmp_path / "a.yaml").write_text(
        "scenario: prisoners_dilemma\nuses: [taxed.py]\nmechanisms: [{taxed: {}}]\n"
    )
    said = typed("run", "a.yaml")
    assert (said.code, said.err) == (
        2,
        "society: taxed.py:7: taxed has a method 'on_mvoe', which is never called; "
        "did you mean 'on_move'?\n",
    )


def test_a_run_file_is_verified_without_being_warned_of_again(typed: Typed, tmp_path: Path) -> None:
    before, after, more, _ = WARNINGS["notices of what nobody tells"]
    (tmp_path / "canal.py").write_text(changed(before, after, more))
    typed("run", "canal.py", "--quiet", "--out", "a.run")
    said = typed("verify", "a.run")
    assert (said.code, said.err) == (0, "")


def test_a_question_to_language_minds_needs_words_of_its_own(typed: Typed, tmp_path: Path) -> None:
    minds = "from society.components.language.llm_policy import LanguagePolicy\n"
    text = changed("(Grudge(), Farmer()))", "(Grudge(), LanguagePolicy()))")
    (tmp_path / "canal.py").write_text(text + "\n" + minds)
    words = "canal.py:34: language minds are asked 'take' without words of its own; "
    said = typed("check", "canal.py")
    assert f"warning  canal: {words}write prompts/canal/take.md" in said.out
    (tmp_path / "prompts/canal").mkdir(parents=True)
    (tmp_path / "prompts/canal/take.md").write_text("How much do you take? {{ hint }}\n")
    assert words not in typed("check", "canal.py").out


def test_a_script_that_fails_where_nobody_answers_can_still_be_played(
    typed: Typed, tmp_path: Path
) -> None:
    text = changed(TELL, "        assert (take > 0).all()\n" + TELL)
    (tmp_path / "canal.py").write_text(text)
    said = typed("run", "canal.py", "--json")
    words = "warning: canal.py:31: the wiring of canal could not be checked"
    assert said.code == 0
    assert words in said.err
    said = typed("run", "canal.py", "--strict")
    assert (said.code, said.err.count("could not be checked")) == (2, 1)


def test_a_fact_told_under_another_value_of_a_switch_is_told(typed: Typed, tmp_path: Path) -> None:
    text = changed("    flow: float = 10.0", "    flow: float = 10.0\n    shown: bool = False")
    text = text.replace(TELL, "        if env.params.shown:\n    " + TELL)
    text = text.replace('notices = ("taken",)', 'notices = ("taken",)  # if it is shown')
    (tmp_path / "canal.py").write_text(text)
    assert typed("run", "canal.py", "--strict").code == 0


def test_other_agents_may_lack_a_column_of_the_display(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "canal.py").write_text(CANAL)
    (tmp_path / "canal.yaml").write_text(
        "scenario: canal.py\ncohorts: [{name: all, count: 5, components: [farmer]}]\n"
    )
    assert typed("run", "canal.yaml", "--strict").code == 0


def test_a_cohort_of_built_in_components_is_warned_of_one_that_answers_nothing(
    typed: Typed, tmp_path: Path
) -> None:
    cohort = "{name: all, count: 2, components: [classic_strategies, language_policy]}"
    (tmp_path / "a.yaml").write_text(f"scenario: prisoners_dilemma\ncohorts: [{cohort}]\n")
    said = typed("run", "a.yaml", "--json")
    assert said.err.startswith(
        "warning: a.yaml:2: language_policy answers nothing in cohort 'all': classic_strategies "
        "stands before it and answers 'move'"
    )


DREAMERS = "persona, harvest, norm_belief, punishment, social_learning, voting"


@pytest.mark.parametrize(
    ("parts", "mute"),
    [
        (f"{DREAMERS}, plan, situation", ["plan", "situation"]),
        pytest.param(
            f"{DREAMERS}, observation, instructions",
            ["observation", "instructions"],
            marks=pytest.mark.thorough,
        ),
        (f"{DREAMERS}, attitude", []),  # which children inherit
        ("persona, harvest, norm_belief, social_learning, situation, language_policy", []),
    ],
)
def test_faculties_that_nobody_reads_are_warned_of(
    typed: Typed, tmp_path: Path, parts: str, mute: list[str]
) -> None:
    cohort = f"{{name: all, count: 3, components: [{parts}]}}"
    (tmp_path / "a.yaml").write_text(f"scenario: fishing_village\nrounds: 1\ncohorts: [{cohort}]\n")
    said = typed("run", "a.yaml", "--quiet")
    assert said.err.splitlines() == [
        f"warning: a.yaml:3: nobody reads {name} in cohort 'all', since rules answer all questions "
        f"there; add language_policy, or leave {name} out"
        for name in mute
    ]


def test_a_relation_of_a_component_that_is_not_there_is_found_before_any_call(
    typed: Typed, tmp_path: Path
) -> None:
    parts = "persona, personal_norm, relationships: {relation: lern}, language_policy"
    cohort = f"{{name: all, count: 3, components: [{parts}]}}"
    (tmp_path / "a.yaml").write_text(f"scenario: language_village\ncohorts: [{cohort}]\n")
    said = typed("run", "a.yaml", "--quiet")
    assert (said.code, said.err) == (
        2,
        "society: a.yaml:2: relationships in cohort 'all' has relation='lern'; did you mean "
        "'learn'?\n",
    )


def test_a_column_that_nobody_keeps_is_found_before_any_life_begins(
    typed: Typed, tmp_path: Path
) -> None:
    parts = "formative_memories, personal_norm, language_policy"
    cohort = f"{{name: all, count: 3, components: [{parts}]}}"
    (tmp_path / "a.yaml").write_text(f"scenario: language_village\ncohorts: [{cohort}]\n")
    said = typed("run", "a.yaml", "--quiet")
    assert (said.code, said.err) == (
        2,
        "society: a.yaml:2: personal_norm reads column 'persona', which no component of cohort "
        "'all' keeps; add persona\n",
    )
    assert not (tmp_path / "runs").exists()


@pytest.mark.thorough
def test_faculties_that_wait_for_what_never_happens_are_named(typed: Typed, tmp_path: Path) -> None:
    plan = "plan: {when: [punishd], done_to_me: [capp]}"
    parts = f"persona, situation: {{before: [efort, vote]}}, {plan}, language_policy"
    cohort = f"{{name: all, count: 3, components: [{parts}]}}"
    (tmp_path / "a.yaml").write_text(f"scenario: language_village\ncohorts: [{cohort}]\n")
    said = typed("run", "a.yaml", "--estimate", "--quiet")
    assert said.err.splitlines() == [
        "warning: a.yaml:2: situation in cohort 'all' has before='efort', and this is not asked in "
        "language_village; did you mean 'effort'?",
        "warning: a.yaml:2: plan in cohort 'all' has when='punishd', and this is not told in "
        "language_village; did you mean 'punished'?",
        "warning: a.yaml:2: plan in cohort 'all' has done_to_me='capp', and this is not a fact "
        "that is told in language_village; did you mean 'cap'?",
    ]


def test_python_warns_where_society_is_used_from_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before, after, more, _ = WARNINGS["notices of what nobody tells"]
    (tmp_path / "canal.py").write_text(changed(before, after, more))
    with pytest.warns(WiringWarning, match="grudge notices 'takne'"):
        society.run("canal.py")


def test_a_setting_is_given_once(typed: Typed) -> None:
    said = typed("run", "fishing_village", "--set", "fine=3", "--set", "fine=4")
    assert said.code == 2
    assert said.err == "society: --set fine=3 and --set fine=4: give fine once\n"


@pytest.mark.parametrize(
    ("values", "shape", "expected"),
    [
        (3, (2, 2), [[3, 3], [3, 3]]),
        ([[1], [2]], (2, 2), [[1, 1], [2, 2]]),
        ([[1, 2]], (2, 2), [[1, 2], [1, 2]]),
    ],
)
def test_each_axis_of_a_fact_is_there(
    values: object, shape: tuple[int, ...], expected: object
) -> None:
    assert spread_exactly(np.array(values), shape).tolist() == expected


def test_two_values_for_two_replicates_of_two_agents_are_not_guessed() -> None:
    with pytest.raises(WrongShape, match=r"shape \(2,\) where \(2, 2\) was expected"):
        spread_exactly(np.array([1, 2]), (2, 2))


# `society check`


def test_check_names_all_that_holds_and_asks_nobody(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "canal.py").write_text(CANAL)
    said = typed("check", "canal.py")
    assert said.code == 0
    assert said.out.splitlines() == [
        "ok       canal: names, values and wiring",
        "ok       canal: plays 3 rounds in 3 replicates",
        "ok       canal: the same seed gives the same history",
        "ok       canal: each replicate alone equals the batch",
        "ok       canal: splitting a cohort changes nothing",
        "ok       canal: answering changes nothing",
        "ok       canal: answers are within their bounds",
        "ok       canal: answers fit the JSON schema that language models get",
        "ok       canal: replay from recorded answers equals the run",
    ]


MISER = """import numpy as np
from society import Component

class Miser(Component):
    answers = ("effort",)

    def answer(self, ask, me):
        return {answer}
"""


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ("np.full(len(me), 0.5) / len(me)", "error", "each replicate alone equals the batch: no"),
        ("np.full(len(me), 0.5) / len(me)", "error", "splitting a cohort changes nothing: no"),
        ("np.random.random(len(me))", "error", "the same seed gives the same history: no"),
        ("np.full(len(me), 7.0)", "warning", "answers are within their bounds: no, 'effort'"),
        ("np.zeros(3)", "error", "miser.py:7: miser answered 'effort' with shape (3,)"),
    ],
)
def test_check_plays_a_component_where_its_questions_are_asked(
    typed: Typed, tmp_path: Path, answer: str, outcome: str, words: str
) -> None:
    (tmp_path / "miser.py").write_text(MISER.format(answer=answer))
    said = typed("check", "miser.py", "--json")
    results = json.loads(said.out)
    assert {one["subject"] for one in results} == {"miser in fishing_village"}
    assert [one for one in results if one["outcome"] == outcome and words in one["words"]], said.out
    assert said.code == (2 if outcome == "error" else 0)


@pytest.mark.thorough
def test_check_warns_of_a_component_that_no_scenario_asks(typed: Typed, tmp_path: Path) -> None:
    text = MISER.format(answer="np.zeros(len(me))").replace('"effort"', '"efort"')
    (tmp_path / "miser.py").write_text(text)
    said = typed("check", "miser.py", "--strict")
    assert (said.code, said.out[:40]) == (2, "warning  miser: no scenario asks or tell")


def test_check_reads_scenario_files_experiments_and_prompts(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("scenario: fishing_village\nparameters: {grwoth: 1}\n")
    (tmp_path / "b.yaml").write_text("base: fishing_village\nfactors: {fine: [0, 2]}\n")
    (tmp_path / "pack/language_village").mkdir(parents=True)
    (tmp_path / "pack/language_village/effort.md").write_text("How hard? {{ hint }\n")
    said = typed("check", "a.yaml")
    assert (said.code, "a.yaml:2:14 parameters.grwoth: there is no" in said.out) == (2, True)
    said = typed("check", "b.yaml")
    assert said.code == 0
    assert said.out.splitlines()[0] == "ok       b.yaml: names and values of 2 conditions"
    said = typed("check", "pack")
    assert (said.code, "effort.md" in said.out) == (2, True)


# What comes with the program


SOURCES = sorted(
    file
    for room in ("components", "scenarios")
    for file in (ROOT / room).rglob("*.py")
    if "reproductions" not in file.parts
)


def test_no_file_of_ours_makes_lines_in_vain_or_draws_unaddressed_chance() -> None:
    found = [str(issue) for file in SOURCES for issue in SourceFile(str(file)).issues]
    assert len(SOURCES) > 40
    assert found == []


@pytest.mark.parametrize("name", all_but(scenarios(), sorted({*scenarios(), *presets()})))
def test_nothing_of_ours_is_warned_of(name: str) -> None:
    """Although nothing of ours is looked at in a run, everything is here."""
    setup = build(load_config(name), everything=True)
    assert list(map(str, setup.wiring)) == []


# One of each kind; a reproduction gives others what they lack.
QUICKLY_READ = ("dilemmas_pairs", "donor_neutral", "strategies_evolution", "village_principles")


@pytest.mark.parametrize("name", all_but(QUICKLY_READ, sorted(experiments())))
def test_no_experiment_of_ours_is_warned_of(name: str) -> None:
    from society.experiments.experiment import read_experiment

    try:
        read = read_experiment(experiments()[name])
    except InputError:
        assert name not in QUICKLY_READ
        return
    assert read.conditions
    assert [str(issue) for one in read.conditions for issue in one.setup.wiring] == []
