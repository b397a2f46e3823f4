class Steward:
    """Takes one share while the stock is below nine tenths of what it can hold, else two."""

    def __init__(self, game):
        self.full = 0.9 * game.capacity

    def act(self, history):
        return D if history.stock[-1] > self.full and history.round_number % 4 == 3 else C


class Harvester:
    """Takes two shares as long as the stock has grown, and one to let it recover."""

    def act(self, history):
        if history.round_number == 0:
            return C
        return D if history.stock[-1] >= history.stock[-2] else C


class Mirror:
    """Does what most of the others did last time, and ends greedily."""

    def __init__(self, game):
        self.others = game.n_players - 1
        self.end = game.n_rounds - 2

    def act(self, history):
        if history.round_number > self.end:
            return D
        if history.round_number == 0:
            return C
        return C if 2 * history.opponent_actions[-1].sum() >= self.others else D


class Envious:
    """Takes two shares if somebody got more than itself last time."""

    def act(self, history):
        if history.round_number == 0:
            return C
        return D if history.opponent_payoffs[-1].max() > history.my_payoffs[-1] else C
