"""Forty strategies as language models write them, none of which a sandbox has reason to refuse.

Bodies are given per interface; `played` is whether a round has been played.
"""

from __future__ import annotations

COUNTS = (
    "r = history.round_number\nif r == 0:\n    return C\nreturn C if history.opponent_cooperators[-1] >= self.n // 2 else D",
    "if len(history.my_actions) == 0:\n    return Action.C\nrate = np.mean(history.opponent_cooperators) / max(1, self.n - 1)\nreturn Action.C if rate > 0.5 else Action.D",
    "recent = history.opponent_cooperators[-3:]\nif recent.size == 0:\n    return C\nweights = np.arange(1, recent.size + 1)\nscore = np.dot(recent, weights) / weights.sum()\nreturn C if score >= (self.n - 1) * 0.6 else D",
    "if history.round_number >= self.rounds - 1:\n    return D\ntrend = np.diff(history.opponent_cooperators)\nreturn C if trend.sum() >= 0 else D",
    "try:\n    last = int(history.opponent_cooperators[-1])\nexcept IndexError:\n    last = self.n - 1\nreturn C if last > 0 else D",
    "counts = list(history.opponent_cooperators)\nif not counts:\n    return C\nbest = max(set(counts), key=counts.count)\nreturn C if best >= 2 else D",
    "streak = 0\nfor count in reversed(history.opponent_cooperators):\n    if count < self.n - 1:\n        break\n    streak += 1\nreturn C if streak > 1 or history.round_number < 2 else D",
    "total = sum(history.my_payoffs)\naverage = total / len(history.my_payoffs) if len(history.my_payoffs) else 1.0\nreturn C if average >= 0.9 else D",
    "self.mood = getattr(self, 'mood', 0.5)\nif history.round_number:\n    self.mood = 0.8 * self.mood + 0.2 * history.opponent_cooperators[-1] / (self.n - 1)\nreturn C if self.mood >= 0.5 else D",
    "if random.random() < 0.05:\n    return D\nreturn C if history.round_number == 0 or history.opponent_cooperators[-1] else D",
    "rng = np.random.default_rng(42)\nreturn C if rng.random() < 0.7 else D",
    "score = {C: 0, D: 0}\nfor mine, paid in zip(history.my_actions, history.my_payoffs):\n    score[C if mine else D] += float(paid)\nreturn C if score[C] >= score[D] else D",
    "window = min(5, history.round_number)\nif window == 0:\n    return C\nrecent = [int(c) for c in history.opponent_cooperators[-window:]]\nreturn C if sum(recent) / window > 1.5 else D",
    "phase = 'early' if history.round_number < self.rounds // 3 else 'late'\ntable = {'early': C, 'late': D}\nreturn table[phase]",
    "x = history.opponent_cooperators.astype(float)\nx = x / (self.n - 1)\nif x.size < 2:\n    return C\nreturn C if x.mean() - x.std() > 0.2 else D",
    "a = np.where(history.opponent_cooperators >= 2, 1, 0)\nreturn C if a.sum() * 2 >= a.size else D",
)

FULL = (
    "if history is None:\n    return C\nreturn C if history.opponent_actions[-1].sum() >= 2 else D",
    "if history is None or state.round_number == 0:\n    return C\nrates = history.opponent_actions.mean(axis=0)\nreturn C if np.any(rates > 0.5) else D",
    "if history is None:\n    return C\ndefections = (~history.opponent_actions).sum(axis=0)\nreturn D if np.max(defections) > 3 else C",
    "if history is None:\n    return C\nlast = history.opponent_actions[-1, :]\nmask = last == True\nreturn C if mask.all() else D",
    "if not history:\n    return C\nbest = np.argmax(history.opponent_payoffs.sum(axis=0))\nreturn C if history.opponent_actions[-1][best] else D",
    "if history is None:\n    return C\ncounts = np.sum(history.opponent_actions, axis=1)\nreturn C if np.median(counts[-4:]) >= 1.5 else D",
    "if history is None:\n    return C\nmine = np.sum(history.my_payoffs)\ntheirs = np.mean(np.sum(history.opponent_payoffs, axis=0))\nreturn C if mine >= theirs else D",
    "if history is None:\n    return C\nsame = np.equal(history.opponent_actions, history.my_actions[:, np.newaxis])\nreturn C if same.mean() > 0.5 else D",
    "if history is None:\n    return C\nfor row in history.opponent_actions[::-1]:\n    if not any(row):\n        return D\nreturn C",
    "if history is None:\n    return C\nsafe = np.divide(history.my_payoffs, history.my_payoffs.max(), out=np.zeros_like(history.my_payoffs), where=history.my_payoffs > 0)\nreturn C if safe[-1] >= 0.5 else D",
    "if history is None:\n    return C\nn = history.opponent_actions.shape[1]\nreturn C if sum(1 for i in range(n) if history.opponent_actions[-1, i]) * 2 > n else D",
    "if history is None:\n    return C\nreputation = [float(np.mean(history.opponent_actions[:, j])) for j in range(history.opponent_actions.shape[1])]\nreturn C if sorted(reputation)[0] > 0.3 else D",
)

SOCIETY = (
    "if history.round_number == 0:\n    return C\nreturn C if history.opponent_cooperators[-1] >= (self.game.n_players - 1) / 2 else D",
    "if self.game.name == 'common_pool' and history.stock[-1] < self.game.capacity / 2:\n    return C\nreturn D if history.round_number % 4 == 3 else C",
    "m = self.game.m if self.game.m is not None else self.game.n_players // 2\nif history.round_number == 0:\n    return C\nothers = int(history.opponent_cooperators[-1])\nreturn C if others == m - 1 else D",
    "if history.round_number == self.game.n_rounds - 1:\n    return D\nif history.round_number < 2:\n    return C\na, b = history.opponent_cooperators[-2:]\nreturn C if b >= a else D",
    "self.seen.append(history.round_number)\nif len(self.seen) > 3:\n    self.seen.pop(0)\nreturn C if sum(self.seen) % 2 == 0 else D",
    "last = history.my_actions[-1] if history.my_actions.size else True\npaid = history.my_payoffs[-1] if history.my_payoffs.size else 1.0\nreturn (C if last else D) if paid >= 1 else (D if last else C)",
    "message = f'round {history.round_number}: {len(self.seen)} seen'\nprint(message)\nreturn C",
    "k = self.game.k or 2.0\nvalue = k / self.game.n_players\nreturn C if value >= 0.5 or history.round_number % 2 == 0 else D",
    "exploiters = np.count_nonzero(history.opponent_actions.sum(axis=0) == 0)\nreturn D if exploiters > 1 else C",
    "pattern = [C, C, D]\nreturn pattern[history.round_number % len(pattern)]",
    "if history.round_number in (0, 1, 2):\n    return C\nif history.opponent_actions[-3:].all():\n    return C\nreturn D",
    "history_key = tuple(int(x) for x in history.opponent_cooperators[-2:])\nrules = {(): C, (3, 3): C, (0, 0): D}\nreturn rules.get(history_key, C)",
)
