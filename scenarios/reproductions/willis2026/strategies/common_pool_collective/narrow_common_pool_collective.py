class PoolMajority:
    """Cooperates if half of the others did last."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < self.others / 2:
            return D
        return C


class PoolStrict:
    """Cooperates if three quarters of the others did last."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < 0.75 * self.others:
            return D
        return C


class PoolGrim:
    """Cooperates until fewer than half of the others have."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number and np.min(history.opponent_cooperators) < self.others / 2:
            return D
        return C


class PoolClosing:
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


class PoolGuards:
    """Takes little until the stock is below a fifth, where nothing is left to spare."""

    def __init__(self, game):
        self.low = 0.2 * game.capacity

    def act(self, history):
        return C if history.stock[-1] >= self.low else D


class PoolLate:
    """Waits a round, and then cooperates if half of the others did."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return D
        return C if history.opponent_cooperators[-1] >= self.others / 2 else D


class PoolForgiving:
    """Defects for two rounds after fewer than half of the others cooperated."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.min(history.opponent_cooperators[-2:]) >= self.others / 2 else D


class PoolAveraging:
    """Cooperates if half of the others did, on average over five rounds."""

    def __init__(self, game):
        self.others = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if np.mean(history.opponent_cooperators[-5:]) >= self.others / 2 else D
