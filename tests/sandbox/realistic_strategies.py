"""Forty strategies as language models write them, none of which there is a reason to refuse.

Each is the body of the method that decides, by interface; `self` has game, n, rounds and seen.
"""

from __future__ import annotations

COUNTS = (
    """
    r = history.round_number
    if r == 0:
        return C
    return C if history.opponent_cooperators[-1] >= self.n // 2 else D
    """,
    """
    if len(history.my_actions) == 0:
        return Action.C
    rate = np.mean(history.opponent_cooperators) / max(1, self.n - 1)
    return Action.C if rate > 0.5 else Action.D
    """,
    """
    recent = history.opponent_cooperators[-3:]
    if recent.size == 0:
        return C
    weights = np.arange(1, recent.size + 1)
    score = np.dot(recent, weights) / weights.sum()
    return C if score >= (self.n - 1) * 0.6 else D
    """,
    """
    if history.round_number >= self.rounds - 1:
        return D
    trend = np.diff(history.opponent_cooperators)
    return C if trend.sum() >= 0 else D
    """,
    """
    try:
        last = int(history.opponent_cooperators[-1])
    except IndexError:
        last = self.n - 1
    return C if last > 0 else D
    """,
    """
    counts = list(history.opponent_cooperators)
    if not counts:
        return C
    best = max(set(counts), key=counts.count)
    return C if best >= 2 else D
    """,
    """
    streak = 0
    for count in reversed(history.opponent_cooperators):
        if count < self.n - 1:
            break
        streak += 1
    return C if streak > 1 or history.round_number < 2 else D
    """,
    """
    total = sum(history.my_payoffs)
    average = total / len(history.my_payoffs) if len(history.my_payoffs) else 1.0
    return C if average >= 0.9 else D
    """,
    """
    self.mood = getattr(self, 'mood', 0.5)
    if history.round_number:
        self.mood = 0.8 * self.mood + 0.2 * history.opponent_cooperators[-1] / (self.n - 1)
    return C if self.mood >= 0.5 else D
    """,
    """
    if random.random() < 0.05:
        return D
    return C if history.round_number == 0 or history.opponent_cooperators[-1] else D
    """,
    """
    rng = np.random.default_rng(42)
    return C if rng.random() < 0.7 else D
    """,
    """
    score = {C: 0, D: 0}
    for mine, paid in zip(history.my_actions, history.my_payoffs):
        score[C if mine else D] += float(paid)
    return C if score[C] >= score[D] else D
    """,
    """
    window = min(5, history.round_number)
    if window == 0:
        return C
    recent = [int(c) for c in history.opponent_cooperators[-window:]]
    return C if sum(recent) / window > 1.5 else D
    """,
    """
    phase = 'early' if history.round_number < self.rounds // 3 else 'late'
    table = {'early': C, 'late': D}
    return table[phase]
    """,
    """
    x = history.opponent_cooperators.astype(float)
    x = x / (self.n - 1)
    if x.size < 2:
        return C
    return C if x.mean() - x.std() > 0.2 else D
    """,
    """
    a = np.where(history.opponent_cooperators >= 2, 1, 0)
    return C if a.sum() * 2 >= a.size else D
    """,
)

FULL = (
    """
    if history is None:
        return C
    return C if history.opponent_actions[-1].sum() >= 2 else D
    """,
    """
    if history is None or state.round_number == 0:
        return C
    rates = history.opponent_actions.mean(axis=0)
    return C if np.any(rates > 0.5) else D
    """,
    """
    if history is None:
        return C
    defections = (~history.opponent_actions).sum(axis=0)
    return D if np.max(defections) > 3 else C
    """,
    """
    if history is None:
        return C
    last = history.opponent_actions[-1, :]
    mask = last == True
    return C if mask.all() else D
    """,
    """
    if not history:
        return C
    best = np.argmax(history.opponent_payoffs.sum(axis=0))
    return C if history.opponent_actions[-1][best] else D
    """,
    """
    if history is None:
        return C
    counts = np.sum(history.opponent_actions, axis=1)
    return C if np.median(counts[-4:]) >= 1.5 else D
    """,
    """
    if history is None:
        return C
    mine = np.sum(history.my_payoffs)
    theirs = np.mean(np.sum(history.opponent_payoffs, axis=0))
    return C if mine >= theirs else D
    """,
    """
    if history is None:
        return C
    same = np.equal(history.opponent_actions, history.my_actions[:, np.newaxis])
    return C if same.mean() > 0.5 else D
    """,
    """
    if history is None:
        return C
    for row in history.opponent_actions[::-1]:
        if not any(row):
            return D
    return C
    """,
    """
    if history is None:
        return C
    paid = history.my_payoffs
    safe = np.divide(paid, paid.max(), out=np.zeros_like(paid), where=paid > 0)
    return C if safe[-1] >= 0.5 else D
    """,
    """
    if history is None:
        return C
    n = history.opponent_actions.shape[1]
    last = history.opponent_actions[-1]
    return C if sum(1 for i in range(n) if last[i]) * 2 > n else D
    """,
    """
    if history is None:
        return C
    moves = history.opponent_actions
    reputation = [float(np.mean(moves[:, j])) for j in range(moves.shape[1])]
    return C if sorted(reputation)[0] > 0.3 else D
    """,
)

SOCIETY = (
    """
    if history.round_number == 0:
        return C
    return C if history.opponent_cooperators[-1] >= (self.game.n_players - 1) / 2 else D
    """,
    """
    if self.game.name == 'common_pool' and history.stock[-1] < self.game.capacity / 2:
        return C
    return D if history.round_number % 4 == 3 else C
    """,
    """
    m = self.game.m if self.game.m is not None else self.game.n_players // 2
    if history.round_number == 0:
        return C
    others = int(history.opponent_cooperators[-1])
    return C if others == m - 1 else D
    """,
    """
    if history.round_number == self.game.n_rounds - 1:
        return D
    if history.round_number < 2:
        return C
    a, b = history.opponent_cooperators[-2:]
    return C if b >= a else D
    """,
    """
    self.seen.append(history.round_number)
    if len(self.seen) > 3:
        self.seen.pop(0)
    return C if sum(self.seen) % 2 == 0 else D
    """,
    """
    last = history.my_actions[-1] if history.my_actions.size else True
    paid = history.my_payoffs[-1] if history.my_payoffs.size else 1.0
    return (C if last else D) if paid >= 1 else (D if last else C)
    """,
    """
    message = f'round {history.round_number}: {len(self.seen)} seen'
    print(message)
    return C
    """,
    """
    k = self.game.k or 2.0
    value = k / self.game.n_players
    return C if value >= 0.5 or history.round_number % 2 == 0 else D
    """,
    """
    exploiters = np.count_nonzero(history.opponent_actions.sum(axis=0) == 0)
    return D if exploiters > 1 else C
    """,
    """
    pattern = [C, C, D]
    return pattern[history.round_number % len(pattern)]
    """,
    """
    if history.round_number in (0, 1, 2):
        return C
    if history.opponent_actions[-3:].all():
        return C
    return D
    """,
    """
    history_key = tuple(int(x) for x in history.opponent_cooperators[-2:])
    rules = {(): C, (3, 3): C, (0, 0): D}
    return rules.get(history_key, C)
    """,
)
