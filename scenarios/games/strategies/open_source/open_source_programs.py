# Programs for a game of two in which sources are open.


class CooperateBot:
    def act(self, history):
        return C


class DefectBot:
    def act(self, history):
        return D


class CliqueBot:
    """Cooperates with those whose text is its own, letter by letter."""

    def __init__(self, game):
        self.alike = all(text == game.my_source for text in game.opponent_sources)

    def act(self, history):
        return C if self.alike else D


class FairBot:
    """Does what the other would do against it; but in one of ten cases it cooperates at once.

    Without these cases two of them would simulate each other for ever.
    """

    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]

    def act(self, history):
        if random.random() < 0.1:
            return C
        return simulate(self.theirs, self.mine).moves[0]


class Opportunist:
    """Defects if the other would cooperate anyway; else it tries to win the other over."""

    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]

    def act(self, history):
        if random.random() < 0.1:
            return C
        return simulate(self.theirs, self.mine).moves[0].flip
