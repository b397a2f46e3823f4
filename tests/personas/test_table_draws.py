"""People drawn from a table: the same ones for the same seed, by weight, in strata."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from society.errors import InputError
from society.personas.people import PeopleTable, parse_people
from society.personas.table_draws import TableDraw, draw_people, largest_remainders, weighted_rows


def table(*rows: str) -> PeopleTable:
    return parse_people("name,sex,place,w\n" + "\n".join(rows) + "\n", "p.csv")


# 60 in town and 40 in the country; half women in each.
HUNDRED = table(
    *(
        f"p{k},{'woman' if k % 2 else 'man'},{'town' if k < 60 else 'country'},{1 + k % 3}"
        for k in range(100)
    )
)


def drawn(draw: TableDraw, seed: int = 1, people: PeopleTable = HUNDRED) -> list[str]:
    return [people.cells[row][0] for row in draw_people(people, draw, seed)]


def counted(draw: TableDraw) -> dict[tuple[str, ...], int]:
    rows = draw_people(HUNDRED, draw, seed=1)
    return dict(Counter(HUNDRED.cells[row][1:3] for row in rows))


@pytest.mark.parametrize("replacement", [False, True])
def test_the_same_seed_gives_the_same_people_and_fewer_are_the_first_of_more(
    replacement: bool,
) -> None:
    twenty = drawn(TableDraw(20, "w", replacement))
    assert twenty == drawn(TableDraw(20, "w", replacement))
    assert twenty[:7] == drawn(TableDraw(7, "w", replacement))
    assert twenty != drawn(TableDraw(20, "w", replacement), seed=2)


def test_without_replacement_nobody_is_drawn_twice() -> None:
    assert sorted(drawn(TableDraw(100))) == sorted(row[0] for row in HUNDRED.cells)


def test_more_people_than_there_are_need_replacement() -> None:
    words = "p.csv, line 101: 101 people are asked for, and the table has 100; ask for fewer"
    with pytest.raises(InputError, match=words):
        drawn(TableDraw(101))
    assert len(drawn(TableDraw(101, replacement=True))) == 101
    with pytest.raises(InputError, match="the table has 1 whose weight is above 0"):
        drawn(TableDraw(2, "w"), people=table("a,x,y,0", "b,x,y,1"))


def test_the_first_one_is_drawn_by_weight() -> None:
    """Weights 1 and 3, 400 seeds: 300 expected, standard deviation 8.7."""
    people = table("light,x,y,1", "heavy,x,y,3")
    for replacement in (False, True):
        firsts = [drawn(TableDraw(1, "w", replacement), seed, people)[0] for seed in range(400)]
        assert firsts.count("heavy") == pytest.approx(300, abs=35)


def test_the_second_one_is_drawn_by_weight_among_those_that_are_left() -> None:
    """Weights 1, 2, 3: (3, 2, 1) has the chance 3/6 * 2/3 = 1/3. Of 600: 200, deviation 11.5."""
    people = table("a,x,y,1", "b,x,y,2", "c,x,y,3")
    orders = [drawn(TableDraw(3, "w"), seed, people) for seed in range(600)]
    assert orders.count(["c", "b", "a"]) == pytest.approx(200, abs=46)


def test_the_last_place_below_1_is_the_last_person_with_a_weight() -> None:
    lots, weights = np.array([0, 0.24, 0.26, np.nextafter(1, 0)]), np.array([1.0, 0, 3, 0])
    assert weighted_rows(lots, weights).tolist() == [0, 0, 2, 2]


def test_strata_have_their_shares_as_whole_numbers() -> None:
    """Of 10 people 6 live in town; half of each are women."""
    found = counted(TableDraw(10, strata=("sex", "place")))
    assert found == {
        ("man", "town"): 3,
        ("woman", "town"): 3,
        ("man", "country"): 2,
        ("woman", "country"): 2,
    }


def test_strata_take_turns() -> None:
    """So that the first half of the seats is as mixed as the second."""
    rows = draw_people(HUNDRED, TableDraw(40, strata=("place",)), seed=3)
    in_town = [HUNDRED.cells[row][2] == "town" for row in rows]
    assert sum(in_town) == 24
    assert abs(sum(in_town[:20]) - 12) <= 1


def test_strata_are_weighed_if_people_are() -> None:
    people = table("a,man,x,1", "b,man,x,1", "c,woman,x,3", "d,woman,x,3", "e,woman,x,0")
    rows = draw_people(people, TableDraw(8, "w", True, ("sex",)), seed=1)
    assert Counter(people.cells[row][1] for row in rows) == {"man": 2, "woman": 6}
    assert "e" not in {people.cells[row][0] for row in rows}


def test_quotas_say_how_many_there_are_and_of_others_there_are_none() -> None:
    quotas: dict[tuple[str, ...], int] = {("man", "town"): 4, ("woman", "country"): 1}
    assert counted(TableDraw(5, strata=("sex", "place"), quotas=quotas)) == quotas


def test_quotas_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="the quotas add up to 4, and 5 people are asked for"):
        counted(TableDraw(5, strata=("sex",), quotas={("man",): 4}))
    with pytest.raises(InputError, match="nobody has sex 'men'; did you mean 'man'"):
        counted(TableDraw(4, strata=("sex",), quotas={("men",): 4}))
    with pytest.raises(InputError, match="51 people with sex 'man' are asked for"):
        counted(TableDraw(51, strata=("sex",), quotas={("man",): 51}))
    with pytest.raises(InputError, match=r"nobody has 1 values \(man\) for 2 columns"):
        counted(TableDraw(4, strata=("sex", "place"), quotas={("man",): 4}))


def test_largest_remainders_add_up() -> None:
    assert largest_remainders([1, 1, 1], 10) == [4, 3, 3]
    assert largest_remainders([2, 0, 1], 3) == [2, 0, 1]
