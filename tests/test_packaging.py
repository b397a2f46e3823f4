"""The three top folders are one namespace with the engine, however the project is installed.

A user's own memory.py or scenarios/ in the working directory must never be imported in their place.
Everything here runs in real subprocesses, in a folder of such a user.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

# One worker gets the whole file, so that the wheel is built once.
pytestmark = [pytest.mark.xdist_group("packaging"), pytest.mark.thorough]

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("components", "scenarios", "memory")
WHERE = """
import society, society.components, society.scenarios, society.memory
for room in (society, society.components, society.scenarios, society.memory):
    print(room.__file__)
"""
COMMAND = "import sys; from society.cli.main import main; sys.exit(main())"


class Installation(NamedTuple):
    """One way to have the project: how to run Python in it, and the folder its code must be in."""

    python: Path
    code: Path
    command: tuple[str, ...]
    path: str = ""  # PYTHONPATH


class Built(NamedTuple):
    """The contents of a release, and the sources that it was built from."""

    sources: Path
    sdist: Path
    wheel: Path


def run(*words: str | Path, cwd: Path, path: str = "") -> str:
    """Run a program without the caller's Python settings; return its stdout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        words, cwd=cwd, env=kept | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{words} in {cwd}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def copy_of_checkout(target: Path, *, links: bool = True) -> Path:
    """Copy what packaging reads; links stay links or, as Git does without them, become text."""
    target.mkdir()
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, target)
    for folder in ("society", *ROOMS):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, target / folder, symlinks=True, ignore=ignore)
    if not links:
        for room in ROOMS:
            (target / "society" / room).unlink()
            (target / "society" / room).write_text(f"../{room}")
    return target


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build an sdist, and from it a wheel, the way a release is made."""
    sources = copy_of_checkout(tmp_path_factory.mktemp("release") / "society")
    run(sys.executable, "-m", "build", "--no-isolation", sources, cwd=sources.parent)
    (sdist,), (wheel,) = sources.glob("dist/*.tar.gz"), sources.glob("dist/*.whl")
    return Built(sources, sdist, wheel)


def environment(home: Path) -> tuple[Path, Path]:
    """Make an environment that borrows the dependencies of this one; its scripts and packages."""
    venv.create(home, symlinks=os.name != "nt")
    names = {"base": str(home), "platbase": str(home)}
    scripts = Path(sysconfig.get_path("scripts", "venv", names))
    site = Path(sysconfig.get_path("purelib", "venv", names))
    # The .pth files of a folder that is itself named in one are not read: of the environment that
    # runs this test all is seen but its editable installs.
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "dependencies.pth").write_text("\n".join(sorted(dependencies)))
    return scripts, site


def install(python: Path, *what: str | Path, cwd: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", *what, cwd=cwd)


@pytest.fixture(scope="module")
def from_wheel(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel in an environment of its own."""
    home = tmp_path_factory.mktemp("wheel") / "venv"
    scripts, site = environment(home)
    python = scripts / Path(sys.executable).name
    install(python, built.wheel, cwd=home)
    return Installation(python, code=site, command=(str(scripts / "society"),))


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The sources themselves, installed as `make demo` does."""
    home = tmp_path_factory.mktemp("editable")
    sources = copy_of_checkout(home / "society")
    scripts, _ = environment(home / "venv")
    python = scripts / Path(sys.executable).name
    install(python, "--no-build-isolation", "--editable", sources, cwd=home)
    return Installation(python, code=sources, command=(str(scripts / "society"),))


@pytest.fixture(scope="module")
def without_links(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    root = copy_of_checkout(tmp_path_factory.mktemp("plain") / "society", links=False)
    python = Path(sys.executable)
    return Installation(python, code=root, command=(str(python), "-c", COMMAND), path=str(root))


@pytest.fixture(params=["from_wheel", "editable", "without_links"])
def installation(request: pytest.FixtureRequest) -> Installation:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Installation)
    return found


@pytest.fixture
def users_folder(tmp_path: Path) -> Path:
    """A working directory in which every bare name of ours is taken by a file that must not run."""
    (tmp_path / "scenarios").mkdir()
    for name in ("scenarios/__init__.py", "components.py", "memory.py"):
        (tmp_path / name).write_text(f"raise ImportError('the user\\'s own {name} was imported')\n")
    return tmp_path


def test_a_user_folder_named_memory_does_not_shadow_ours(
    installation: Installation, users_folder: Path
) -> None:
    shown = run(installation.python, "-c", WHERE, cwd=users_folder, path=installation.path)
    files = [Path(line).resolve() for line in shown.splitlines()]
    assert [file.parent.name for file in files] == ["society", *ROOMS]
    assert all(file.is_relative_to(installation.code.resolve()) for file in files), shown


def test_the_command_finds_the_built_in_scenarios_beside_a_users_own_folder(
    installation: Installation, users_folder: Path
) -> None:
    words = (*installation.command, "list", "scenarios")
    assert "fishing_village" in run(*words, cwd=users_folder, path=installation.path)


def test_the_wheel_holds_each_file_of_the_four_folders_once(built: Built) -> None:
    """A package or a kind of data that pyproject.toml does not name would be missing here."""
    homes = {"society": ""} | dict.fromkeys(ROOMS, "society/")
    expected = [
        home + file.relative_to(built.sources).as_posix()
        for folder, home in homes.items()
        for file in (built.sources / folder).rglob("*")
        if file.is_file()
    ]
    with zipfile.ZipFile(built.wheel) as wheel:
        held = [name for name in wheel.namelist() if ".dist-info/" not in name]
    assert Counter(held) == Counter(expected)


def test_the_sdist_holds_the_real_folders_and_not_the_links(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        held = {tuple(Path(name).parts[1:]) for name in sdist.getnames()}
    for room in ROOMS:
        assert (room, "__init__.py") in held
        assert not any(parts[:2] == ("society", room) for parts in held)


USERS = """
from dataclasses import dataclass
import society

@dataclass(frozen=True)
class Miser(society.Component):
    share: float = 0.1
    answers = ("effort",)

result = society.run("fishing_village", seed=1)
reveal_type(result.measures["survival"].mean)
reveal_type(Miser(0.2).share)
Miser("much")
"""


@pytest.mark.parametrize("way", ["editable", "from_wheel"])
def test_type_checkers_follow_what_is_installed(
    way: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Also from an editable installation, whose modules a type checker has to find by itself."""
    installation: Installation = request.getfixturevalue(way)
    (tmp_path / "mine.py").write_text(USERS)
    words = ("-m", "mypy", "--strict", "--python-executable", installation.python, "mine.py")
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        'mine.py:11: note: Revealed type is "float | None"',
        'mine.py:12: note: Revealed type is "float"',
        'mine.py:13: error: Argument 1 to "Miser" has incompatible type "str"; expected "float"  '
        "[arg-type]",
        "Found 1 error in 1 file (checked 1 source file)",
    ]
