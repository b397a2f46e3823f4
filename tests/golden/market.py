"""A scene as a user writes one, without a template."""

from society import Cohort, DisplaySpec, Environment, Params, Script, scenario
from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.scenarios.scenes.consequences import Clock, Inventory, Places
from society.scenarios.scenes.scene import OVERRULED, RELATIONS, Scene, scene_facts

PURSE = Inventory(("coins", "apples"), start={"coins": 5}, stock={"apples": 9})
TOWN = Places(("the market", "the church"))
DAY = Clock(most=120)
SHOWN = DisplaySpec(
    columns=("coins", "apples", "place"),
    quotes={"act": "does"},
    noun="person",
    nouns={"referee": "referee"},
)


def company(params: Params, count: int) -> list[Cohort]:
    person = (Recall(), LanguagePolicy())
    return [Cohort("person", count - 1, person), Cohort("referee", 1, (LanguagePolicy(),))]


@scenario(
    cast=company,
    agents=3,
    rounds=4,
    relations=RELATIONS,
    measures=(OVERRULED,),
    facts=scene_facts(PURSE, TOWN, DAY),
    display=SHOWN,
)
def market(env: Environment) -> Script:
    """People spend a day between the market and the church."""
    scene = Scene(env, PURSE, TOWN, DAY, premise="It is market day, and you are hungry.")
    yield from scene.open()
    for _ in env.rounds():
        yield from scene.turn("What do you do?", order="fixed")
