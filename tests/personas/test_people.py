"""Tables of people: what they hold, and what is refused, with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.errors import FileError
from society.personas.people import (
    TABLES,
    kept_tables,
    parse_people,
    read_people,
    write_people,
)

THREE = 'age,trade,code\n41,miller,02134\n\n23,"smith, retired",10001\n60, baker ,90210\n'


def test_a_table_has_a_person_a_row_and_a_trait_a_column() -> None:
    people = parse_people(THREE, "p.csv")
    assert people.columns == ("age", "trade", "code")
    assert people.column("trade") == ["miller", "smith, retired", "baker"]
    assert people.lines == (2, 4, 5)


def test_numbers_are_numbers_unless_they_are_codes() -> None:
    people = parse_people(THREE, "p.csv")
    numbers = people.numbers("age")
    assert numbers is not None
    assert numbers.tolist() == [41, 23, 60]
    assert people.numbers("code") is None
    assert people.numbers("trade") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "p.csv is empty"),
        ("age\n", "line 1: there are columns but no people"),
        ("age,age\n1,2\n", "line 1: two columns are called 'age'"),
        ("age,\n1,2\n", "line 1: column 2 has no name"),
        ("age;trade\n1;2\n", "line 1: 'age;trade' is no name of a column"),
        ("axes:\n  - {name: x}\n", "line 1: 'axes:' is no name of a column; expected a CSV"),
        ("age,trade\n1,miller\n2\n", "line 3: got 1 cell; expected 2"),
        ("age,trade\n1,\n", "line 2: column 'trade' is empty"),
        ('age,trade\n1,"mill\n2,b\n', "line 3: this is no CSV: unexpected end of data"),
        (f"age\n{'x' * 4001}\n", "line 2: column 'age' has 4,001 characters"),
    ],
)
def test_what_is_no_table_of_people_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(FileError) as refused:
        parse_people(text, "p.csv")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (("1", "-2"), "line 3: the weight in column 'w' is '-2'; expected a number from 0"),
        (("many", "2"), "line 2: the weight in column 'w' is 'many'"),
        (("0", "0.0"), "line 1: all weights in column 'w' are 0"),
    ],
)
def test_weights_are_numbers_from_0(weights: tuple[str, str], words: str) -> None:
    people = parse_people(f"age,w\n1,{weights[0]}\n2,{weights[1]}\n", "p.csv")
    with pytest.raises(FileError) as refused:
        people.weights("w")
    assert words in str(refused.value)


def test_a_missing_column_is_named_with_what_was_meant() -> None:
    with pytest.raises(FileError, match=r"p\.csv, line 1: there is no column 'trad'.*'trade'"):
        parse_people(THREE, "p.csv").column("trad")


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path: Path) -> None:
    picture = tmp_path / "p.csv"
    picture.write_bytes(b"\x89PNG\xff")
    with pytest.raises(FileError, match="is no CSV: it is no text in UTF-8"):
        read_people(picture)
    with pytest.raises(FileError, match=r"cannot read .*none\.csv"):
        read_people(tmp_path / "none.csv")
    with pytest.raises(FileError, match="has 5 bytes, and at most 4 are read here"):
        read_people(picture, largest=4)


def test_what_is_written_is_read_again_and_nothing_is_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "new" / "p.csv"
    write_people(file, ("age", "trade"), [("41", 'a "so-called" smith, retired')])
    assert read_people(file).cells == (("41", 'a "so-called" smith, retired'),)
    with pytest.raises(FileError, match="exists already"):
        write_people(file, ("age",), [("1",)])
    write_people(file, ("age",), [("1",)], overwrite=True)
    assert file.read_text() == "age\n1\n"


def test_a_kept_text_stands_for_a_file(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text("age\n1\n")
    with kept_tables({str(file): "age\n2\n"}):
        assert read_people(file).column("age") == ["2"]
    assert read_people(file).column("age") == ["1"]


@pytest.mark.parametrize("file", sorted(TABLES.glob("*.csv")), ids=lambda file: file.stem)
def test_our_examples_can_be_read(file: Path) -> None:
    people = read_people(file)
    assert len(people) >= 16
    assert people.weights(people.columns[-1]).min() > 0
