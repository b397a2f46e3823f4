"""Everything that can be named is found by itself, ours and the user's."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.config.registry import Registry, components, mechanisms, resolve_reference, scenarios
from society.engine.component import Component
from society.errors import CatalogueError, InputError, ScenarioError
from society.index import presets
from society.scenarios.village.fishing_village import fishing_village

if TYPE_CHECKING:
    from tests.conftest import Written

MISER = """
from dataclasses import dataclass
from society.engine.component import Component
from society.components.village.harvest import Harvest
from society.engine.scenario import mechanism

@dataclass(frozen=True)
class Miser(Component):
    share: float = 0.1
    answers = ("effort",)

@mechanism
def slowed(play): return play

def friends(agents, rng): return None
"""
VILLAGES = """
from dataclasses import replace
from society.scenarios.village.fishing_village import fishing_village
stern = replace(fishing_village, agents=4)
mild = replace(fishing_village, agents=5)
"""


def test_what_we_ship_is_found_under_its_name() -> None:
    assert scenarios()["fishing_village"] is fishing_village
    assert components()["norm_belief"].__name__ == "NormBelief"
    assert "quota" in mechanisms()
    assert "fishing_village_ring" in presets()


def test_what_a_module_only_imports_is_not_taken_for_its_own() -> None:
    assert "component" not in components()
    assert "mechanism" not in mechanisms()


def test_looking_up_one_part_imports_no_other() -> None:
    code = """
import sys
from society.config.registry import Registry
Registry().component("voting")
print(*(name for name in sys.modules if name.startswith("society.components.")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    home = "society.components.village"
    assert done.stdout.split() == [home, f"{home}.voting"]


def test_a_users_file_brings_its_own_parts_and_none_that_it_imports(written: Written) -> None:
    registry = Registry()
    things = registry.add(written("miser.py", MISER))
    assert [(thing.sort, thing.name) for thing in things] == [
        ("component", "miser"),
        ("mechanism", "slowed"),
        ("function", "friends"),
    ]
    assert registry.component("miser").__name__ == "Miser"
    assert registry.component("harvest") is components()["harvest"]


def test_a_users_file_is_noted_with_its_hash(written: Written) -> None:
    registry, file = Registry(), written("miser.py", MISER)
    registry.add(file)
    assert registry.files == {file: sha256(MISER.encode()).hexdigest()}


def test_a_users_part_comes_before_ours_of_the_same_name(written: Written) -> None:
    registry = Registry()
    registry.add(written("mine.py", MISER.replace("Miser", "Voting")))
    assert registry.component("voting") is not components()["voting"]


def test_two_parts_of_one_name_from_two_files_are_refused(written: Written) -> None:
    registry = Registry()
    registry.add(written("a.py", MISER))
    with pytest.raises(ScenarioError, match="two of your components are called 'miser'; rename"):
        registry.add(written("b.py", MISER))


def test_a_users_module_neither_shadows_nor_is_shadowed(written: Written) -> None:
    """A file json.py is read as itself, and json stays what it was."""
    import json

    registry = Registry()
    registry.add(written("json.py", MISER))
    assert registry.component("miser").__module__ != "json"
    assert sys.modules["json"] is json


def test_an_edited_file_is_read_anew_and_leaves_no_cache(written: Written) -> None:
    file = written("miser.py", MISER)
    assert Registry().add(file)[0].value.share == 0.1
    written("miser.py", MISER.replace("0.1", "0.2"))
    assert Registry().add(file)[0].value.share == 0.2
    assert [path.name for path in Path(file).parent.iterdir()] == ["miser.py"]


def test_the_scenario_of_a_file_is_called_what_its_variable_is(written: Written) -> None:
    file = written("villages.py", VILLAGES)
    assert Registry().scenario(f"{file}:mild").name == "mild"
    assert Registry().scenario(f"{file}:mild").agents == 5


def test_a_single_scenario_need_not_be_said(written: Written) -> None:
    file = written("one.py", VILLAGES.replace("mild", "_mild"))
    assert Registry().scenario(file).name == "stern"


def test_parts_of_a_notebook_are_named_like_those_of_a_file() -> None:
    class Hermit(Component):
        pass

    registry = Registry([replace(fishing_village, name="lake"), Hermit])
    assert registry.scenario("lake").name == "lake"
    assert registry.component("hermit") is Hermit


@pytest.mark.parametrize(
    ("text", "reference", "words"),
    [
        (VILLAGES, "", "f.py defines stern, mild; say which, as in f.py:stern"),
        (VILLAGES, ":mlid", "f.py defines no scenario 'mlid'; did you mean 'mild'?"),
        (MISER, "", "f.py defines no scenario; put @scenario"),
        ("a = 1\nb = 1 / 0\n", "", "f.py:2: ZeroDivisionError: division by zero"),
        ("def f(:\n", "", "f.py:1: invalid syntax"),
        ("\nimport nowhere\n", "", "f.py:2: ModuleNotFoundError: No module named 'nowhere'"),
        ("raise SystemExit(3)", "", "f.py:1: SystemExit: 3"),
    ],
)
def test_what_is_wrong_with_a_users_file_is_said(
    written: Written, text: str, reference: str, words: str
) -> None:
    file = written("f.py", text)
    with pytest.raises(InputError) as refused:
        Registry().scenario(file + reference)
    assert words in str(refused.value)


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(CatalogueError, match="no scenario 'fishing_vilage'; did you mean 'fishi"):
        Registry().scenario("fishing_vilage")
    with pytest.raises(CatalogueError, match="did you mean 'fishing_village_ring'"):
        Registry().scenario("fishing_village_rng")
    with pytest.raises(CatalogueError, match="no component 'harvst'; did you mean 'harvest'"):
        Registry().component("harvst")
    with pytest.raises(CatalogueError, match="no mechanism 'qota'; did you mean 'quota'"):
        Registry().mechanism("qota")


def test_a_name_is_a_users_scenario_first_and_then_ours(written: Written) -> None:
    assert resolve_reference("fishing_village") == "fishing_village"
    assert resolve_reference("fishing_village_ring") == str(presets()["fishing_village_ring"])
    own = written("scenarios/fishing_village.yaml", "")
    assert resolve_reference("fishing_village") == own


def test_what_looks_like_a_path_is_one(written: Written) -> None:
    file = written("lake.py", "")
    assert resolve_reference("lake.py") == file
    assert resolve_reference("lake.py:stern") == f"{file}:stern"
    assert resolve_reference("lake.py", Path("/elsewhere")) == "/elsewhere/lake.py"
    assert resolve_reference("./lake") == file.removesuffix(".py")


def test_in_our_own_checkout_the_scenarios_folder_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    assert resolve_reference("fishing_village") == "fishing_village"


def test_an_unknown_name_is_answered_with_the_nearest_few_and_where_all_stand() -> None:
    with pytest.raises(CatalogueError) as refused:
        Registry().scenario("auction")
    found = re.fullmatch(
        r"there is no scenario 'auction'; the nearest are (.+); `society list scenarios` "
        r"names all (\d+)",
        str(refused.value),
    )
    assert found
    assert len(found[1].split(", ")) == 3
    assert int(found[2]) > 60
    with pytest.raises(CatalogueError, match=r"'zzz'; `society list components` names all \d\d$"):
        Registry().component("zzz")
