# Strategies that remember, compare or draw. They play any of the three dilemmas.


class GrimMajority:
    """Cooperates until most of the others have defected in one round."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        few = 2 * history.opponent_cooperators < self.others
        return D if few.any() else C


class Forgiving:
    """Cooperates if the others did in most of the last three rounds, or one time in ten."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        recent = history.opponent_cooperators[-3:]
        if 2 * recent.mean() >= self.others:
            return C
        return C if random.random() < 0.1 else D


class KeepsItsSide:
    """Cooperates as long as it has not defected more often than it was let down."""

    def __init__(self, game):
        self.half = (game.n_players - 1) / 2

    def act(self, history):
        let_down = (history.opponent_cooperators < self.half).sum()
        return D if let_down > (~history.my_actions).sum() else C


class NeededHands:
    """Cooperates if its part could be missing: where a threshold is near, or the stock is low."""

    def __init__(self, game):
        self.needed = game.m if game.m is not None else game.n_players // 2
        self.capacity = game.capacity

    def act(self, history):
        if history.stock is not None:
            return C if history.stock[-1] < 0.95 * self.capacity else D
        if history.round_number == 0:
            return C
        return C if history.opponent_cooperators[-1] >= self.needed - 1 else D


class Undercuts:
    """Defects if somebody earned more than it did, or if nothing is to be lost."""

    def __init__(self, game):
        pass

    def act(self, history):
        if history.round_number == 0:
            return D
        best = history.opponent_payoffs[-1].max()
        return D if best >= history.my_payoffs[-1] else C


class Testing:
    """Defects in two rounds, and cooperates after them if the others have gone on to."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number < 2:
            return D
        return C if history.opponent_cooperators[-1] == self.others else D


class CoinOfGreed:
    """Cooperates one time in four, and never in the second half of the game."""

    def __init__(self, game):
        self.half = game.n_rounds / 2

    def act(self, history):
        if history.round_number >= self.half:
            return D
        return C if random.random() < 0.25 else D


class MilksTrust:
    """Cooperates until most of the others do in two rounds, and defects from there."""

    def __init__(self, game):
        self.half = (game.n_players - 1) / 2

    def act(self, history):
        trusted = (history.opponent_cooperators > self.half).sum()
        return D if trusted >= 2 else C
