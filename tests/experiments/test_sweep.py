"""Sweeps: what is played, skipped, taken up, refused and reported; and what language minds cost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.experiments.experiment import read_experiment
from society.experiments.folder import open_folder
from society.runs.runfile import open_run_file
from society.runs.session import Session

if TYPE_CHECKING:
    from tests.conftest import Provider, Typed
    from tests.experiments.conftest import Digests

FINES = """
base: fishing_village
replicates: 3
rounds: 6
factors: {fine: [2, 10], growth: [0.3, 0.6]}
"""
NAMES = ["fine=10,growth=0.3", "fine=10,growth=0.6", "fine=2,growth=0.3", "fine=2,growth=0.6"]

FRAIL = """
from dataclasses import dataclass
import numpy as np
from society.engine.component import Component

@dataclass(frozen=True)
class Frail(Component):
    breaks: int = 0  # in which round
    answers = ("effort",)

    def answer(self, ask, me):
        return np.full(len(me), 0.3 if me.moment != self.breaks else 1 / 0)
"""
FRAILTY = """
base: fishing_village
rounds: 5
parameters: {ends_on: horizon}
uses: [own.py]
cohorts: [{name: folk, count: 4, replace: {harvest: frail}}]
conditions:
  broken: {cohorts.folk.parameters: {breaks: 3}}
  sound: {cohorts.folk.parameters: {breaks: 9}}
"""

# Three villages of ten language agents, who speak to the test server.
SPOKEN = """
base: language_village
rounds: 4
parameters: {{ends_on: horizon, norm_embedder: hashing}}
models: {{default: {{model: resident, api_base: "{url}", concurrency: 7}}}}
factors: {{growth: [0.2, 0.4, 0.6]}}
"""


def kept(folder: Path | str) -> Mapping[str, tuple[int, bytes]]:
    """Return the time and the content of each run file."""
    files = sorted(Path(folder).glob("*.run"))
    return {file.stem: (file.stat().st_mtime_ns, file.read_bytes()) for file in files}


def test_each_condition_has_a_run_file_and_the_folder_says_what_they_are(typed: Typed) -> None:
    Path("fines.yaml").write_text(FINES)
    said = typed("sweep", "fines.yaml")
    assert said.code == 0
    assert sorted(path.name for path in Path("sweeps/fines").iterdir()) == [
        *(f"{name}.run" for name in NAMES), "sweep.json",
    ]  # fmt: skip
    folder = open_folder("sweeps/fines")
    assert (folder.name, folder.text, folder.failures) == ("fines", FINES, {})
    with open_run_file("sweeps/fines/fine=2,growth=0.3.run") as run:
        assert (run.status, run.manifest.replicates, run.manifest.level) == (
            "finished", 3, "summary",
        )  # fmt: skip
        assert run.manifest.params["fine"] == 2


def test_json_is_one_object_on_stdout_and_quiet_says_nothing(typed: Typed) -> None:
    Path("fines.yaml").write_text(FINES)
    said = typed("sweep", "fines.yaml", "--json", "--out", "s")
    told = json.loads(said.out)
    assert (said.code, said.err) == (0, "")
    assert list(told) == ["name", "out", "spent", "conditions", "findings"]
    assert (told["name"], told["out"]) == ("fines", "s")
    assert told["spent"] == {"calls": 0, "tokens": 0, "cost": 0}
    assert told["conditions"][0] == {
        "name": "fine=2,growth=0.3", "factors": {"fine": 2, "growth": 0.3},
        "file": "fine=2,growth=0.3.run", "status": "finished", "words": "",
    }  # fmt: skip
    assert typed("sweep", "fines.yaml", "--quiet", "--out", "s") == (0, "", "")


def test_what_is_finished_is_not_touched_again(typed: Typed) -> None:
    Path("fines.yaml").write_text(FINES)
    typed("sweep", "fines.yaml", "--quiet", "--out", "s")
    before = kept("s")
    Path("s/fine=2,growth=0.3.run").unlink()
    assert typed("sweep", "fines.yaml", "--quiet", "--out", "s").code == 0
    after = kept("s")
    again = {name for name in NAMES if before[name] != after[name]}
    assert again == {"fine=2,growth=0.3"}


def test_the_order_of_conditions_changes_no_result(typed: Typed, digests: Digests) -> None:
    Path("a.yaml").write_text(FINES)
    Path("b.yaml").write_text(FINES.replace("[2, 10]", "[10, 2]").replace("0.3, 0.6", "0.6, 0.3"))
    for name in "ab":
        assert typed("sweep", f"{name}.yaml", "--quiet", "--out", name).code == 0
    assert digests("a") == digests("b")
    assert len(set(digests("a").values())) == 4


def test_a_condition_that_fails_is_reported_and_tried_again_and_stops_no_other(
    typed: Typed, digests: Digests
) -> None:
    """The component divides by zero in round 3 of one condition, until it is mended."""
    Path("own.py").write_text(FRAIL)
    Path("frail.yaml").write_text(FRAILTY)
    reason = "own.py:12: ZeroDivisionError: division by zero"
    for _ in range(2):
        said = typed("sweep", "frail.yaml", "--json", "--out", "s")
        assert said.code == 1
        assert said.conditions == {"broken": ("failed", reason), "sound": ("finished", "")}
        assert (
            "frail: 1 of 2 conditions are finished; everything played so far is saved" in said.err
        )
        assert open_folder("s").failures == {"broken": reason}
    Path("own.py").write_text(FRAIL.replace("1 / 0", "0.3"))
    said = typed("sweep", "frail.yaml", "--json", "--out", "s")
    assert said.code == 0
    assert said.conditions["broken"] == ("finished", "")
    assert open_folder("s").failures == {}
    assert digests("s")["broken"] == digests("s")["sound"], "it has gone on from round 2"


def test_what_was_played_before_the_code_changed_is_kept_and_named(typed: Typed) -> None:
    Path("own.py").write_text(FRAIL)
    Path("frail.yaml").write_text(
        FRAILTY.replace("broken: {cohorts.folk.parameters: {breaks: 3}}", "")
    )
    typed("sweep", "frail.yaml", "--quiet", "--out", "s")
    before = kept("s")
    Path("own.py").write_text(FRAIL.replace("0.3", "0.1"))
    said = typed("sweep", "frail.yaml", "--json", "--out", "s")
    assert (said.code, kept("s")) == (0, before)
    assert said.conditions == {"sound": ("finished", "changed since: own.py has changed")}
    assert typed("sweep", "frail.yaml", "--out", "s").err == (
        "sound was played before; changed since: own.py has changed; "
        "--overwrite plays again what was made otherwise\n"
    )
    assert typed("sweep", "frail.yaml", "--quiet", "--out", "s", "--overwrite").code == 0
    assert kept("s") != before


def test_runs_that_were_made_otherwise_are_refused_by_name_and_replaced_on_demand(
    typed: Typed,
) -> None:
    Path("fines.yaml").write_text(FINES)
    typed("sweep", "fines.yaml", "--quiet", "--out", "s")
    before = kept("s")
    # Of the same names, but the level 2 stands for something else.
    other = FINES.replace("[2, 10]", "{2: {fine: 3}, 10: {fine: 10}}")
    Path("fines.yaml").write_text(other)
    refused = typed("sweep", "fines.yaml", "--quiet", "--out", "s")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "society: s/fine=2,growth=0.3.run and 1 more were played from another experiment than the "
        "one given now; name another --out, or replace such runs by --overwrite\n"
    )
    assert kept("s") == before
    assert typed("sweep", "fines.yaml", "--quiet", "--out", "s", "--overwrite").code == 0
    after = kept("s")
    assert {name for name in NAMES if after[name] != before[name]} == set(NAMES[2:])
    with open_run_file("s/fine=2,growth=0.3.run") as run:
        assert run.manifest.params["fine"] == 3


def test_a_damaged_run_is_refused_by_name_and_played_again_on_demand(typed: Typed) -> None:
    Path("fines.yaml").write_text(FINES)
    typed("sweep", "fines.yaml", "--quiet", "--out", "s")
    whole = kept("s")
    hurt = Path("s/fine=2,growth=0.3.run")
    hurt.write_bytes(hurt.read_bytes()[:5000])
    refused = typed("sweep", "fines.yaml", "--quiet", "--out", "s")
    assert refused.code == 2
    assert "s/fine=2,growth=0.3.run is cut off" in refused.err
    assert "--overwrite plays it again" in refused.err
    assert typed("sweep", "fines.yaml", "--quiet", "--out", "s", "--overwrite").code == 0
    after = kept("s")
    assert {name for name in NAMES if after[name] != whole[name]} == {"fine=2,growth=0.3"}
    with open_run_file(hurt) as run:
        assert run.status == "finished"


def test_a_byte_that_was_flipped_deep_inside_a_finished_run_is_found(typed: Typed) -> None:
    Path("fines.yaml").write_text(FINES)
    typed("sweep", "fines.yaml", "--quiet", "--out", "s")
    hurt = Path("s/fine=2,growth=0.3.run")
    with open_run_file(hurt) as run:
        *_, last = run.records()
    content = bytearray(hurt.read_bytes())
    content[content.index(last.page.digest.hex().encode())] ^= 0x01
    hurt.write_bytes(content)
    refused = typed("sweep", "fines.yaml", "--quiet", "--out", "s")
    assert refused.code == 2
    assert "s/fine=2,growth=0.3.run: round" in refused.err
    assert typed("sweep", "fines.yaml", "--quiet", "--out", "s", "--overwrite").code == 0
    assert typed("sweep", "fines.yaml", "--quiet", "--out", "s").code == 0


def test_who_wants_to_hear_nothing_is_still_told_why_a_condition_failed(typed: Typed) -> None:
    Path("own.py").write_text(
        "from society.engine.component import Component\n"
        "class Rude(Component):\n"
        "    answers = ('effort',)\n"
        "    def answer(self, ask, me):\n"
        "        raise SystemExit(0)\n"
    )
    Path("e.yaml").write_text(
        "base: fishing_village\nrounds: 2\nuses: [own.py]\n"
        "cohorts: [{name: folk, count: 4, replace: {harvest: rude}}]\n"
    )
    said = typed("sweep", "e.yaml", "--quiet", "--out", "s")
    assert said.code == 1
    assert "society: e: own.py:5: SystemExit: 0" in said.err


def test_what_is_no_run_file_is_never_overwritten(typed: Typed) -> None:
    Path("fines.yaml").write_text(FINES)
    Path("s").mkdir()
    Path("s/fine=2,growth=0.3.run").write_text("a diary")
    refused = typed("sweep", "fines.yaml", "--quiet", "--out", "s", "--overwrite")
    assert refused.code == 2
    assert "is not a run file" in refused.err
    assert Path("s/fine=2,growth=0.3.run").read_text() == "a diary"


def test_a_run_that_is_being_written_is_left_to_its_writer(typed: Typed) -> None:
    Path("fines.yaml").write_text(FINES)
    condition = read_experiment(Path("fines.yaml")).conditions[0]
    writing = Session.begun(condition.setup, Path("s") / condition.file)
    writing.play()
    for flags in ([], ["--overwrite"]):
        refused = typed("sweep", "fines.yaml", "--quiet", "--out", "s", *flags)
        assert refused.code == 2
        assert "fine=2,growth=0.3.run is being written right now" in refused.err
    with writing.writer:
        pass


@pytest.mark.thorough
def test_rules_are_swept_without_heavy_libraries(tmp_path: Path) -> None:
    """Neither here nor in the workers, where the component would raise."""
    heavy = "{'litellm', 'torch', 'pandas', 'scipy', 'statsmodels', 'matplotlib', 'distributed'}"
    (tmp_path / "own.py").write_text(
        "import sys\nimport numpy as np\nfrom society.engine.component import Component\n"
        "class Light(Component):\n"
        "    answers = ('effort',)\n"
        "    def answer(self, ask, me):\n"
        f"        assert not {heavy} & set(sys.modules)\n"
        "        return np.full(len(me), 0.1)\n"
    )
    (tmp_path / "light.yaml").write_text(
        "base: fishing_village\nrounds: 2\nuses: [own.py]\n"
        "cohorts: [{name: folk, count: 4, replace: {harvest: light}}]\n"
    )
    program = (
        "import sys; from society.cli.main import main; "
        "code = main(['sweep', 'light.yaml', '--workers', '1', '--quiet']); "
        f"print(code, {heavy} & set(sys.modules))"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (said.stdout, said.stderr) == ("0 set()\n", "")


@pytest.fixture
def spoken(provider: Provider, typed: Typed) -> Provider:
    """The server that the minds of spoken.yaml ask."""
    Path("spoken.yaml").write_text(SPOKEN.format(url=provider.url))
    return provider


def asked(provider: Provider) -> int:
    count: int = provider.stats()["count"]
    return count


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_minds_of_all_conditions_share_the_limits_of_their_model(
    typed: Typed, spoken: Provider, digests: Digests
) -> None:
    spoken.plan(latency=0.005)
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "a").code == 0
    assert spoken.stats()["most"] == 7
    spoken.plan(latency=0)
    more = ("--max-concurrency", 2)
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "b", *more).code == 0
    assert digests("a") == digests("b")
    assert len(set(digests("a").values())) == 3


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_limits_hold_for_all_conditions_and_all_sittings_together(
    typed: Typed, spoken: Provider, digests: Digests
) -> None:
    """Cut short twice, they have asked exactly what an uninterrupted sweep asks."""
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "whole").code == 0
    whole = asked(spoken)
    spoken.reset()
    for limit in (100, 250):
        said = typed("sweep", "spoken.yaml", "--json", "--out", "s", "--max-calls", limit)
        assert (said.code, asked(spoken)) == (3, limit)
        assert json.loads(said.out)["spent"]["calls"] == limit
        assert "paused" in said.statuses.values()
        assert f"--max-calls: {limit} of {limit} used" in said.out
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "s", "--max-calls", "none").code == 0
    assert asked(spoken) == whole
    assert digests("s") == digests("whole")


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_limit_of_the_command_line_holds_for_later_sittings_until_it_is_lifted(
    typed: Typed, spoken: Provider
) -> None:
    paused = typed("sweep", "spoken.yaml", "--quiet", "--out", "a b", "--max-calls", 50)
    assert (paused.code, asked(spoken)) == (3, 50)
    again = "continue with: society sweep spoken.yaml --out 'a b'"
    assert again in paused.err
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "a b").code == 3
    assert asked(spoken) == 50
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "a b", "--max-calls", "none").code == 0
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "a b").code == 0


@pytest.mark.xdist_group("provider")
def test_limits_of_the_file_hold_as_well_and_the_command_line_lifts_them(
    typed: Typed, spoken: Provider
) -> None:
    file = Path("spoken.yaml")
    file.write_text(f"{file.read_text()}limits: {{max_calls: 60}}\n")
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "s").code == 3
    assert asked(spoken) == 60
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "s", "--max-calls", "none").code == 0


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
def test_runs_of_fallbacks_fail_a_sweep_whenever_they_were_played(
    typed: Typed, spoken: Provider
) -> None:
    spoken.plan(brain="mumble")
    for _ in range(2):
        said = typed("sweep", "spoken.yaml", "--quiet", "--out", "s")
        assert said.code == 1
        assert re.search(r"society: growth=0.2: (\d+) of \1 answers of language models", said.err)
        assert "--accept-fallbacks" in said.err
    assert typed("sweep", "spoken.yaml", "--quiet", "--out", "s", "--accept-fallbacks").code == 0


@pytest.mark.xdist_group("provider")
@pytest.mark.filterwarnings("ignore::society.errors.WiringWarning")
@pytest.mark.parametrize("in_file", [True, False])
def test_the_share_of_fallbacks_is_a_limit_of_each_condition_of_a_sweep(
    typed: Typed, spoken: Provider, in_file: bool
) -> None:
    spoken.plan(brain="mumble")
    file = Path("spoken.yaml")
    if in_file:
        file.write_text(f"{file.read_text()}limits: {{max_fallbacks: 0.3}}\n")
    given = () if in_file else ("--max-fallbacks", 0.3)
    said = typed("sweep", "spoken.yaml", "--json", "--out", "s", *given)
    assert said.code == 3
    assert set(said.statuses.values()) == {"paused"}
    assert "--max-fallbacks: " in said.out


@pytest.mark.xdist_group("provider")
def test_a_key_that_is_refused_fails_each_condition_and_says_why(
    typed: Typed, spoken: Provider
) -> None:
    spoken.plan(faults={"401": 1})
    said = typed("sweep", "spoken.yaml", "--json", "--out", "s")
    assert said.code == 1
    assert set(said.statuses.values()) == {"failed"}
    assert all("401" in words for _, words in said.conditions.values())
