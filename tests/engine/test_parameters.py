"""What a user gives is typed, or refused with the whole legal range in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from society.engine.parameters import ValidationIssues, parameters_of, validate


class Jetty(BaseModel, extra="forbid"):
    length: float = 1


class Pond(BaseModel, extra="forbid"):
    depth: Annotated[float, Field(gt=0)] = 1
    fish: Annotated[int, Field(ge=0, le=9)] = 0
    until: Annotated[int, Field(ge=1)] | None = None
    weather: Literal["dry", "none"] = "dry"
    frozen: bool = False
    pair: tuple[float, float] = (0, 1)
    share: Annotated[float, Field(ge=0, lt=1)] = 0
    even: Annotated[int, Field(multiple_of=2)] = 2
    name: str = ""
    jetty: Jetty | None = None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"depth": 0}, "depth: got 0; expected a number above 0"),
        ({"fish": "many"}, "fish: got 'many'; expected a whole number from 0 to 9"),
        ({"fish": 1.5}, "fish: got 1.5; expected a whole number from 0 to 9"),
        ({"fish": True}, "fish: got true; expected a whole number from 0 to 9"),
        ({"until": 0}, "until: got 0; expected a whole number of at least 1 or none"),
        ({"weather": "wet"}, "weather: got 'wet'; expected one of dry, none"),
        ({"frozen": "maybe"}, "frozen: got 'maybe'; expected true or false"),
        ({"pair": [1, 2, 3]}, "pair: got [1, 2, 3]; expected a list of 2"),
        ({"pair": [1, "x"]}, "pair[1]: got 'x'; expected a number"),
        ({"share": 1}, "share: got 1; expected a number of at least 0 and below 1"),
        ({"even": 3}, "even: got 3; expected a whole number divisible by 2"),
        ({"name": None}, "name: got nothing; expected text"),
        ({"dephts": 1}, "dephts: there is no parameter 'dephts'; did you mean 'depth'?"),
        ({"jetty": {"lenght": 2}}, "jetty.lenght: there is no parameter 'lenght'; did you mean"),
        ({"depth": -1, "fish": 10}, "expected a number above 0; fish: got 10"),
    ],
)
def test_a_refusal_names_the_legal_range_whatever_was_wrong(
    given: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationIssues) as refused:
        validate(Pond, given)
    assert words in str(refused.value)


def test_the_word_none_says_nothing_where_nothing_may_stand() -> None:
    assert validate(Pond, {"until": "none"}).until is None
    assert validate(Pond, {"weather": "none"}).weather == "none"


def test_long_values_are_shown_shortened() -> None:
    with pytest.raises(ValidationIssues) as refused:
        validate(Pond, {"fish": "x" * 1000})
    assert len(str(refused.value)) < 150


@dataclass(frozen=True)
class Angler:
    patience: float
    baits: tuple[str, ...] = field(default_factory=lambda: ("worm",))


class Ghost:
    name = "ghost"


def stocked(play: Any, *, fish: Annotated[int, Field(ge=1)], kind: str = "carp") -> None:
    """A function with one positional and two named parameters."""


@pytest.mark.parametrize(
    ("part", "given", "typed"),
    [
        (Angler, {"patience": 2}, {"patience": 2.0, "baits": ("worm",)}),
        (Angler, {"patience": 2, "baits": ["fly"]}, {"patience": 2.0, "baits": ("fly",)}),
        (stocked, {"fish": 3}, {"fish": 3, "kind": "carp"}),
        (Ghost, {}, {}),
    ],
)
def test_parts_take_fields_and_named_parameters(
    part: Callable[..., Any], given: dict[str, Any], typed: dict[str, Any]
) -> None:
    assert dict(validate(parameters_of(part), given)) == typed


def test_a_type_that_is_not_imported_is_named() -> None:
    @dataclass(frozen=True)
    class Diver:
        depth: Fathoms  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(
        ValidationIssues, match="a type in Diver cannot be read: name 'Fathoms' is not"
    ):
        parameters_of(Diver)


@pytest.mark.parametrize(
    ("part", "given", "words"),
    [
        (Angler, {}, "patience: is missing; expected a number"),
        (stocked, {"fish": 0}, "fish: got 0; expected a whole number of at least 1"),
        (stocked, {"fish": 1, "play": 3}, "there is no parameter 'play'"),
        (Ghost, {"name": "x"}, "there is no parameter 'name'; there is none"),
    ],
)
def test_parts_refuse_what_they_do_not_take(
    part: Callable[..., Any], given: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationIssues) as refused:
        validate(parameters_of(part), given)
    assert words in str(refused.value)
