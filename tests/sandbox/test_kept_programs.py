"""The programs that a run file keeps: packed, within bounds, and given back as they were."""

from __future__ import annotations

import random

import pytest

from society.errors import SandboxError
from society.sandbox import kept_programs
from society.sandbox.kept_programs import KeptFolder, KeptProgram, refuse_too_much


def program(number: int, source: str = "class Ä:\n    '''line\u2028break'''\n") -> KeptProgram:
    return KeptProgram(
        name=f"m.P{number}", number=number, source=source, fallback="D", description='"so" it\nis'
    )


def packed(*programs: KeptProgram) -> KeptFolder:
    return KeptFolder.pack("public_goods", programs, {"m.py": "12ab"}, "six")


def test_programs_come_back_as_they_were() -> None:
    folder = packed(program(0), program(1, "x"))
    read = KeptFolder.model_validate_json(folder.model_dump_json())
    assert read.programs == (program(0), program(1, "x"))
    assert (read.game, read.hashes) == ("public_goods", {"m.py": "12ab"})
    assert [one.class_name for one in read.programs] == ["P0", "P1"]


def test_programs_of_two_cohorts_are_joined_in_the_order_of_the_folder() -> None:
    one, other = packed(program(3), program(1)), packed(program(2), program(3))
    assert [each.number for each in one.joined(other, "six").programs] == [1, 2, 3]
    assert one.joined(one, "six") is one


def test_too_many_programs_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = packed(program(0))
    monkeypatch.setattr(kept_programs, "MOST_BYTES", folder.size)
    refuse_too_much({"six": folder})
    with pytest.raises(SandboxError, match=r"of six have .* bytes, and a run file keeps at most"):
        packed(program(0), program(1))
    with pytest.raises(SandboxError, match="of six, seven have"):
        refuse_too_much({"six": folder, "seven": folder})
    monkeypatch.setattr(kept_programs, "MOST_PACKED", len(folder.texts) - 1)
    with pytest.raises(SandboxError, match=r"of six have .* compressed bytes"):
        packed(program(0))


@pytest.mark.thorough
def test_25_000_classes_of_five_kilobytes_fit() -> None:
    """With descriptions, in a language of 4,096 words: 12 bits for six characters."""
    luck = random.Random(1)
    words = ["".join(luck.choices("abcdefghijklm", k=5)) for _ in range(4_096)]
    text = " ".join(luck.choices(words, k=1_000_000))
    starts = luck.sample(range(len(text) - 4_800), 25_000)
    programs = [program(number, text[start : start + 4_800]) for number, start in enumerate(starts)]
    folder = packed(*programs)
    assert folder.size > 120_000_000
    assert KeptFolder.model_validate(folder.model_dump()).programs == tuple(programs)
