class Majority:
    """Contributes at first, then if at least half of the others did last time."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if 2 * history.opponent_cooperators[-1] >= self.others else D


class LastRound:
    """Contributes, but never in the last round, nor once most others have stopped."""

    def __init__(self, game):
        self.last = game.n_rounds - 1
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number >= self.last:
            return D
        if history.round_number and history.opponent_cooperators[-1] < self.others / 2:
            return D
        return C


class Matcher:
    """Contributes with the frequency with which the others did so far."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if random.random() < history.opponent_cooperators.mean() / self.others else D


class Patient:
    """Contributes until the others gave less than half in three rounds; then never again."""

    def __init__(self, game):
        self.others = game.n_players - 1
        self.bad_rounds = 0

    def act(self, history):
        if history.round_number and 2 * history.opponent_cooperators[-1] < self.others:
            self.bad_rounds += 1
        return D if self.bad_rounds >= 3 else C
