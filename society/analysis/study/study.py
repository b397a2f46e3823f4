"""Conditions that were played, each with its run file, as tidy data frames.

A row of `runs` is one replicate, one history of a society: replicates are what is repeated, never
agents or rounds. All frames begin with a column for each factor and the column `condition`; what
stands in the others, and in which units, is said below, and in `frame.attrs["units"]`; of columns
that a scenario has named, `frame.attrs["descriptions"]` says what they are. Rows stand in the order
of conditions, and a column whose name is taken already has `_value` behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from society.engine.fact_specs import UNSPECIFIED, FactSpec
from society.engine.rng import Array
from society.errors import short_path
from society.runs.conclusions import PostAnalysisResults, run_post_analysis
from society.terminal.labels import count_noun

from . import details
from . import llm_calls as exchanges
from . import questionnaire_rows as answers
from .codings import SweepCoding
from .condition import ConditionRun
from .events import fact_of
from .frames import (
    NAMED,
    Columns,
    FrameColumn,
    FrameHeading,
    LongForm,
    add_column,
    categories,
    column_values,
    data_frame,
    labelled_categories,
)
from .rounds import RoundHistory, stack_blocks

if TYPE_CHECKING:
    from society.analysis.coding.codes import CodingResults
    from society.experiments.analysis_plan import AnalysisPlan
    from society.experiments.experiment import RandomNumbers
    from society.experiments.factors import Label

FrameLayout = Mapping[str, Callable[[Array], Any]]


_SHOWN = 4  # conditions in the short form of a study


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """Some conditions that have been played, to be analysed together.

    levels: of each factor, in order. random_numbers: "common" where replicate r of all conditions
    had the same random numbers, so that they can be compared in pairs; "independent" where none
    share any; None where it is mixed, or there is one condition. text: the experiment as it was
    written, if there is one. failures: why runs of conditions failed. missing: conditions without a
    run file. codings: of norms; each belongs to the runs in its folder.
    """

    name: str
    played: tuple[ConditionRun, ...]
    levels: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    random_numbers: RandomNumbers | None = None
    analysis: AnalysisPlan | None = None
    text: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    codings: tuple[SweepCoding, ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(run.name for run in self.played[:_SHOWN] if run.name)
        more = ", ..." if names and len(self.played) > _SHOWN else ""
        conditions = count_noun(len(self.played), "condition")
        return f"Study({self.name!r}: {conditions}{f' ({names}{more})' if names else ''})"

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of every measure."""
        units: dict[str, dict[str, None]] = {}
        for run in self.played:
            for note in run.manifest.measures:
                units.setdefault(note.name, {})[note.unit] = None
        return {name: " or ".join(own) for name, own in units.items()}

    def label(self, name: str) -> str:
        """Return a measure or finding in words: as its scenario declares it, or as its name says.

        Runs may declare different words: "cap or stated cap".
        """
        declared = {
            note.label: None
            for run in self.played
            for note in run.manifest.measures
            if note.name == name and note.label
        }
        return " or ".join(declared) or name.replace("_", " ")

    @property
    def detailed(self) -> bool:
        """True if all runs keep what agents did, as `agents`, `events` and `quotes` need."""
        return all(run.manifest.level == "full" for run in self.played)

    @property
    def notes(self) -> dict[str, str]:
        """The reasons why runs and codings had no conclusion, by condition or folder."""
        pairs = zip(self.played, self._conclusions, strict=True)
        notes = {run.name: conclusion.note for run, conclusion in pairs}
        notes |= {short_path(folder): coded.note for folder, coded in self._coded.items()}
        return {name: note for name, note in notes.items() if note}

    @cached_property
    def conditions(self) -> Any:
        """One row for each condition.

        scenario, status    as in `society show`; what is not finished is taken as far as it goes
        replicates, agents  how many
        rounds, horizon     played, and at most
        seed, level         as run; level: full or summary
        digest, file        of what happened; the run file
        calls, retries, repairs, cut, fallbacks, copied, unasked, prompt_tokens, cached_tokens,
        completion_tokens, cost
                            sums of `ledger`: counts, tokens, US dollars; missing where unknown
        unanswered          calls that went out and never came back
        failure             why the run failed, in words
        """
        given = [run.manifest for run in self.played]
        own = {
            "scenario": FrameColumn([manifest.scenario for manifest in given], "name"),
            "status": FrameColumn([run.status for run in self.played]),
            "replicates": FrameColumn([manifest.replicates for manifest in given], "replicates"),
            "agents": FrameColumn([manifest.agents for manifest in given], "agents"),
            "rounds": FrameColumn([run.rounds for run in self.played], "rounds"),
            "horizon": FrameColumn([manifest.most for manifest in given], "rounds"),
            "seed": FrameColumn([manifest.seed for manifest in given]),
            "level": FrameColumn([manifest.level for manifest in given]),
            "digest": FrameColumn([run.digest for run in self.played]),
            "file": FrameColumn([short_path(run.path) for run in self.played], "path"),
            **exchanges.spending_columns([run.ledger for run in self.played]),
            "unanswered": FrameColumn([run.unanswered for run in self.played], "calls"),
            "failure": FrameColumn(
                [self.failures.get(run.name, "") for run in self.played], "words"
            ),
        }
        return self._frame([1] * len(self.played), own)

    @cached_property
    def runs(self) -> Any:
        """One row for each replicate.

        replicate           its number in the run, from 0
        rounds              that it lived
        cause               the kind of what ended it; "" if nothing did
        MEASURE             over all rounds, as the measure folds them; of those that wait for
                            something, the round in which it came
        MEASURE_censored    of such: whether it had not come by the last round, which stands there;
                            missing where it was not waited for
        MEASURE_round       of the last value, where some are from before the last round that a
                            replicate lived, since there was none in it
        FINDING             what the scenario concludes when a run is finished
        coded_...           what raters say of its texts, if they were coded, and in how many codes
        """
        return data_frame(self.run_columns)

    @cached_property
    def run_columns(self) -> Columns:
        """The columns of `runs`, as arrays."""
        columns = self._history.runs(self.units)
        counts = self._history.replicates
        coded = {
            name: own for results in self._coded.values() for name, own in results.findings.items()
        }
        pairs = zip(self.played, self._conclusions, strict=True)
        findings_of_runs = [(*each.findings, *coded.get(run.name, ())) for run, each in pairs]
        values = [
            {finding.name: finding.values for finding in findings} for findings in findings_of_runs
        ]
        units = {
            finding.name: finding.unit for findings in findings_of_runs for finding in findings
        }
        for name, unit in units.items():
            add_column(columns, name, FrameColumn(stack_blocks(values, name, counts), unit))
        return self._headed(counts, columns)

    @cached_property
    def rounds(self) -> Any:
        """One row for each round of each replicate, also after it has ended, while others go on.

        replicate, round    numbers, from 0 and from 1
        running             whether the replicate had not ended before this round
        present             agents, at the end of the round
        MEASURE             in this round, NaN where it was not measured; `attrs` has the units
        """
        return data_frame(self.round_columns)

    @cached_property
    def round_columns(self) -> Columns:
        """The columns of `rounds`, as arrays."""
        return self._headed(self._history.counts, self._history.rounds(self.units))

    @cached_property
    def agents(self) -> Any:
        """One row for each agent that took part in a round; round 0 precedes the first.

        replicate, round, agent     numbers; agents by seat
        name                        of the agent, as prompts have it: "villager 2", "agent 2_4"
        cohort                      name of its type, which prompts do not show
        present                     whether it still took part when the round was over
        NAME                        one number or text: an own or seen fact as last told in the
                                    round, else a public column, else the agent's answer to a
                                    question; peers by seat, flags as 0 and 1, NaN where
                                    nothing was told or asked. With fields: "QUESTION FIELD".
                                    Where labels are declared, they are ordered categories, and
                                    `.cat.codes` the numbers

        Raises InputError if a run keeps no such details.
        """
        cohorts = [cohort.name for run in self.played for cohort in run.manifest.cohorts]
        names = list(dict.fromkeys(cohorts))
        rows = (details.agent_rows(run, names) for run in self.played)
        return self._detail_table(
            LongForm(rows, details.AGENTS), {"cohort": partial(categories, names=names)}
        )

    @cached_property
    def events(self) -> Any:
        """One row for each value that was asked, answered or told; a large frame.

        replicate, round, agent     numbers; agent <NA> where it concerns the whole replicate
        who                         name of the agent, as prompts have it
        step                        order in the round, from 0
        sort, kind                  ask, tell or inherit, and its name
        scope                       common, own, "seen GRAPH" of facts; answer; low and high of
                                    bounds; gone, ends, join, cut, parents
        name                        of the fact, of the answer's field or action, of the graph, of
                                    the columns inherited
        value, text                 a number (peers by seat, flags 0 and 1) or text; a number with a
                                    declared label has both

        Raises InputError if a run keeps no such details.
        """
        return self._detail_table(LongForm(map(details.event_rows, self.played), details.EVENTS))

    @cached_property
    def quotes(self) -> Any:
        """One row for each text worth a quote, and for each common fact worth a word.

        What agents hold and what is in force has a row where it changed; what they say, each time.

        replicate, round, agent     numbers; agent <NA> of common facts
        who                         name of the agent, as prompts have it
        name, text                  what it is, and what agents or models wrote, as they wrote it

        Raises InputError if a run keeps no such details.
        """
        return self._detail_table(LongForm(map(details.quote_rows, self.played), details.QUOTES))

    @cached_property
    def questionnaires(self) -> Any:
        """One row for each agent and each occasion on which it was given a questionnaire.

        replicate, round, agent     numbers; round: of the page on which it was asked
        name, cohort                of the agent, as in `agents`
        instrument, occasion        its name; "before", "round 5" (after it), "end"
        rounds_played               rounds that were over
        ITEM                        the answer as it was given, not turned round: a number or text,
                                    missing where there was none; `attrs` has the wording
        SCALE                       the score, with reversed items turned round; missing where an
                                    item was not answered
        """
        cohorts = [cohort.name for run in self.played for cohort in run.manifest.cohorts]
        names = list(dict.fromkeys(cohorts))
        form = LongForm(
            (answers.questionnaire_rows(run, names) for run in self.played), answers.ROWS
        )
        frame = self._detail_table(form, {"cohort": partial(categories, names=names)})
        descriptions: dict[str, dict[str, None]] = {}  # items of several instruments share a column
        for run in self.played:
            for instrument in answers.instruments_of(run.manifest).values():
                for item in instrument.items:
                    column = answers.item_column(item)
                    texts = descriptions.setdefault(column, {})
                    texts[item.text] = None
                    if item.unit:
                        frame.attrs["units"][column] = item.unit
        frame.attrs["descriptions"] |= {
            name: " / ".join(said) for name, said in descriptions.items()
        }
        return frame

    @cached_property
    def calls(self) -> Any:
        """One row for each exchange with an outside mind, in the order in which they were kept.

        replicate, round, agent     whose it was, and the round that was being played
        who                         name of the agent, as the prompt has it
        component, occasion         who asked, for what hook and line
        question                    the kind of line
        use, turn                   which line of that kind, which exchange of the occasion, from 0;
                                    turn -1: a component found the answer by itself
        again, reason               "repair" or "cut" where an earlier reply could not be used: why
        asked, model                the run's name for the model; the provider's name
        finish                      why the reply ended
        retries                     attempts that failed on the way
        prompt_tokens, cached_tokens, completion_tokens, cost
                                    tokens (cached: of the prompt, in the provider's cache), US
                                    dollars; missing where nobody knows
        seconds                     with all attempts
        prompt, reply               text, as sent and received
        """
        by_run = exchanges.read_calls(self.played)
        every = [call for calls, _ in by_run for call in calls]
        names = [name for _, own in by_run for name in own]
        counts = [len(calls) for calls, _ in by_run]
        return self._frame(counts, exchanges.call_columns(every, names))

    @cached_property
    def ledger(self) -> Any:
        """One row for each component, question and model that was asked.

        calls, repairs, cut                 exchanges, and those of them that mend a reply
        retries, fallbacks                  failed attempts; answers that could not be read at all
        copied, unasked                     exchanges that took the reply to an identical question;
                                            answers that were found without an exchange
        prompt_tokens, completion_tokens    tokens, missing where unknown
        cached_tokens                       those of prompts that came from a provider's cache
        cost                                US dollars, missing where unknown
        """
        entries = [entry for run in self.played for entry in run.ledger]
        return self._frame(
            [len(run.ledger) for run in self.played], exchanges.ledger_columns(entries)
        )

    @cached_property
    def troubles(self) -> Any:
        """One row for each answer that could not be used as it came.

        replicate, round, agent     whose it was
        who                         name of the agent, as prompts have it
        component, question, model  the component that asked, the kind of line, the model
        what, reason                "repair", "cut", "fallback" or "disqualified", and why
        """
        by_run = [block.troubles for block in self._history.blocks]
        every = [trouble for troubles in by_run for trouble in troubles]
        names = [*exchanges.trouble_names(self.played, by_run)]
        counts = [len(troubles) for troubles in by_run]
        return self._frame(counts, exchanges.trouble_columns(every, names))

    @cached_property
    def _history(self) -> RoundHistory:
        return RoundHistory(self.played)

    @cached_property
    def _conclusions(self) -> list[PostAnalysisResults]:
        return [_conclusion(run) for run in self.played]

    @cached_property
    def _coded(self) -> dict[Path, CodingResults]:
        """The results of codings, by folder."""
        results = {}
        for coding in self.codings:
            folder = coding.folder.resolve()
            own = [run for run in self.played if run.path.resolve().parent == folder]
            results[coding.folder] = coding.measured({run.name: run.path for run in own})
        return results

    @cached_property
    def specs(self) -> Mapping[str, FactSpec]:
        """Words, units and labels of what scenarios and components named, by name.

        Runs may declare different ones: units are "fish or points" then, and labels are joined.
        """
        declared: dict[str, list[FactSpec]] = {}
        for run in self.played:
            for name, spec in run.manifest.specs.items():
                declared.setdefault(name, []).append(spec)
        return {name: _join_specs(specs) for name, specs in declared.items()}

    def _detail_table(self, form: LongForm, layout: FrameLayout = MappingProxyType({})) -> Any:
        layout = {"agent": details.nullable_seats, **layout}
        return self.table(form, details.UNITS, layout=layout)

    @property
    def heading(self) -> FrameHeading:
        """The columns that all frames begin with."""
        names, labels = [run.name for run in self.played], [run.factors for run in self.played]
        return FrameHeading(names, self.levels, labels)

    def table(
        self,
        form: LongForm,
        units: Mapping[str, str],
        heading: FrameHeading | None = None,
        layout: FrameLayout = MappingProxyType({}),
    ) -> Any:
        """Tabulate rows in long form, of which each run is a part; units: of some columns.

        layout: by column, the function that makes pandas values of an array, if not the usual one.
        """
        columns: Columns = {}
        for name, values in form.arrays().items():
            spec, own = FactSpec(unit=units.get(name, "")), name.removeprefix(NAMED)
            if own != name:
                spec = self.specs.get(fact_of(own), UNSPECIFIED)
            if name in layout:
                laid_out = layout[name](values)
            elif spec.labels:
                laid_out = labelled_categories(values, spec.labels)
            else:
                laid_out = column_values(values, spec.unit)
            add_column(columns, own, FrameColumn(laid_out, spec.unit, spec.text))
        return self._frame(form.counts, columns, heading)

    def _frame(
        self, counts: Sequence[int], own: Columns, heading: FrameHeading | None = None
    ) -> Any:
        """Return a frame of columns of so many rows for each condition, behind its heading."""
        return data_frame(self._headed(counts, own, heading))

    def _headed(
        self, counts: Sequence[int], own: Columns, heading: FrameHeading | None = None
    ) -> Columns:
        """Put columns of so many rows for each condition behind those of a heading."""
        columns = (heading or self.heading).columns(counts)
        for name, column in own.items():
            add_column(columns, name, column)
        return columns


def _join_specs(specs: Sequence[FactSpec]) -> FactSpec:
    """Put together what several runs declare of one name."""
    return FactSpec(
        "; ".join(dict.fromkeys(spec.text for spec in specs if spec.text)),
        " or ".join(dict.fromkeys(spec.unit for spec in specs if spec.unit)),
        tuple(dict.fromkeys(label for spec in specs for label in spec.labels)),
    )


def _conclusion(run: ConditionRun) -> PostAnalysisResults:
    if run.status != "finished":
        return PostAnalysisResults()
    with run.opened() as file:
        return run_post_analysis(file)
