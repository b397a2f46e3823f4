"""Genes: what the first have, what children have, how often they mutate, and what genes do."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pydantic import ValidationError

from society.components.common.genes import ModelGene
from society.components.language.attitude import ATTITUDES, Attitude
from society.components.language.llm_policy import LanguagePolicy
from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Real
from society.engine.component import Component
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.parameters import parameters_of
from society.engine.population import Cohort
from society.engine.script import HERITABLE, Ask, Inherit, Script

if TYPE_CHECKING:
    from tests.components.conftest import Talking
    from tests.conftest import Play


def waiting(env: Environment) -> Script:
    return
    yield


def all_from_the_first(env: Environment) -> Script:
    """Everybody but the first is its child."""
    child = np.broadcast_to(env.ids != 0, env.present.shape)
    yield Inherit("born", np.where(child, 0, NOBODY), HERITABLE, child)


def models(play: Play, script: Any, *parts: Component, **at: Any) -> list[str]:
    return play(script, *parts, **at).column("model_gene")


@pytest.mark.parametrize(("agents", "most"), [(12, 4), (13, 5), (2, 1), (1, 1)])
def test_the_first_alleles_are_dealt_out_in_equal_shares(
    play: Play, agents: int, most: int
) -> None:
    """In each replicate; what is left over goes to different ones."""
    over = play(waiting, Attitude(), agents=agents, replicates=50)
    shares = [np.bincount(row, minlength=3) for row in over.pages[-1].public["attitude"]]
    assert all(share.max() == most and share.min() == agents // 3 for share in shares)


def test_each_agent_has_each_of_the_first_alleles_equally_often(play: Play) -> None:
    """In 3,000 replicates 1,000 times: s.d. 25.8."""
    attitudes = play(waiting, Attitude(), replicates=3_000).pages[-1].public["attitude"]
    counts = [np.bincount(column).tolist() for column in attitudes.T]
    assert counts == [pytest.approx([1_000] * 3, abs=4 * 25.8)] * 3


def test_a_cohort_has_equal_shares_whoever_is_before_it(play: Play) -> None:
    gene = ModelGene(("small", "large"))
    cast = [Cohort("plain", 6, ()), Cohort("bearers", 8, (gene,))]
    over = play(waiting, cast=cast, agents=14)
    assert over.column("model_gene").count("small") == 4


def test_two_genes_are_dealt_out_independently(play: Play) -> None:
    """Two who draw together make one (0, small) and one (1, large), or the other two: s.d. 22.4."""
    alleles: Any = ("cooperative", "selfish")
    over = play(waiting, Attitude(alleles), ModelGene(("small", "large")), agents=4_000)
    table = Counter(zip(over.column("attitude"), over.column("model_gene"), strict=True))
    assert len(table) == 4
    assert list(table.values()) == pytest.approx([1_000] * 4, abs=4 * 22.4)


def test_or_they_are_drawn_by_chance(play: Play) -> None:
    drawn = models(play, waiting, ModelGene(("small", "large"), first="chance"), agents=2_000)
    assert drawn.count("small") == pytest.approx(1_000, abs=4 * 22.4)


def test_children_have_their_parents_allele(play: Play) -> None:
    children = models(play, all_from_the_first, ModelGene(("small", "large")), agents=4)
    assert children in (["small"] * 4, ["large"] * 4)


@pytest.mark.parametrize(("mutation", "others"), [(0.0, 0.0), (0.3, 0.2), (1.0, 2 / 3)])
def test_a_mutation_draws_anew_from_all_alleles(play: Play, mutation: float, others: float) -> None:
    """Of three alleles it is another one than the parent's in two cases of three."""
    over = play(all_from_the_first, Attitude(mutation=mutation), agents=3_001)
    attitudes = np.array(over.column("attitude"))
    change = (attitudes[1:] - attitudes[0]) % 3
    assert (change != 0).mean() == pytest.approx(others, abs=4 * 0.0091)
    assert (change == 1).mean() == pytest.approx(others / 2, abs=4 * 0.0086)


def test_survivors_do_not_mutate(play: Play) -> None:
    """The first has no parent."""
    begun, over = (
        play(script, Attitude(mutation=1), replicates=200)
        for script in (waiting, all_from_the_first)
    )
    before, after = (one.pages[-1].public["attitude"][:, 0] for one in (begun, over))
    assert (before == after).all()


def test_there_may_be_fewer_attitudes_but_not_none(play: Play) -> None:
    over = play(waiting, Attitude(alleles=("neutral", "selfish")), agents=4)
    names = [ATTITUDES[number] for number in over.column("attitude")]
    assert sorted(names) == ["neutral", "neutral", "selfish", "selfish"]
    for part in (Attitude, ModelGene):
        with pytest.raises(ValidationError, match="at least 1"):
            parameters_of(part)(alleles=())


def asking(env: Environment) -> Script:
    yield Ask("give", Real(0, 1), fallback=0.0)


def test_each_agent_asks_the_model_of_its_gene(talk: Talking) -> None:
    talked = talk(asking, ModelGene(("small", "large")), LanguagePolicy(), says="0.5")
    genes = talked.over.column("model_gene")
    assert set(genes) == {"small", "large"}
    assert [request.model for request in talked.requests] == genes


def test_an_attitude_is_said_before_every_question_unless_it_is_neutral(talk: Talking) -> None:
    talked = talk(asking, Attitude(), LanguagePolicy(), says="0.5")
    by_attitude = np.argsort(talked.over.column("attitude"))
    generous, selfish, neutral = (talked.prompts[seat] for seat in by_attitude)
    assert "You want everybody here to do well" in generous
    assert "You want to do as well as you can yourself" in selfish
    assert "You want" not in neutral


def test_the_models_of_a_gene_are_among_those_that_a_run_asks() -> None:
    setup = build(load_config("donor_language_genes"))
    assert setup.models_named == {"first", "second"}
