"""Minds whose answers hang on the words of a question, and an experiment that an audit plays."""

SCENARIO = """
from random import Random
import numpy as np
from society import Ask, Choice, Cohort, Measure, Params, Tell, common, own, scenario
from society.components.language.llm_policy import LanguagePolicy

class Gifts(Params):
    bonus: float = 0.0

def minds(params, count):
    return [Cohort("giver", count, (LanguagePolicy(),))]

GIVEN = Measure("given", "share of players", lambda told, env: told["gave"].mean(1))

@scenario(params=Gifts, cast=minds, measures=(GIVEN,), agents=4, rounds=1)
def gifts(env):
    bonus = np.full((env.replicates, 1), env.params.bonus)
    for _ in env.rounds():
        given = yield Ask("give", Choice("B0", "B1"), {"bonus": common(bonus)})
        yield Tell("gave", {"gave": own(given)})

def mind(is_usual):
    def make():
        async def answer(asked):
            words = asked.messages[-1].content
            rewarded = asked.facts["bonus"] > 0 and is_usual(words)
            return "B1" if Random(asked.seed).random() < 0.2 + 0.6 * rewarded else "B0"
        return answer
    return make

reads_order = mind(lambda words: words.rpartition("one of these: ")[2][1] == "0")
reads_labels = mind(lambda words: "B1" in words)
reads_names = mind(lambda words: "You are agent" in words)
reads_opening = mind(lambda words: not words.startswith("Read what follows"))
reads_nothing = mind(lambda words: True)
"""
EXPERIMENT = """
base: gifts.py
replicates: 8
option_order: fixed
models: {{default: gifts.py:{mind}}}
factors:
  bonus: [0, 2]
"""
