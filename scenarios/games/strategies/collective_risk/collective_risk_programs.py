class FillsTheGap:
    """Contributes if its own contribution was the one that was missing, or would be missed."""

    def __init__(self, game):
        self.needed = game.m - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if history.opponent_cooperators[-1] == self.needed else D


class TakesTurns:
    """Contributes in turn, from a place in the rota that chance decides."""

    def __init__(self, game):
        self.share = game.m / game.n_players
        self.start = random.random()

    def act(self, history):
        turn = (self.start + history.round_number * self.share) % 1
        return C if turn < self.share else D


class Hopeful:
    """Contributes while the threshold was met in most of the last four rounds."""

    def __init__(self, game):
        self.threshold = game.m

    def act(self, history):
        if history.round_number < 2:
            return C
        together = history.my_actions[-4:] + history.opponent_cooperators[-4:]
        return C if np.mean(together >= self.threshold) >= 0.5 else D


class FreeRider:
    """Contributes only if nobody has been paid for three rounds."""

    def __init__(self, game):
        self.k = game.k

    def act(self, history):
        paid = history.my_payoffs[-3:]
        return C if len(paid) == 3 and paid.max() < self.k else D
