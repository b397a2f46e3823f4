"""Find the part of the history that decides a program's move.

Two histories that agree in this part are one to the program, so that its move is computed once. The
source is read, not run. Whatever is not understood counts as a use of the whole history.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from society.sandbox.source.any_order import takes_any_order
from society.sandbox.source.source_nodes import SourceNodes, stored_names
from society.sandbox.source.writing_calls import rebinds

OPPONENTS = frozenset({"opponent_actions", "opponent_payoffs"})
ARRAYS = OPPONENTS | {"my_actions", "my_payoffs", "opponent_cooperators"}
# Sums of whole numbers are exact in any order; those of payoffs are in some games only.
BAGGED = frozenset({"my_actions", "opponent_cooperators"})
SUMMED = frozenset({"my_actions", "my_payoffs", "opponent_cooperators", "opponent_actions"})
EVERY_ROUND = 1 << 30


@dataclass
class SufficientHistory:
    """The part of the history that decides a move.

    whole: all of it. Otherwise the number of rounds played, as far as `rounds`; the last `tails`
    and first `heads` entries of an array; the totals `sums` of arrays; the values of the arrays
    `bags` in any order; and the stock of now.
    """

    whole: bool = False
    rounds: int = 0
    tails: dict[str, int] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)
    sums: set[str] = field(default_factory=set)
    bags: set[str] = field(default_factory=set)
    stock: bool = False

    def _reach(self, rounds: int) -> None:
        self.rounds = max(self.rounds, rounds)

    def note_tail(self, attribute: str, length: int) -> None:
        """Note that the last entries of an array are read; fewer are there in early rounds."""
        self.tails[attribute] = max(self.tails.get(attribute, 0), length)
        self._reach(length)

    def note_head(self, attribute: str, length: int) -> None:
        """Note that the first entries of an array are read."""
        self.heads[attribute] = max(self.heads.get(attribute, 0), length)
        self._reach(length)

    def note_rounds(self, rounds: int) -> None:
        """Note that the number of rounds matters as long as it is below this one."""
        self._reach(rounds)

    def note_sum(self, attribute: str) -> None:
        """Note that an array's total is read, or its mean; steps are charged by its length."""
        self.sums.add(attribute)
        self._reach(EVERY_ROUND)

    def note_bag(self, attribute: str) -> None:
        """Note that an array's values are read, whatever their order."""
        self.bags.add(attribute)
        self._reach(EVERY_ROUND)


def sufficient_history(nodes: SourceNodes) -> SufficientHistory:
    """Read off the source of a class which part of the history decides its moves."""
    found = SufficientHistory()
    if nodes.owner is None or _inherits(nodes.owner) or _replaces_methods(nodes):
        return SufficientHistory(whole=True)
    if rebinds([*nodes.parents, *nodes.playing], _TRUSTED):
        return SufficientHistory(whole=True)
    for method in nodes.methods:
        if not found.whole:
            _Uses(method, nodes, found).note_all()
    return found


def _inherits(node: ast.ClassDef) -> bool:
    """Check for methods that stand elsewhere; the published base class has none of use."""
    names = [one.id if isinstance(one, ast.Name) else "" for one in node.bases]
    return bool({*names} - {"BaseStrategy", "object"} or node.keywords or node.decorator_list)


def _replaces_methods(nodes: SourceNodes) -> bool:
    """Check whether something else is called as a method is, or is stored under its name."""
    names = {method.name for method in nodes.methods}
    body = [] if nodes.owner is None else nodes.owner.body
    inner = [
        one for part in body if not isinstance(part, ast.FunctionDef) for one in ast.walk(part)
    ]
    bound = {one.id for one in inner if isinstance(one, ast.Name)}
    bound |= {one.name for one in inner if isinstance(one, ast.ClassDef | ast.FunctionDef)}
    if names & bound:
        return True
    every = (node for found in nodes.methods.values() for node in found)
    return bool(names & stored_names(every))


class _Uses:
    """The uses of the history in one method; passed: parameters that were followed already."""

    def __init__(
        self,
        method: ast.FunctionDef,
        nodes: SourceNodes,
        found: SufficientHistory,
        passed: set[tuple[str, str, str]] | None = None,
    ) -> None:
        self.method, self.parents, self.found = method, nodes.parents, found
        self.source, self.passed = nodes, set() if passed is None else passed
        self.methods = {one.name: one for one in nodes.methods}
        self.nodes = nodes.methods[method]
        arguments = [one.arg for one in method.args.args]
        self.entry = method.name in ("__call__", "act")
        self.strange = {*arguments[1:]} - {"history", "state", "current_stock"}
        self.histories = {"history"} & {*arguments}
        self.states = {"state"} & {*arguments}

    def note_all(self) -> None:
        """Note all uses; a history under another name counts as read as a whole."""
        arguments = self.method.args
        more = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs
        if more or (self.entry and (self.strange or not self.histories)):
            self.found.whole = True
        for node in self.nodes:
            if isinstance(node, ast.Name):
                self._name(node)

    def _name(self, node: ast.Name) -> None:
        if node.id in ("history", "state") and not isinstance(node.ctx, ast.Load):
            self.found.whole = True
        elif node.id in self.histories:
            self._history(node)
        elif node.id in self.states:
            self._state(node)
        elif node.id == "current_stock":
            self.found.stock = True

    def _state(self, node: ast.Name) -> None:
        parent = self.parents[node]
        if isinstance(parent, ast.Attribute) and parent.attr == "round_number":
            self._rounds(parent)
        elif isinstance(parent, ast.Attribute) and parent.attr == "current_stock":
            self.found.stock = True
        elif not self._passed_on(node, parent):
            self.found.whole = True

    def _history(self, node: ast.Name) -> None:
        parent = self.parents[node]
        if isinstance(parent, ast.Attribute):
            self._attribute(parent, parent.attr)
        elif _is_none_test(parent, node):
            self.found.note_rounds(1)
        elif attribute := _got_attribute(parent, node):
            self._attribute(parent, attribute)
        elif not self._passed_on(node, parent):
            self.found.whole = True

    def _attribute(self, node: ast.AST, attribute: str) -> None:
        if attribute == "round_number":
            self._rounds(node)
        elif attribute in ARRAYS:
            self._array(node, attribute)
        elif attribute == "stock" and _last_index(self.parents[node]):
            self.found.stock = True
        else:
            self.found.whole = True

    def _passed_on(self, node: ast.Name, parent: ast.AST) -> bool:
        """Check whether a method of its own takes it under the same name."""
        passed = self._parameter(node, parent)
        return passed is not None and passed[1] == node.id

    def _parameter(self, node: ast.AST, parent: ast.AST) -> tuple[ast.FunctionDef, str] | None:
        """Return the method of its own that takes a value, and the name that it has there."""
        if not isinstance(parent, ast.Call) or not isinstance(parent.func, ast.Attribute):
            return None
        called = parent.func
        method = self.methods.get(called.attr)
        if not isinstance(called.value, ast.Name) or called.value.id != "self" or method is None:
            return None
        if node not in parent.args or any(isinstance(one, ast.Starred) for one in parent.args):
            return None
        decorators = [ast.unparse(one) for one in method.decorator_list]
        names = [one.arg for one in method.args.args][0 if decorators == ["staticmethod"] else 1 :]
        place = parent.args.index(node)
        if decorators not in ([], ["staticmethod"]) or place >= len(names):
            return None
        return method, names[place]

    def _rounds(self, node: ast.AST) -> None:
        for use in self._followed(node):
            self.found.note_rounds(self._bound_of_rounds(use))

    def _bound_of_rounds(self, use: ast.AST) -> int:
        """Return the number of rounds from which on it does not matter here how many there were."""
        parent = self.parents[use]
        if isinstance(parent, ast.Call) and _is_call(parent, "min") and not parent.keywords:
            return max(0, _upper_bound(parent))
        return _bound_of_comparison(parent, use)

    def _array(self, node: ast.AST, attribute: str) -> None:
        for use in self._followed(node):
            self._use(use, attribute)

    def _passed_array(self, passed: tuple[ast.FunctionDef, str], attribute: str) -> None:
        """Note how a method uses an array that it takes as a parameter."""
        method, name = passed
        if (method.name, name, attribute) in self.passed:
            return
        self.passed.add((method.name, name, attribute))
        inside = _Uses(method, self.source, self.found, self.passed)
        uses = [one for one in inside.nodes if isinstance(one, ast.Name) and one.id == name]
        parameters = [one for one in inside.nodes if isinstance(one, ast.arg) and one.arg == name]
        if len(parameters) != 1 or any(not isinstance(one.ctx, ast.Load) for one in uses):
            self.found.whole = True
        for use in uses:
            inside._array(use, attribute)

    def _followed(self, node: ast.AST) -> list[ast.AST]:
        """The uses of a local name that is given this value once, or the node itself."""
        parent = self.parents[node]
        if not (isinstance(parent, ast.Assign) and len(parent.targets) == 1):
            return [node]
        target = parent.targets[0]
        if not isinstance(target, ast.Name):
            return [node]
        names = [one for one in self.nodes if isinstance(one, ast.Name) and one.id == target.id]
        arguments = [one for one in self.nodes if isinstance(one, ast.arg)]
        stored = [one for one in names if not isinstance(one.ctx, ast.Load)]
        if stored != [target] or any(one.arg == target.id for one in arguments):
            return [node]
        return [one for one in names if one is not target]

    def _use(self, node: ast.AST, attribute: str) -> None:
        parent, found = self.parents[node], self.found
        if isinstance(parent, ast.Subscript) and parent.value is node:
            self._subscript(parent, attribute)
        elif _is_call(parent, "len") or _is_attribute(parent, "size"):
            for use in self._followed(parent):
                found.note_rounds(self._bound_of_rounds(use))
        elif self._is_total(node, parent, attribute):
            found.note_sum(attribute)
        elif attribute in BAGGED and self._takes_any_order(node):
            found.note_bag(attribute)
        elif passed := self._parameter(node, parent):
            self._passed_array(passed, attribute)
        else:
            found.whole = True

    def _takes_any_order(self, node: ast.AST) -> bool:
        """Check a use for which order does not matter; a property could count its readings."""
        methods = self.source.methods
        decorated = (ast.unparse(one) for method in methods for one in method.decorator_list)
        return {*decorated} <= {"staticmethod"} and takes_any_order(node, self.parents, self.nodes)

    def _is_total(self, node: ast.AST, parent: ast.AST, attribute: str) -> bool:
        """Check for a sum, a mean or a count over the whole array."""
        if attribute not in SUMMED:
            return False
        if isinstance(parent, ast.Attribute) and parent.attr in ("sum", "mean"):
            call = self.parents[parent]
            bare = isinstance(call, ast.Call) and call.func is parent
            bare = bare and not (call.args or call.keywords)  # type: ignore[attr-defined]
            return bare
        if not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
            return False
        if _is_call(parent, "sum") and attribute == "opponent_actions":
            return False  # the sums of columns
        called = ast.unparse(parent.func)
        # To count what is not zero is to add up moves, but no other numbers.
        return called in _TOTALS or (called == "np.count_nonzero" and attribute in _MOVES)

    def _subscript(self, node: ast.Subscript, attribute: str) -> None:
        place = _constant(node.slice)
        back = self._steps_back(node.slice)
        if back:
            self.found.note_tail(attribute, back)
        elif place is not None:
            if place < 0:
                self.found.note_tail(attribute, -place)
            else:
                self.found.note_head(attribute, place + 1)
        elif isinstance(node.slice, ast.Slice) and not node.slice.step:
            self._slice(node.slice, attribute)
        else:
            self.found.whole = True

    def _steps_back(self, place: ast.expr) -> int:
        """Return how far `-back` goes at the most, where loops with bounds give `back`; or 0."""
        if not (isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub)):
            return 0
        if not isinstance(place.operand, ast.Name):
            return 0
        name = place.operand.id
        stores = [one for one in self.nodes if isinstance(one, ast.Name) and one.id == name]
        stores = [one for one in stores if not isinstance(one.ctx, ast.Load)]
        if any(isinstance(one, ast.arg) and one.arg == name for one in self.nodes) or not stores:
            return 0
        bounds = [_last_of_loop(self.parents[one], one) for one in stores]
        return max(bounds) if min(bounds) > 0 else 0

    def _slice(self, part: ast.Slice, attribute: str) -> None:
        lower, upper = _constant(part.lower), _constant(part.upper)
        if part.upper is None and lower is not None and lower < 0:
            self.found.note_tail(attribute, -lower)
        elif upper is not None and upper >= 0 and (part.lower is None or (lower or -1) >= 0):
            self.found.note_head(attribute, upper)
        else:
            self.found.whole = True


# Builtins that mean what Python means by them, or nothing is read off.
_TRUSTED = (
    "abs",
    "all",
    "any",
    "bool",
    "float",
    "int",
    "len",
    "max",
    "min",
    "range",
    "sorted",
    "sum",
)
_TOTALS = frozenset({"np.mean", "np.sum", "sum"})
_MOVES = frozenset({"my_actions", "opponent_actions"})


def _constant(node: ast.AST | None) -> int | None:
    """A whole number that stands in the source, or None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _constant(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _upper_bound(node: ast.expr) -> int:
    """Return a whole number that an expression never exceeds, EVERY_ROUND if none is found."""
    if (number := _constant(node)) is not None:
        return number
    if isinstance(node, ast.Call) and _is_call(node, "min") and not node.keywords:
        # Not those of a `min` inside, which may be no number, and then loses all comparisons.
        numbers = [_constant(one) for one in node.args]
        return min((one for one in numbers if one is not None), default=EVERY_ROUND)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        more, bound = _constant(node.right), _upper_bound(node.left)
        if more is not None and bound < EVERY_ROUND:
            return bound + (more if isinstance(node.op, ast.Add) else -more)
    return EVERY_ROUND


def _last_of_loop(node: ast.AST, target: ast.Name) -> int:
    """Return the largest value that `for target in range(...)` gives, from 1 on; 0 if not known."""
    if not isinstance(node, ast.For | ast.comprehension) or node.target is not target:
        return 0
    values = node.iter
    if not isinstance(values, ast.Call) or not _is_call(values, "range") or values.keywords:
        return 0
    if len(values.args) != 2 or (_constant(values.args[0]) or 0) < 1:
        return 0
    last = _upper_bound(values.args[1]) - 1
    return last if last < EVERY_ROUND - 1 else 0


def _last_index(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and _constant(node.slice) == -1


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _is_attribute(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name


def _is_none_test(node: ast.AST, history: ast.Name) -> bool:
    """Check for `history is None`, `if history`, `not history`, which tell the first round."""
    if isinstance(node, ast.Compare):
        return node.left is history and all(
            isinstance(one, ast.Constant) and one.value is None for one in node.comparators
        )
    if isinstance(node, ast.If | ast.IfExp):
        return node.test is history
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _got_attribute(node: ast.AST, history: ast.Name) -> str:
    """The attribute that getattr(history, "name", ...) reads, or ""."""
    if not _is_call(node, "getattr") or not isinstance(node, ast.Call):
        return ""
    name = node.args[1] if len(node.args) > 1 and node.args[0] is history else None
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


def _bound_of_comparison(node: ast.AST, use: ast.AST) -> int:
    """Return the number of rounds from which on a comparison has one answer.

    >>> call = ast.parse("history.round_number < 3", mode="eval").body
    >>> _bound_of_comparison(call, call.left)
    4
    """
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [node.left, node.comparators[0]]
        other = _constant(sides[1] if sides[0] is use else sides[0])
        if other is not None and isinstance(
            node.ops[0], ast.Eq | ast.NotEq | ast.Lt | ast.LtE | ast.Gt | ast.GtE
        ):
            return max(other, 0) + 1
    return EVERY_ROUND
