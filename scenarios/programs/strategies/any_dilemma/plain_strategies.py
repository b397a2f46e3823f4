# Strategies that look no further than the last round. They play any of the three dilemmas.


class AlwaysCooperates:
    def __init__(self, game):
        pass

    def act(self, history):
        return C


class MajorityRule:
    """Cooperates if at least half of the others did."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if 2 * history.opponent_cooperators[-1] >= self.others else D


class SteadyCompany:
    """Cooperates as long as anybody else does."""

    def __init__(self, game):
        pass

    def act(self, history):
        if history.round_number == 0 or history.opponent_cooperators[-1] > 0:
            return C
        return D


class LateGreed:
    """Cooperates until the last round."""

    def __init__(self, game):
        self.last = game.n_rounds - 1

    def act(self, history):
        return D if history.round_number == self.last else C


class AlwaysDefects:
    def __init__(self, game):
        pass

    def act(self, history):
        return D


class OneTest:
    """Cooperates once, and goes on only if everybody else did as well."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if history.opponent_cooperators[0] == self.others else D


class LurksFirst:
    """Defects at first, then cooperates if all the others do, but for the last three rounds."""

    def __init__(self, game):
        self.others, self.rounds = game.n_players - 1, game.n_rounds

    def act(self, history):
        if history.round_number == 0 or history.round_number >= self.rounds - 3:
            return D
        return C if history.opponent_cooperators[-1] == self.others else D


class RareGift:
    """Defects, but for every fifth round."""

    def __init__(self, game):
        pass

    def act(self, history):
        return C if history.round_number % 5 == 4 else D
