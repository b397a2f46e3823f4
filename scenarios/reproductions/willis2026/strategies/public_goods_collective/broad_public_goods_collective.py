class GoodsSteadfast:
    """Cooperates always."""

    def act(self, history):
        return C


class GoodsHopeful:
    """Cooperates unless no other did last."""

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] == 0:
            return D
        return C


class GoodsQuarter:
    """Cooperates if a quarter of the others did last."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < self.others / 4:
            return D
        return C


class GoodsThird:
    """Cooperates if a third of the others did, on average over three rounds."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.mean(history.opponent_cooperators[-3:]) >= self.others / 3 else D


class GoodsPatient:
    """Cooperates until no other has done so for three rounds."""

    def act(self, history):
        if history.round_number >= 3 and np.sum(history.opponent_cooperators[-3:]) == 0:
            return D
        return C


class GoodsInviting:
    """Cooperates in every third round, and else if any other did last."""

    def act(self, history):
        if history.round_number % 3 == 0:
            return C
        return C if history.opponent_cooperators[-1] > 0 else D


class GoodsMatching:
    """Cooperates as often as the others did last, and once in five at least."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if random.random() < max(0.2, history.opponent_cooperators[-1] / self.others) else D


class GoodsHalfway:
    """Cooperates if half of the others did over the whole game."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.mean(history.opponent_cooperators) >= self.others / 2 else D
