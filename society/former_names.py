"""Names of former times, and what they are now: one table for all that has been moved or renamed.

Users' files may name modules, classes and functions, and scenario files mechanisms and parameters,
as they were called when they were written. They find what is meant, and are told once how to write
it now. Nothing here is read before a former name is asked for.

A line of MOVED gives a module of society and where its names are now. A name that has changed, or
has gone elsewhere than the rest, stands below it: without a dot it is a name in the module's new
place. A former module that has no line is below the new place of the former package it was in. A
module that is still there, and stands for itself here, looks its former names up by `find`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Literal
from warnings import warn

Sort = Literal["scenario", "component", "mechanism", "parameter"]

# What scenario files, prompt packs and commands may name: former -> current. Parameters with their
# owner, as it is called now: "fishing_village.fine" -> "sanction".
RENAMED: Mapping[Sort, Mapping[str, str]] = {
    "scenario": {},
    "component": {},
    "mechanism": {},
    "parameter": {},
}


def current(sort: Sort, name: str) -> str:
    """Give the name that something has now; warns if this is a former one.

    >>> current("mechanism", "repeated")
    'repeated'
    """
    now = RENAMED[sort].get(name, name)
    if now != name:
        _warn_once(sort, name, now)
    return now


def spellings(sort: Sort, name: str) -> tuple[str, ...]:
    """List the current name and all former ones of something that is given by any of them."""
    now = RENAMED[sort].get(name, name)
    return (now, *(old for old, new in RENAMED[sort].items() if new == now))


def with_current_parameters(owner: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give values under the names that the owner's parameters have now; warns of former ones.

    A value under the current name outweighs one under a former name.
    """
    renamed = {name: _parameter(owner, name) for name in given}
    former = {now: given[name] for name, now in renamed.items() if now != name}
    return former | {name: value for name, value in given.items() if renamed[name] == name}


def _parameter(owner: str, name: str) -> str:
    return current("parameter", f"{owner}.{name}").rpartition(".")[2]


@cache
def _warn_once(sort: Sort, name: str, now: str) -> None:
    words = f"the {sort} {name!r} is called {now!r} now; write that"
    warn(words, DeprecationWarning, stacklevel=3)


class FormerModule(ModuleType):
    """A module that is gone: its names are looked up where they are now, with a warning for each.

    Where its package offers something else of the same name, calling the module calls that:
    importing society.scenario leaves @society.scenario(...) in use.
    """

    def __getattr__(self, name: str) -> Any:
        return find(self.__name__, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep a module below this one from hiding what is called as it is."""
        if not isinstance(value, ModuleType) or _held(self.__name__, name) is None:
            super().__setattr__(name, value)

    def __call__(self, *args: Any, **given: Any) -> Any:
        package, _, name = self.__name__.rpartition(".")
        home = _home(self.__name__)
        if name not in getattr(sys.modules[package], "__all__", ()) or home is None:
            raise TypeError(f"the module {self.__name__} cannot be called")
        return getattr(import_module(home), name)(*args, **given)


class _Loader(Loader):
    """Makes former modules: there is nothing to be run."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return FormerModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__doc__ = f"A former name of {_home(module.__name__)}."


def spec_of(module: str) -> ModuleSpec | None:
    """Give how a former module is imported; None if there never was one of this name."""
    home = _home(module)
    if home is None:
        return None
    return ModuleSpec(module, _Loader(), is_package=_is_package(home))


def find(module: str, name: str) -> Any:
    """Give what a former module held under a name; warns once, and may raise AttributeError.

    It is for the __getattr__ of modules: the warning is about the line that called that.
    """
    home, now = _place(module, name)
    found = _held(module, name)
    if found is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    shop = import_module("society")
    home = "society" if now in shop.__all__ and getattr(shop, now) is found else home
    words = f"{module}.{name} is elsewhere now; write: from {home} import {now}"
    warn(words, DeprecationWarning, stacklevel=3)
    setattr(sys.modules[module], name, found)  # asked for once
    return found


def _held(module: str, name: str) -> Any:
    """What a former module held under a name, but for modules; None if there is no such thing."""
    home, now = _place(module, name)
    if name.startswith("__") or home == module:
        return None
    found = getattr(import_module(home), now, None)
    return None if isinstance(found, ModuleType) else found


def _place(module: str, name: str) -> tuple[str, str]:
    """Which module holds now what a former one held under a name, and under which one."""
    home, _, now = _renamed_in(module).get(name, f"{_home(module)}.{name}").rpartition(".")
    return home, now


def _home(module: str) -> str | None:
    """Where the names of a former module are now; None if there is no such place."""
    if module in _table():
        return _table()[module][0]
    package, _, name = module.rpartition(".")
    above = _home(package) if "." in package else None
    if above is None or above == package or not _is_package(above):
        return None
    home = f"{above}.{name}"
    return home if find_spec(home) is not None else None


def _is_package(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and spec.submodule_search_locations is not None


def _renamed_in(module: str) -> Mapping[str, str]:
    return _table()[module][1] if module in _table() else {}


@cache
def _table() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Former modules: where they are now, and where those of their names are that differ."""
    table: dict[str, tuple[str, dict[str, str]]] = {}
    for line in MOVED.strip().splitlines():
        former, _, now = line.strip().partition(" -> ")
        if not line.startswith(" "):
            home, names = f"society.{now}", dict[str, str]()
            table[f"society.{former}"] = home, names
        else:
            names[former] = f"society.{now}" if "." in now else f"{home}.{now}"
    return table


MOVED = """
agent -> engine.component
    Members -> engine.agents.AgentGroup
    One -> engine.agents.Agent
callbook -> llm.call_tables
    seal -> checksum
calls -> engine.calls
    Entry -> Usage
    NoVault -> NoCallStore
    Said -> Completion
    Trouble -> ParseIssue
    Vault -> CallStore
cast -> engine.population
    Troupe -> Population
catalogue -> config.registry
    Shelf -> Registry
    experiments -> index.experiments
    presets -> index.presets
checks -> engine.parameters
claims -> claims
    Claim -> claims.types.Claim
    Design -> claims.types.ReproductionDesign
    Evidence -> claims.types.Evidence
    Finding -> claims.types.ClaimFinding
    HOW -> claims.types.HOW
    Levels -> claims.types.FactorLevels
    M -> claims.types.M
    Outcome -> claims.types.VerdictOutcome
    Reproduction -> claims.types.Reproduction
    Shown -> claims.types.PageSection
    Trial -> claims.types.Trial
    Untold -> claims.types.InsufficientEvidence
    Verdict -> claims.types.ClaimVerdict
    all_hold -> claims.types.all_hold
    any_holds -> claims.types.any_holds
    as_levels -> claims.types.as_levels
    asked -> claims.types.asked_model
    called -> claims.types.find_model
    judged -> claims.types.judge_claims
    noted -> claims.types.comparison_notes
    ordered -> claims.types.order_finding
    outcome_of -> claims.types.outcome_of
cohorts -> config.cohorts
commands -> cli
commands.lab -> cli.experiments
commands.runs -> cli.runs
    UNSAID -> NOT_GIVEN
    minds_given -> model_options
    tell -> list_entries
commands.stdout -> cli.console
comparisons -> claims.comparisons
    Fared -> TypeScores
components.attitude -> components.language.attitude
components.backstory -> components.language.backstory
components.best_responses -> components.games.best_responses
components.coded_by_hand -> components.common.human_coder
components.creed -> components.language.personal_norm
components.designs -> components.games.mechanism_use
components.donation -> components.donor.donation
components.genes -> components.common.genes
components.harvest -> components.village.harvest
components.language -> components.language
    LanguagePolicy -> components.language.llm_policy.LanguagePolicy
    MOST_CUTS -> components.language.llm_policy.MOST_CUTS
    View -> components.language.llm_policy.View
    answered -> components.language.llm_policy.answered
    labels -> components.language.llm_policy.labels
    view -> components.language.llm_policy.view
components.model_gene -> components.common.genes
components.moves -> components.games.classic_strategies
    Past -> SeenPast
    Strategy -> StrategyName
components.norm_belief -> components.village.norm_belief
components.parts -> components.games.payoff_helpers
components.persona -> components.village.persona
components.punishment -> components.village.punishment
components.recall -> components.language.recall
components.recorded -> components.language.recorded_decisions
    Address -> DecisionPlace
    Decision -> RecordedDecision
components.reflection -> components.language.reflection
components.reputation -> components.donor.opinions
components.sanctions -> components.games.sanctions
components.shown_past -> components.games.observed_history
    Shown -> ShownMoves
components.social_learning -> components.village.social_learning
components.social_norms -> components.donor.social_norms
components.strategy -> components.language.strategy_text
components.track_record -> components.donor.track_record
components.voting -> components.village.voting
digest -> engine.history
draws -> engine.rng
facts -> engine.observations
families -> config.graph_families
gamemaster -> engine.game_master
graph -> engine.graph
heap -> runs.session
keeper -> engine.arrays
    Keeper -> ArrayNormaliser
    Misshapen -> WrongShape
lab -> experiments
lab.analysis -> experiments.analysis_plan
    Analysis -> AnalysisPlan
lab.bases -> experiments.bases
    Bases -> BaseReader
    kept -> copy_spec
lab.coding -> analysis.coding
lab.coding.coded -> analysis.coding.rating_runs
    coded -> play_coding
lab.coding.codes -> analysis.coding.codes
    Measured -> CodingResults
    codes_of -> read_codes
    doubts -> reliability_doubts
    measured -> measure_codes
    together -> merge_codes
lab.coding.people -> analysis.coding.rating_runs
    sheet_of -> read_sheet
lab.coding.scheme -> experiments.coding_plan
    CodingSpec -> CodingPlan
    rubric_of -> read_rubric
    spec_of -> rater_spec
lab.coding.texts -> analysis.coding.texts
    ByHand -> experiments.coding_plan.HandCodes
    Place -> TextPlace
    codes_by_hand -> experiments.coding_plan.read_hand_codes
    gathered -> gather_texts
    write -> write_sheet
lab.crossplay -> analysis.crossplay
    Cell -> analysis.crossplay.cell.GameCell
    Standing -> analysis.crossplay.standings.RunStandings
    plays -> analysis.crossplay.cell.has_game_moves
lab.crossplay.adoption -> analysis.crossplay.adoption
    adopted -> adoption_rows
    sorts -> agreement_kinds
lab.crossplay.cell -> analysis.crossplay.cell
    Cell -> GameCell
    plays -> has_game_moves
lab.crossplay.conduct -> analysis.crossplay.action_frequencies
    Moves -> MoveTable
lab.crossplay.contests -> analysis.crossplay.contests
    Given -> MechanismParameters
    contests -> group_contests
lab.crossplay.crossplay -> analysis.crossplay.crossplay_study
lab.crossplay.designs -> analysis.crossplay.adoption
    Design -> JudgedDesign
    Verdict -> DesignVerdict
    contracted -> contract_payoffs
    dominant -> is_dominant
    judged -> judge_design
    mediated -> mediator_payoffs
    played_for_all -> mediated_profile
    stable -> is_equilibrium
lab.crossplay.minds -> analysis.crossplay.reply_quality
    minds -> reply_quality_rows
lab.crossplay.rounds -> analysis.crossplay.decisions
lab.crossplay.rows -> analysis.crossplay.match_tables
    Rows -> TableRows
    decisions -> decision_rows
    matches -> match_rows
    places -> agent_columns
lab.crossplay.shown -> analysis.crossplay.scoreboard
    scored -> scores_as_json
    shown -> print_scores
lab.crossplay.standing -> analysis.crossplay.standings
    Standing -> RunStandings
    Sums -> MeanOverRuns
lab.essence -> experiments.folder
    essence -> config_hash
lab.evolution -> analysis.evolution
    Bias -> analysis.evolution.price_equation.MutationBias
    Change -> analysis.evolution.price_equation.PriceTerms
    Compared -> analysis.evolution.transplant_effects.TransplantEffects
    Difference -> analysis.evolution.transplant_effects.TransplantDifference
    Past -> analysis.evolution.records.GenerationRecords
    bias -> analysis.evolution.price_equation.mutation_bias
    compared -> analysis.evolution.transplant_effects.compare_transplants
    focal -> analysis.evolution.transplant_effects.focal_agents
    frozen -> analysis.evolution.transplants.transplant_experiment
    over_runs -> analysis.evolution.evolution_study.mean_over_runs
    price -> analysis.evolution.price_equation.split_change
lab.evolution.compared -> analysis.evolution.transplant_effects
    Compared -> TransplantEffects
    Difference -> TransplantDifference
    Origin -> TransplantOrigin
    compared -> compare_transplants
    focal -> focal_agents
    named -> focal_condition
lab.evolution.evolution -> analysis.evolution.evolution_study
    over_runs -> mean_over_runs
lab.evolution.frozen -> analysis.evolution.transplants
    Agent -> PlacedAgent
    frozen -> transplant_experiment
lab.evolution.past -> analysis.evolution.records
    Past -> GenerationRecords
lab.evolution.price -> analysis.evolution.price_equation
    Bias -> MutationBias
    Change -> PriceTerms
    bias -> mutation_bias
    price -> split_change
lab.evolution.rows -> analysis.evolution.generation_tables
    Era -> RunGeneration
    Rows -> GenerationRows
    agents -> agent_columns
    biases -> bias_rows
    changes -> change_rows
    courses -> course_rows
    distances -> distance_rows
    eras -> run_generations
    generations -> generation_rows
    lives -> life_rows
    reactions -> reaction_rows
lab.evolution.trends -> analysis.statistics.correlation
lab.evolution.words -> analysis.evolution.generation_tables
    distance -> mean_distance
    effective -> effective_number
    numbers -> count_numbers
    words -> count_words
lab.experiment -> experiments.experiment
    Luck -> RandomNumbers
    experiment -> read_experiment
lab.extra -> optional
    needed -> require
lab.factors -> experiments.factors
    Choice -> FactorLevel
    Levels -> LevelsSpec
    choices -> factor_levels
    general_first -> sort_general_first
    setting -> read_setting
    settings -> read_settings
lab.folder -> experiments.folder
    Folder -> SweepFolder
    Played -> ConditionFile
    opened -> open_folder
lab.metagame -> analysis.metagame
    Selection -> analysis.metagame.dynamics.ReplicatorOutcome
    undefined -> analysis.metagame.payoffs.metagame_gap
    unpaid -> analysis.metagame.payoffs.lopsided_seatings
lab.metagame.dynamics -> analysis.metagame.dynamics
    Selection -> ReplicatorOutcome
lab.metagame.matchups -> analysis.metagame.payoffs
    undefined -> metagame_gap
    unpaid -> lopsided_seatings
lab.metagame.scales -> analysis.metagame.payoffs
lab.metagame.shapes -> analysis.metagame.payoffs
lab.metagame.stability -> analysis.metagame.dynamics
lab.naming -> experiments.factors
    filed -> run_file_name
    luck -> independent_seed
    of_coding -> is_coding_file
    rated -> coding_name
    worded -> format_label
lab.parts -> experiments.jobs
    Part -> PlannedRun
    named -> name_runs
    parts -> planned_runs
    standing -> run_statuses
lab.planning -> analysis.planning
lab.planning.caveats -> analysis.planning.caveats
    caveats -> list_caveats
lab.planning.outlook -> analysis.planning.plan_summary
    facts -> plan_as_json
    tell -> print_plan
lab.planning.pilot -> analysis.planning.pilot
    Origin -> PilotOrigin
    Trial -> PilotRuns
    models -> models_asked
    pilot -> find_pilot
    spread -> spread_conditions
lab.planning.plan -> analysis.planning.plan
    Compared -> PlannedContrast
    Term -> PlannedTerm
    planned -> make_plan
lab.progress -> experiments.progress
    Silent -> NoProgress
    spending -> describe_spending
lab.report -> report
    report -> write_report
    written -> write_sections
lab.reproduction -> reproduction
lab.reproduction.account -> reproduction.page
    CHAPTERS -> SECTIONS
    account -> write_page
lab.reproduction.attempt -> reproduction.run
    Attempt -> ReproductionRun
lab.reproduction.effects -> reproduction.estimators
lab.reproduction.fared -> reproduction.estimators
    fared -> type_scores
    read -> read_cell
lab.reproduction.forecast -> reproduction.run
lab.reproduction.results -> reproduction.evidence
    Pair -> ArrayPair
    Result -> ExperimentResult
lab.shares -> experiments.limits
    at_once -> max_at_once
    share -> share_of_limits
    shared_out -> divide_rate_limits
lab.statistics -> analysis.statistics
    Share -> analysis.statistics.means.ShareEstimate
    Lives -> analysis.statistics.survival.SurvivalTimes
    Source -> analysis.statistics.anova.AnovaRow
    Unanswerable -> analysis.statistics.samples.NotEstimable
lab.statistics.anova -> analysis.statistics.anova
    Source -> AnovaRow
lab.statistics.agreement -> analysis.statistics.agreement
    Code -> CodeValue
lab.statistics.means -> analysis.statistics.means
    Share -> ShareEstimate
lab.statistics.counts -> analysis.statistics.proportions
lab.statistics.samples -> analysis.statistics.samples
    Pairs -> MatchedPairs
    Unanswerable -> NotEstimable
    answered -> try_compute
    varied -> has_spread
lab.statistics.survival -> analysis.statistics.survival
    Lives -> SurvivalTimes
lab.study -> analysis.study
    Studied -> analysis.study.condition.ConditionRun
    studied -> open_study
lab.study.details -> analysis.study.details
    Gathered -> LongTable
    readings -> read_pages
lab.study.exchanges -> analysis.study.llm_calls
    calls -> call_columns
    exchanges -> read_calls
    ledger -> ledger_columns
    spending -> spending_columns
    troubles -> trouble_columns
lab.study.frames -> analysis.study.frames
    Column -> FrameColumn
    Heading -> FrameHeading
    add -> add_column
    factorised -> categories_in_order
    flags -> nullable_flags
    frame -> data_frame
    joined -> concatenate
    whole -> nullable_integers
    words -> strings
lab.study.history -> analysis.study.rounds
    Block -> RunBlock
    History -> RoundHistory
    stacked -> stack_blocks
lab.study.lines -> analysis.study.events
    Reading -> PageReading
    Said -> Statement
lab.study.norms -> analysis.study.codings
    Coding -> SweepCoding
    codings -> open_codings
lab.study.played -> analysis.study.condition
    Studied -> ConditionRun
lab.study.tidy -> analysis.study.study
lab.sweep -> experiments.sweep
    Watching -> SweepListener
    swept -> play_experiment
lab.worker -> experiments.worker
    Done -> JobResult
    interrupted -> interrupt_jobs
    played -> play_run
    work -> run_job
lineage.courses -> lineage.generations
lineage.heredity -> lineage.inheritance
lineage.likeness -> lineage.lives
listing -> config.listing
meaning -> llm.parsing.values
members -> engine.agents
    Company -> engine.state.CohortState
    Members -> AgentGroup
    One -> Agent
    Question -> engine.observations.Question
    World -> RunContext
models -> llm.providers
models.breaker -> llm.providers.rate_limits
models.desk -> llm.providers.pool
    Desk -> ModelPool
models.free -> llm.providers.offline
    Free -> OfflineModel
models.halt -> engine.cancellation
    Halt -> CancellationToken
models.keys -> llm.providers.api_keys
models.lean -> llm.providers.openai_compatible
    Lean -> OpenAICompatible
models.limits -> llm.providers.rate_limits
models.own -> llm.providers.langchain
    Own -> LangChain
models.prices -> llm.providers.pricing
models.remote -> llm.providers.caller
models.tape -> llm.providers.replay
    Tape -> AnswerTape
models.wire -> llm.providers.responses
    Place -> ResponsePlace
objects -> llm.parsing.json_objects
outside -> engine.gateway
    Embedder -> TextEmbedder
    Outside -> ModelGateway
positions -> config.yaml_source
prompts -> llm.prompt_files
    Sight -> engine.agents.Sight
reading -> llm.parsing.extract
    Legal -> engine.action_spaces.Legal
    read -> llm.parsing.answers.read
replies -> engine.action_spaces
    Amount -> Real
    Form -> Fields
    Mix -> MixedStrategy
    Peer -> Neighbour
    Reply -> ActionSpace
    Whole -> Integer
    Words -> Text
rubric -> engine.rubric
runs.afterword -> runs.conclusions
runs.changes -> runs.provenance
runs.drafting -> runs.design_runs
runs.extent -> runs.structure
    Extent -> RoundStructure
    extent -> round_structure
runs.heredity -> runs.heritable
runs.packing -> runs.encoding
    Line -> StoredLine
    Look -> ArrayLayout
runs.resume -> runs.session
runs.rules -> runs.structure
runs.sitting -> runs.session
    Sitting -> Session
runs.spending -> runs.session
runs.store -> runs.schema
runs.vault -> runs.call_store
    CallVault -> RunFileCallStore
    Recorded -> RecordedCalls
scenario -> engine.scenario
    Additions -> Brought
    Afterword -> PostAnalysis
    Epilogue -> MechanismPostAnalysis
    M -> engine.parameters.M
    Stage -> DisplaySpec
    Told -> RoundFacts
scenario_file -> config.spec
    Section -> FileSection
scenarios.approval -> scenarios.mechanisms.agreements.approval_voting
scenarios.battery -> scenarios.donor.probe
scenarios.branches -> scenarios.mechanisms.institution_choice.branches
scenarios.capped -> scenarios.mechanisms.quota.quota
scenarios.chosen -> scenarios.mechanisms.institution_choice.institution_choice
scenarios.contracted -> scenarios.mechanisms.contracts.contracts
scenarios.contracts -> scenarios.mechanisms.contracts.terms
scenarios.descent -> scenarios.mechanisms.generations.lineage
    Lineage -> LineageRecorder
scenarios.designs -> scenarios.mechanisms.agreements.proposals
    Design -> DesignFields
    Designs -> TypeDesigns
    Entry -> DesignEntry
    Given -> GivenDesigns
scenarios.dilemma_agreements -> scenarios.reproductions.tewolde2026.agreement_games
scenarios.dilemma_deviations -> scenarios.reproductions.tewolde2026.one_shot_deviations
scenarios.dilemma_paper -> scenarios.reproductions.tewolde2026
scenarios.dilemma_profiles -> scenarios.reproductions.tewolde2026.profiles
scenarios.dilemma_theory -> scenarios.reproductions.tewolde2026.theorem
scenarios.dilemma_triggers -> scenarios.reproductions.tewolde2026.trigger_strategies
    Norm -> TriggerNorm
scenarios.dilemmas -> scenarios.games.two_by_two
scenarios.discussed -> scenarios.mechanisms.cheap_talk.cheap_talk
scenarios.donations -> scenarios.donor.decisions
    Decision -> DonorDecision
scenarios.donor_changes -> scenarios.reproductions.vallinder2024
scenarios.donor_game -> scenarios.donor.donor_game
scenarios.donor_theory -> scenarios.reproductions.vallinder2024.arithmetic
scenarios.fined -> scenarios.mechanisms.peer_incentives.punishment
scenarios.fishing_village -> scenarios.village.fishing_village
scenarios.games -> scenarios.games
    ABSENT -> scenarios.games.game.ABSENT
    Game -> scenarios.games.game.Game
    NormalForm -> scenarios.games.game.NormalForm
    Outcome -> scenarios.games.game.GameOutcome
    Profile -> scenarios.games.game.Profile
    REPAIRS -> scenarios.games.game.REPAIRS
    numbered -> scenarios.games.game.numbered
scenarios.generations -> scenarios.mechanisms.generations.generations
scenarios.gifted -> scenarios.mechanisms.peer_incentives.reward
scenarios.groups -> scenarios.mechanisms.cheap_talk.groups
scenarios.hearsay -> scenarios.donor.gossip
scenarios.institutions -> scenarios.village.institutions
scenarios.language_village -> scenarios.village.language_village
scenarios.led -> scenarios.mechanisms.leadership.leadership
scenarios.matches -> scenarios.games.matching
scenarios.mechanisms -> scenarios.mechanisms.all_mechanisms
scenarios.mediated -> scenarios.mechanisms.mediation.mediation
scenarios.mediation -> scenarios.mechanisms.mediation.service
    Actions -> ActionMediator
scenarios.mediators -> scenarios.mechanisms.mediation.plans
scenarios.norm_coding -> scenarios.coding.norm_coding
scenarios.normal_form -> scenarios.games.normal_form
    Actions -> ActionNumbers
    Labels -> ActionLabels
scenarios.norms -> scenarios.village.norm_measures
    Sentences -> NormSentences
scenarios.options -> scenarios.mechanisms.institution_choice.options
scenarios.partners -> scenarios.donor.partner_choice
scenarios.pasts -> scenarios.mechanisms.history
    Actions -> ActionHistory
scenarios.points -> scenarios.mechanisms.peer_incentives.points
    Points -> PeerPoints
scenarios.public_goods -> scenarios.games.public_goods
scenarios.recommended -> scenarios.mechanisms.correlation_device.correlation_device
scenarios.repeated -> scenarios.mechanisms.repetition.repetition
scenarios.reputed -> scenarios.mechanisms.reputation.reputation
    Entry -> ReputationEntry
    Round -> ReputationRound
scenarios.scenes -> scenarios.village.narration
scenarios.schedules -> scenarios.donor.pairing
    Pairs -> DonorPairs
scenarios.selection -> scenarios.mechanisms.generations.selection
    Chosen -> SelectedParents
    Rule -> SelectionRule
scenarios.sentences -> scenarios.village.norm_proposals
    Policy -> NormPolicy
scenarios.strategies -> scenarios.mechanisms.generations.diversity
scenarios.succession -> scenarios.mechanisms.generations.lineage
scenarios.tournament -> scenarios.mechanisms.tournament.tournament
scenarios.traces -> scenarios.donor.traces
    Trace -> DonorTrace
scenarios.traits -> scenarios.donor.measures
scenarios.travellers_dilemma -> scenarios.games.travellers_dilemma
scenarios.unchanged -> scenarios.mechanisms.baseline.baseline
scenarios.village_ablations -> scenarios.reproductions.gupta2026.ablations
scenarios.village_fines -> scenarios.reproductions.gupta2026.fines
scenarios.village_meeting -> scenarios.village.village_meeting
    Meeting -> MeetingParams
sentence -> llm.parsing.sentences
spec -> config.build
table -> engine.environment
    Table -> Environment
talk -> engine.script
    Page -> engine.history.Page
    Recorder -> engine.history.Recorder
    Step -> engine.history.Step
    VOID -> VOID_REPLICATE
    Void -> VoidReplicate
tape -> engine.replay
templates -> llm.templates
theatre -> terminal
theatre.ancestry -> terminal.lineage
theatre.births -> terminal.lineage
theatre.courses -> terminal.score_tables
theatre.crossplay -> terminal.score_tables
theatre.deeds -> terminal.events
    Deeds -> EventLines
theatre.forecast -> terminal.llm_usage
theatre.ink -> terminal.console
    Column -> TerminalColumn
    Ink -> TerminalStyle
theatre.minds -> terminal.llm_usage
theatre.places -> terminal.labels
    Places -> RoundLabels
theatre.plain -> terminal.replay
theatre.roll -> terminal.agent_table
    Roll -> AgentTable
theatre.scene -> terminal.round_view
    Scene -> RoundView
theatre.trace -> terminal.agent_table
theatre.traits -> terminal.events
theatre.words -> terminal.labels
wording -> text
wrap -> engine.mechanism
    M -> engine.parameters.M
    Mechanism -> engine.scenario.MechanismSpec
    Play -> PlayFunction
    mechanism -> engine.scenario.mechanism
    overhear -> intercept
    rehearsed -> dry_run
"""
