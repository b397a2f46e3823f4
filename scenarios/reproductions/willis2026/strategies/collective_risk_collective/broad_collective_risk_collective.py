class RiskSteadfast:
    """Cooperates always."""

    def act(self, history):
        return C


class RiskHopeful:
    """Cooperates unless no other did last."""

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] == 0:
            return D
        return C


class RiskQuarter:
    """Cooperates if a quarter of the others did last."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < self.others / 4:
            return D
        return C


class RiskThird:
    """Cooperates if a third of the others did, on average over three rounds."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.mean(history.opponent_cooperators[-3:]) >= self.others / 3 else D


class RiskPatient:
    """Cooperates until no other has done so for three rounds."""

    def act(self, history):
        if history.round_number >= 3 and np.sum(history.opponent_cooperators[-3:]) == 0:
            return D
        return C


class RiskTurns:
    """Contributes in even rounds, and else if the threshold was missed."""

    def __init__(self, game):
        self.needed = game.m

    def act(self, history):
        if history.round_number % 2 == 0:
            return C
        return C if history.opponent_cooperators[-1] + history.my_actions[-1] < self.needed else D


class RiskMatching:
    """Cooperates as often as the others did last, and once in five at least."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if random.random() < max(0.2, history.opponent_cooperators[-1] / self.others) else D


class RiskHalfway:
    """Cooperates if half of the others did over the whole game."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.mean(history.opponent_cooperators) >= self.others / 2 else D
