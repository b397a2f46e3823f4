class RiskMajority:
    """Cooperates if half of the others did last."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < self.others / 2:
            return D
        return C


class RiskStrict:
    """Cooperates if three quarters of the others did last."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < 0.75 * self.others:
            return D
        return C


class RiskGrim:
    """Cooperates until fewer than half of the others have."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and np.min(history.opponent_cooperators) < self.others / 2:
            return D
        return C


class RiskClosing:
    """Cooperates with half of the others, but never in the last round."""

    def __init__(self, game):
        self.others = game.n_players - 1
        self.last = game.n_rounds - 1

    def act(self, history):
        if history.round_number == self.last:
            return D
        if history.round_number and history.opponent_cooperators[-1] < self.others / 2:
            return D
        return C


class RiskNeeded:
    """Contributes where its contribution can be missing."""

    def __init__(self, game):
        self.needed = game.m

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if self.needed - 2 <= history.opponent_cooperators[-1] <= self.needed else D


class RiskLate:
    """Waits a round, and then cooperates if half of the others did."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return D
        return C if history.opponent_cooperators[-1] >= self.others / 2 else D


class RiskForgiving:
    """Defects for two rounds after fewer than half of the others cooperated."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.min(history.opponent_cooperators[-2:]) >= self.others / 2 else D


class RiskAveraging:
    """Cooperates if half of the others did, on average over five rounds."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.mean(history.opponent_cooperators[-5:]) >= self.others / 2 else D
