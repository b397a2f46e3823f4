"""One exchange of an agent on a screen of its own, in full: question, answer, and how it came.

answer      as it was settled, with what was open to it, and who answered
a model     each call: the prompt, with who gave which part, the reply, and what it took;
            or the changes since the agent's last prompt of this question
a rule      the facts that it knew, and the agent's own columns before the round
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rich.text import Text

from society.engine.action_spaces import Choice, Integer, MixedStrategy, Neighbour, Real
from society.llm.call_tables import Call
from society.runs.manifest import ComponentNote
from society.runs.reader import RunFile
from society.terminal.call_texts import REPLY, describe_call, prompt_lines
from society.terminal.console import TerminalStyle
from society.terminal.labels import Names, count_noun, spell_kind

from .events import names_at, names_in
from .exchanges import AgentExchange, AnsweredField, earlier_prompt, exchanges
from .glyphs import Glyphs
from .history import History
from .paragraphs import FactWords, labelled, rule
from .prompt_changes import prompt_changes
from .view import View

_MANNERS = {"rule": "a rule", "program": "a program", "model": "a language mind", "other": ""}
_BOUNDS = "within bounds of its own"
_MARGIN = 16  # cells of the widest margin
_AGENTS_KEPT = 4096  # exchanges of agents in a round, of which calls are asked one by one


def exchange_page(history: History, view: View, width: int, style: TerminalStyle) -> Iterator[Text]:
    """Yield the exchange of an agent that one looks at, whole."""
    found = exchanges(history, view.round, view.replicate, view.agent)
    names = names_at(history, view, style)
    if not found:
        return _nothing(history, view, names, width, style)
    place = min(view.exchange, len(found) - 1)
    page = _Page(history, view, names, width, style)
    return page.lines(found[place], place, len(found))


def _nothing(
    history: History, view: View, names: Names, width: int, style: TerminalStyle
) -> Iterator[Text]:
    words = "it was asked nothing in this round"
    if history.manifest.level == "summary":
        words = "answers were not recorded (level summary); society run --record full records them"
    yield rule(names[view.agent], width, style)
    yield from labelled(Text(), style.text(words), width, gutter=2)


def exchange_line(exchange: AgentExchange, words: FactWords, width: int) -> Text:
    """Draw an exchange as one line of a list: the question, the answer, and who gave it.

    A long answer is cut, so that there is room for who gave it.
    """
    what = spell_kind(exchange.kind) if exchange.hook == "answer" else _occasion(exchange)
    end = Text(f"  {_respondent(exchange)}", "dim")
    if exchange.repairs:
        end.append(f"  {count_noun(exchange.repairs, 'repair')}", "yellow")
    if exchange.outcome != "answered":
        end.append(f"  {_OUTCOMES[exchange.outcome]}", "red")
    line = Text(words.plain(what), "bold")
    given = given_words(exchange, words)
    room = max(width - line.cell_len - end.cell_len - 2, 8)
    line.append("  ").append(words.cut(given, room), "bold cyan")
    return line.append_text(end)


_OUTCOMES = {
    "fallback": "the fallback of the question stands",
    "unanswered": "the question counts as not answered",
    "void": "this ended the replicate",
}


def given_words(exchange: AgentExchange, words: FactWords) -> str:
    """Return the answer in words, field by field."""
    return ", ".join(
        f"{spell_kind(field.name)} {_value(field, exchange.kind, words)}".strip()
        for field in exchange.answer
    )


class SettledAnswers:
    """The answers that were settled after calls to models, in words."""

    def __init__(self, run: RunFile, style: TerminalStyle) -> None:
        self._history, self._style = History(run), style
        self._found = lru_cache(_AGENTS_KEPT)(self._exchanges)

    def __call__(self, call: Call) -> str:
        """Return the answer that followed the last call of a question; "" after other calls."""
        address = call.request.address
        if call.round > self._history.last:  # of a round that is not over
            return ""
        found = self._found(call.round, address.replicate, address.agent)
        for one in found:
            if one.answer and one.calls[-1:] and one.calls[-1].request.address == address:
                replicate, number = address.replicate, call.round
                names = names_in(self._history, replicate, number, self._style)
                words = FactWords(names, self._history.manifest.specs, self._style)
                trouble = _trouble(one)
                return given_words(one, words) + (f" ({trouble})" if trouble else "")
        return ""

    def _exchanges(self, number: int, replicate: int, agent: int) -> list[AgentExchange]:
        return exchanges(self._history, number, replicate, agent)


def _trouble(exchange: AgentExchange) -> str:
    """Say why an answer could not be used, and what happened then; "" if it could."""
    if exchange.outcome == "answered":
        return ""
    why = f": {exchange.reason}" if exchange.reason else ""
    return f"the answer could not be used{why}; {_OUTCOMES[exchange.outcome]}"


def _occasion(exchange: AgentExchange) -> str:
    """Name an occasion that is no question of the script."""
    if exchange.hook == "notice":
        return f"on hearing of {spell_kind(exchange.kind)}"
    return "before its life began" if exchange.hook == "begin" else "at its birth"


def _value(field: AnsweredField, kind: str, words: FactWords) -> str:
    if field.peer:
        return words.peer(field.value)
    spec = words.spec(f"{kind} {field.name}" if field.name else kind)
    if field.form.startswith(Choice.code):
        return words.plain(str(field.value))
    return words.value(field.value, spec)


def legal_words(field: AnsweredField) -> str:
    """Say which answers were legal, from the form of a field and its own bounds; "" for texts.

    >>> legal_words(AnsweredField("", "whole within bounds of its own", 2, False, (), None, 7.0))
    'a whole number from 0 to 7'
    >>> legal_words(AnsweredField("", "amount 0..inf", 2.5, False))
    'a number of at least 0'
    """
    code, _, rest = field.form.partition(" ")
    if code in (Real.code, Integer.code):
        span, _, optional = rest.partition(" or ")
        low, _, high = span.partition("..")
        low = "0" if span == _BOUNDS else low
        low = f"{float(low) if field.low is None else field.low:.4g}"
        high = "inf" if span == _BOUNDS else high
        high = f"{float(high) if field.high is None else field.high:.4g}"
        number = "a whole number" if code == Integer.code else "a number"
        limits = f"of at least {low}" if high == "inf" else f"from {low} to {high}"
        return f"{number} {limits}{' or none' if optional else ''}"
    if code == Neighbour.code:
        return f"a neighbour {rest}, or nobody"
    if code == MixedStrategy.code:
        return f"probabilities of {rest.removeprefix('over ').replace('/', ', ')}"
    return ""


def _respondent(exchange: AgentExchange) -> str:
    """Say which component answered, and how."""
    if exchange.calls:
        model = exchange.calls[-1].said.model or exchange.calls[-1].request.model
        return f"{exchange.component} asked {model}"
    note: ComponentNote | None = exchange.respondent
    if note is None:
        return exchange.component or "the file does not say which component answered"
    if note.by == "model":
        return f"{note.name} asked no model, as one answer only was open"
    manner = _MANNERS[note.by]
    return f"{note.name}, {manner}" if manner else note.name


class _Page:
    """Lays out one exchange."""

    def __init__(
        self, history: History, view: View, names: Names, width: int, style: TerminalStyle
    ) -> None:
        self.history, self.view, self.names, self.width, self.style = (
            history, view, names, width, style,
        )  # fmt: skip
        self.glyphs = Glyphs(style)
        self.words = FactWords(names, history.manifest.specs, style)
        types = history.manifest.types
        cohort = types[view.replicate % len(types), view.agent]
        parts = history.manifest.cohorts[cohort].components if cohort >= 0 else ()
        notes = (history.manifest.components[part] for part in parts)
        self.memories = {note.name for note in notes if note.remembers}

    def lines(self, exchange: AgentExchange, place: int, count: int) -> Iterator[Text]:
        """Yield all lines of an exchange; the screen shows those that fit."""
        what = spell_kind(exchange.kind) if exchange.hook == "answer" else _occasion(exchange)
        heading = [self.names[self.view.agent], what, f"{place + 1} of {count} in this round"]
        yield rule(self.glyphs.dot.join(heading), self.width, self.style)
        yield from self._answer(exchange)
        if exchange.calls:
            for number in range(len(exchange.calls)):
                yield Text()
                yield from self._call(exchange, number)
        elif exchange.bare is not None:
            yield from self._row("found", exchange.bare.said.text)
        yield from self._known(exchange)

    def _row(self, label: str, words: str, ink: str = "") -> Iterator[Text]:
        for one in words.split("\n"):
            shown = self.style.text(one, ink)
            yield from labelled(self.style.text(label, "dim"), shown, self.width)
            label = ""

    def _fact(self, words: str) -> Iterator[Text]:
        yield from labelled(Text(), self.style.text(words), self.width, gutter=2)

    def _answer(self, exchange: AgentExchange) -> Iterator[Text]:
        if exchange.line is not None and exchange.line.aside:
            yield from self._row("asked", "beside the history")
        for field in exchange.answer:
            given = _value(field, exchange.kind, self.words)
            name = f"{spell_kind(field.name)}: " if field.name else ""
            yield from self._row("answer", f"{name}{given}", "bold cyan")
            yield from self._open(field)
        if trouble := _trouble(exchange):
            yield from self._row("trouble", trouble, "red")
        yield from self._row("by", _respondent(exchange))
        for name, thought in exchange.thoughts.items():
            yield from self._row("thought", f"{spell_kind(name)}: {thought}")
        for call in exchange.calls[-1:]:
            yield from self._memories(call)

    def _open(self, field: AnsweredField) -> Iterator[Text]:
        """Yield the answers that were legal."""
        if field.options:
            for number, option in enumerate(field.options, start=1):
                chosen = self.glyphs.chosen if option == field.value else " "
                label = "open" if number == 1 else ""
                yield from self._row(label, f"{chosen} {self.words.plain(str(option))}")
            return
        if words := legal_words(field):
            yield from self._row("open", words)

    def _memories(self, call: Call) -> Iterator[Text]:
        """Yield what came to mind, as it stands in the prompt."""
        prompt = call.request.messages[-1].content if call.request.messages else ""
        for part in call.request.parts:
            if part.component in self.memories:
                words = prompt[part.start : part.start + part.length]
                count = sum(line.startswith("- ") for line in words.split("\n"))
                held = "1 memory" if count == 1 else f"{count} memories"
                yield from self._row("remembered", f"{held} ({part.component}), in the prompt")

    def _call(self, exchange: AgentExchange, number: int) -> Iterator[Text]:
        call, count = exchange.calls[number], len(exchange.calls)
        about = f"call {number + 1} of {count}" if count > 1 else "call"
        yield rule(about, self.width, self.style)
        yield from self._row("model", self.glyphs.dot.join(describe_call(call)))
        if call.request.again:
            why = f": {call.request.reason}" if call.request.reason else ""
            yield from self._row("again", f"{call.request.again}{why}", "yellow")
        lines = [*prompt_lines(call)]
        replies = [(REPLY, line) for line in call.said.text.split("\n")]
        margins = (len(self.style.words(margin)) for margin, _ in (*lines, *replies))
        margin = min(max(margins), _MARGIN)
        if self.view.changes:
            yield from self._changes(exchange, number, lines, margin)
        else:
            for given, line in lines:
                ink = "magenta" if given in self.memories else ""
                yield from self._given(given, self.style.text(line, ink), margin)
        for given, line in replies:
            yield from self._given(given, self.style.text(line, "bold"), margin)

    def _given(self, given: str, words: Text, margin: int, sign: str = " ") -> Iterator[Text]:
        """Yield a line of a prompt or reply, behind the one who gave it."""
        gap = " " * max(margin - len(self.style.words(given)), 0)
        label = Text(gap + self.style.cut(given, margin), "cyan").append(f" {sign}")
        bar = Text(self.glyphs.bar, "dim")
        for piece in labelled(label, words, self.width - 2, gutter=margin + 3):
            # The bar stands between margin and words, on every piece of a long line.
            head, tail = piece.divide([margin + 3])
            yield head.append_text(bar).append(" ").append_text(tail)

    def _changes(
        self,
        exchange: AgentExchange,
        number: int,
        lines: Sequence[tuple[str, str]],
        margin: int,
    ) -> Iterator[Text]:
        earlier = earlier_prompt(self.history, exchange, number)
        if earlier is None:
            words = "this is the first prompt of its kind; there is none to compare it with"
            yield from self._row("changes", words, "dim")
            for given, said in lines:
                yield from self._given(given, self.style.text(said), margin)
            return
        since = f"round {earlier.round}" if earlier.round else "before the first round"
        if exchange.calls[number].request.again and number:
            since = "the call above"
        yield from self._row("changes", f"since {since}: - went, + came", "dim")
        old = "\n".join(line for _, line in prompt_lines(earlier))
        new = "\n".join(line for _, line in lines)
        inks: Mapping[str, str] = {" ": "dim", "-": "red", "+": "green"}
        for change in prompt_changes(old, new):
            line = Text()
            for part, lacking in change.parts:
                ink = inks[change.sign]
                line.append(self.style.words(part), f"bold underline {ink}" if lacking else ink)
            given = lines[change.place][0] if change.sign != "-" else ""
            yield from self._given(given, line, margin, change.sign)

    def _known(self, exchange: AgentExchange) -> Iterator[Text]:
        """Yield the facts of the question, and what a rule had besides: columns of its own."""
        if exchange.line is None:
            return
        if exchange.line.facts or exchange.line.unseen:
            yield Text()
            yield rule("what it was told with the question", self.width, self.style)
        for title, value in self.words.facts(exchange.line.facts, self.view.agent):
            yield from self._fact(f"{title}: {value}")
        for graph in exchange.line.unseen:
            yield from self._fact(unseen_words(graph))
        if not exchange.calls and exchange.hook == "answer" and self.view.round:
            yield from self._columns()

    def _columns(self) -> Iterator[Text]:
        before = self.history.page(self.view.round - 1).public
        owners = self.history.manifest.owners()
        here = (self.view.replicate, self.view.agent)
        mine = {name: one[here] for name, one in before.items() if owners[name][here]}
        if mine:
            yield Text()
            yield rule("its own columns before the round", self.width, self.style)
        for name, value in mine.items():
            held = value.item() if hasattr(value, "item") else value
            words = self.words.value(held, self.words.spec(name))
            yield from self._fact(f"{self.words.title(name)}: {words}")


def unseen_words(graph: str) -> str:
    """Say that what was seen on a graph cannot be shown."""
    return (
        f"what it saw of others on {graph} is not shown: the graph comes from a file or object of "
        "the user's, which reading does not execute"
    )
