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

NameSort = Literal["scenario", "component", "mechanism", "parameter"]

# What scenario files, prompt packs and commands may name: former -> current. Parameters with their
# owner, as it is called now: "fishing_village.fine" -> "sanction".
RENAMED: Mapping[NameSort, Mapping[str, str]] = {
    "scenario": {},
    "component": {
        "coded_by_hand": "human_coder",
        "creed": "personal_norm",
        "designs": "mechanism_use",
        "moves": "classic_strategies",
        "recorded": "recorded_decisions",
        "reputation": "opinions",
    },
    "mechanism": {
        "capped": "quota",
        "chosen": "institution_choice",
        "contracted": "contracts",
        "discussed": "cheap_talk",
        "drafted": "draft_designs",
        "fined": "peer_punishment",
        "gifted": "peer_reward",
        "led": "leadership",
        "mediated": "mediation",
        "recommended": "correlation_device",
        "repeated": "repetition",
        "reputed": "reputation",
        "unchanged": "baseline",
    },
    "parameter": {
        "@mechanism.afterword": "post_analysis",
        "@scenario.afterword": "post_analysis",
        "@scenario.in_words": "language_variant",
        "@scenario.stage": "display",
    },
}


def current(sort: NameSort, name: str) -> str:
    """Give the name that something has now; warns if this is a former one.

    >>> current("mechanism", "repetition")
    'repetition'
    """
    now = RENAMED[sort].get(name, name)
    if now != name:
        _warn_once(sort, name, now)
    return now


def spellings(sort: NameSort, name: str) -> tuple[str, ...]:
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
def _warn_once(sort: NameSort, name: str, now: str) -> None:
    words = f"the {sort} {name!r} is called {now!r} now; write that"
    warn(words, FormerNameWarning, stacklevel=3)


class FormerNameWarning(DeprecationWarning):
    """A former name is in use."""


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
    warn(words, FormerNameWarning, stacklevel=3)
    setattr(sys.modules[module], name, found)  # asked for once
    return found


def _held(module: str, name: str) -> Any:
    """Return the object under a name in a former module; None for modules and unknown names."""
    home, now = _place(module, name)
    if name.startswith("__") or home == module:
        return None
    found = getattr(import_module(home), now, None)
    return None if isinstance(found, ModuleType) else found


def _place(module: str, name: str) -> tuple[str, str]:
    """Return the module and the name under which a former name is now found."""
    home, _, now = _renamed_in(module).get(name, f"{_home(module)}.{name}").rpartition(".")
    return home, now


def _home(module: str) -> str | None:
    """Return the module that has the names of a former one; None if there is none."""
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
    entered -> scatter_answers
    singly -> single_asks
callbook -> llm.call_tables
    addresses -> call_addresses
    calls -> list_calls
    found -> find_call
    ledger -> usage_entries
    seal -> checksum
    spent -> use_so_far
    unanswered -> unanswered_calls
    vectors -> find_vectors
calls -> engine.calls
    Entry -> Usage
    NoVault -> NoCallStore
    Said -> Completion
    Trouble -> ParseIssue
    Vault -> CallStore
    added -> sum_known
    stacked -> stack_vectors
cast -> engine.population
    Troupe -> Population
    fitted -> fill_from_params
    made -> fill_from
catalogue -> config.registry
    Shelf -> Registry
    Sort -> ItemSort
    Thing -> RegistryItem
    experiments -> index.experiments
    located -> resolve_reference
    presets -> index.presets
checks -> engine.parameters
    Fault -> Issue
    Refused -> ValidationIssues
    anchored -> resolve_path
    checked -> validate
    dotted -> dotted_path
    expected -> describe_schema
    unknown -> unknown_name
claims -> claims
    Claim -> claims.types.Claim
    Design -> claims.types.ReproductionDesign
    Evidence -> reproduction.evidence.Evidence
    Finding -> claims.types.ClaimFinding
    HOW -> claims.types.HOW
    Levels -> claims.types.FactorLevels
    M -> claims.types.M
    Outcome -> claims.types.VerdictOutcome
    Reproduction -> claims.types.Reproduction
    Shown -> claims.data.PageSection
    Trial -> claims.data.Trial
    Untold -> claims.types.InsufficientEvidence
    Verdict -> claims.types.ClaimVerdict
    all_hold -> claims.types.all_hold
    any_holds -> claims.types.any_holds
    as_levels -> claims.types.as_levels
    called -> claims.types.find_model
    judged -> reproduction.judges.judge_claims
    noted -> claims.types.comparison_notes
    ordered -> claims.types.order_finding
    outcome_of -> claims.types.outcome_of
cohorts -> config.cohorts
    components -> build_components
commands -> cli
commands.lab -> cli.experiments
    plan -> plan_command
    report -> report_command
    reproduce -> reproduce_command
    sweep -> sweep_command
commands.runs -> cli.runs
    KINDS -> cli.catalogue.KINDS
    UNSAID -> cli.arguments.NOT_GIVEN
    replay -> cli.replay.replay_command
    resume -> resume_command
    run -> run_command
    show -> show_command
    tell -> cli.catalogue.list_command
    totals -> sum_ledger
    verify -> verify_command
commands.stdout -> cli.output
comparisons -> claims.comparisons
    Fared -> TypeScores
    Ranked -> analysis.statistics.posthoc.Tukey
    worded_p -> p_in_words
components.attitude -> components.language.attitude
components.backstory -> components.language.backstory
components.best_responses -> components.games.best_responses
    best -> best_response
    learned -> update_responses
components.coded_by_hand -> components.common.human_coder
    CodedByHand -> HumanCoder
components.creed -> components.language.personal_norm
    Creed -> PersonalNorm
components.designs -> components.games.mechanism_use
    Designs -> MechanismUse
    binding -> binding_contracts
    sustaining -> sustaining_mediators
components.donation -> components.donor.donation
    decision -> donation_decision
    reflected -> reflect_into_unit
components.genes -> components.common.genes
    mutated -> mutate
components.harvest -> components.village.harvest
components.language -> components.language
    LanguagePolicy -> components.language.llm_policy.LanguagePolicy
    View -> components.language.llm_policy.ShownFacts
    answered -> components.language.llm_policy.ask_model
    labels -> components.language.llm_policy.option_labels
    view -> components.language.llm_policy.agent_view
components.model_gene -> components.common.genes
components.moves -> components.games.classic_strategies
    Moves -> ClassicStrategies
    Past -> SeenPast
    Strategy -> StrategyName
    cooperating -> cooperation_chance
    drawn -> sample_actions
    mixed -> mixed_strategies
    remembered -> update_memory
    responding -> plays_best_responses
    responses -> update_best_responses
    situation -> remembered_situation
    strategies -> strategy_indices
components.norm_belief -> components.village.norm_belief
components.parts -> components.games.payoff_helpers
    aspirations -> equilibrium_payoffs
    chances -> action_chances
    cooperation -> cooperative_actions
    deviations -> deviation_payoffs
    seats -> game_seats
components.persona -> components.village.persona
components.punishment -> components.village.punishment
components.recall -> components.language.recall
    Count -> MemoryCount
    finder -> memory_finder
    recounted -> recount_memories
    vectors -> embed_texts
components.recorded -> components.language.recorded_decisions
    Address -> DecisionPlace
    Decision -> RecordedDecision
    Recorded -> RecordedDecisions
    decided -> interpret_decision
    table -> read_decisions
components.reflection -> components.language.reflection
components.reputation -> components.donor.opinions
    Reputation -> Opinions
components.sanctions -> components.games.sanctions
components.shown_past -> components.games.observed_history
    Shown -> ShownMoves
    shown -> observed_moves
components.social_learning -> components.village.social_learning
components.social_norms -> components.donor.social_norms
components.strategy -> components.language.strategy_text
components.track_record -> components.donor.track_record
    reviews -> write_reviews
components.voting -> components.village.voting
    nearest -> nearest_option
    worded -> proposal_texts
digest -> engine.history
    chained -> chain_digest
draws -> engine.rng
    Places -> DrawPlaces
    mixed -> mix_words
facts -> engine.observations
    frozen -> read_only
families -> config.graph_families
    Count -> NodeCount
    built -> draw_graph
    drawing -> parse_graph
    family -> graph_family
gamemaster -> engine.game_master
graph -> engine.graph
    Rows -> AgentRows
heap -> runs.session
    keep_freed -> keep_freed_memory
keeper -> engine.arrays
    Keeper -> ArrayNormaliser
    Misshapen -> WrongShape
lab -> experiments
lab.analysis -> experiments.analysis_plan
    Analysis -> AnalysisPlan
lab.clusters -> experiments.clusters
    dask -> dask_cluster
    processes -> local_processes
lab.coding -> analysis.coding
lab.coding.coded -> analysis.coding.rating_runs
    coded -> play_coding
lab.coding.codes -> analysis.coding.codes
    Measured -> CodingResults
    Reliability -> RaterAgreement
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
lab.crossplay.rounds -> analysis.crossplay.game_decisions
lab.crossplay.rows -> analysis.crossplay.match_tables
    Rows -> TableRows
    decisions -> decision_rows
    matches -> match_rows
    places -> match_agent_columns
lab.crossplay.shown -> analysis.crossplay.scoreboard
    scored -> scores_as_json
    shown -> print_scores
lab.crossplay.standing -> analysis.crossplay.standings
    Standing -> RunStandings
    Sums -> MeanOverRuns
lab.essence -> runs.provenance
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
    general_first -> config.run_config.sort_general_first
    setting -> read_setting
    settings -> read_settings
lab.folder -> experiments.folder
    Folder -> SweepFolder
    Played -> ConditionFile
    opened -> open_folder
lab.metagame -> analysis.metagame
    Selection -> analysis.metagame.dynamics.ReplicatorOutcome
    normalised -> analysis.metagame.payoffs.normalise_payoffs
    resists -> analysis.metagame.dynamics.resistance_matrix
    undefined -> analysis.metagame.payoffs.metagame_gap
    unpaid -> analysis.metagame.payoffs.lopsided_seatings
lab.metagame.dynamics -> analysis.metagame.dynamics
    Selection -> ReplicatorOutcome
lab.metagame.matchups -> analysis.metagame.payoffs
    undefined -> metagame_gap
    unpaid -> lopsided_seatings
lab.metagame.scales -> analysis.metagame.payoffs
    normalised -> normalise_payoffs
lab.metagame.shapes -> analysis.metagame.payoffs
lab.metagame.stability -> analysis.metagame.dynamics
    resists -> resistance_matrix
lab.naming -> experiments.factors
    filed -> run_file_name
    luck -> independent_seed
    of_coding -> is_coding_file
    rated -> coding_name
    worded -> format_label
lab.parts -> experiments.jobs
    Part -> PlannedRun
    named -> runs.provenance.name_runs
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
    Plan -> PowerPlan
    Term -> PlannedTerm
    planned -> make_plan
lab.progress -> experiments.progress
    Silent -> NoProgress
    spending -> describe_spending
lab.report -> report
    report -> write_report
    written -> write_sections
lab.reproduction -> reproduction
lab.reproduction.account -> reproduction.reproduction_page
    CHAPTERS -> SECTIONS
    account -> write_page
lab.reproduction.attempt -> reproduction.run
    Attempt -> ReproductionRun
lab.reproduction.effects -> reproduction.estimators
    effects -> effects_by_name
lab.reproduction.fared -> reproduction.estimators
    fared -> type_scores
    read -> read_cell
lab.reproduction.forecast -> experiments.jobs
lab.reproduction.results -> reproduction.evidence
    Pair -> ArrayPair
    Result -> ExperimentResult
    Results -> Evidence
lab.shares -> experiments.limits
    at_once -> max_at_once
    share -> share_of_limits
    shared_out -> divide_rate_limits
lab.statistics -> analysis.statistics
    Count -> analysis.statistics.proportions.SuccessCount
    Lives -> analysis.statistics.survival.SurvivalTimes
    Share -> analysis.statistics.means.ShareEstimate
    Source -> analysis.statistics.anova.AnovaRow
    Unanswerable -> analysis.statistics.samples.NotEstimable
    corrected -> analysis.statistics.posthoc.correct_p_values
lab.statistics.agreement -> analysis.statistics.agreement
    Code -> CodeValue
lab.statistics.anova -> analysis.statistics.anova
    Source -> AnovaRow
lab.statistics.counts -> analysis.statistics.proportions
    Count -> SuccessCount
lab.statistics.means -> analysis.statistics.means
    Share -> ShareEstimate
lab.statistics.posthoc -> analysis.statistics.posthoc
    corrected -> correct_p_values
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
    Said -> StatedValue
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
lineage.courses -> lineage.generation_pages
lineage.generations -> lineage.generation_pages
    generations -> list_generations
lineage.heredity -> lineage.inheritance
lineage.likeness -> lineage.lives
listing -> config.listing
    listed -> listing_lines
meaning -> llm.parsing.values
    nothing -> means_nothing
    number -> parse_number
    numbered -> are_numbered
    option -> match_option
    peer -> match_peer
    plain -> normalise_words
    unwrapped -> strip_wrapping
memory.vectors -> memory.embedders
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
    found -> key_names
    host -> url_host
    load -> load_env_file
    quoted -> quote_stranger
    redacted -> redact
    revealed -> exposed_secret
    texts -> nested_texts
models.lean -> llm.providers.openai_compatible
    Lean -> OpenAICompatible
models.limits -> llm.providers.rate_limits
    limiter -> shared_limiter
models.own -> llm.providers.langchain
    Own -> LangChain
models.prices -> llm.providers.pricing
    price -> find_price
models.remote -> llm.providers.caller
models.retry -> llm.providers.retry
    persistent -> ask_persistently
models.settings -> llm.providers.settings
    Count -> LimitCount
    Sort -> ModelSort
    listing -> model_syntax
models.tape -> llm.providers.answer_tape
    Tape -> AnswerTape
models.wire -> llm.providers.responses
    Place -> ResponsePlace
    completion -> parse_completion
    refusal -> http_error
    reply -> checked_reply
    spoken -> without_thoughts
objects -> llm.parsing.json_objects
    dangling -> unclosed_brace
    objects -> decode_objects
outside -> engine.gateway
    Embedder -> TextEmbedder
    Outside -> ModelGateway
positions -> config.yaml_source
    read -> read_yaml
prompts -> llm.prompt_files
    Sight -> engine.agents.Sight
    sentence -> fact_sentence
reading -> llm.parsing.extract
    Legal -> engine.action_spaces.Legal
    answer -> find_answer
    filled -> find_fields
    named -> entries_named
    prepared -> strip_thoughts
    quoted -> quote_excerpt
    read -> llm.parsing.answers.read_reply
    speech -> find_speech
    unlatexed -> strip_latex
    unnamed -> first_unnamed
    unread -> unread_error
replies -> engine.action_spaces
    Amount -> Real
    Form -> Fields
    Mix -> MixedStrategy
    Peer -> Neighbour
    Reply -> ActionSpace
    Whole -> Integer
    Words -> Text
    heard -> restrict_bounds
rubric -> scenarios.coding.rubric
runs.afterword -> runs.conclusions
    Concluded -> PostAnalysisResults
    concluded -> run_post_analysis
runs.changes -> runs.provenance
    changes -> list_changes
runs.drafting -> runs.design_runs
    Drafting -> DesignRun
    completed -> with_designs
    drafted -> make_designs
    drafted_beside -> design_files
    drafted_in -> design_file
    draftings -> design_runs
runs.extent -> runs.structure
    Extent -> RoundStructure
    extent -> round_structure
runs.heredity -> runs.heritable
    heredity -> run_heredity
runs.packing -> runs.encoding
    Key -> ArrayKey
    Line -> StoredLine
    Look -> ArrayLayout
    Part -> LinePart
    Sort -> LineSort
    packed -> pack_lines
    unpacked -> unpack_lines
runs.rules -> runs.structure
runs.sitting -> runs.session
    Sitting -> Session
runs.spending -> runs.session
    spent -> use_in_file
    total -> use_in_files
runs.store -> runs.schema
    Standing -> RunStanding
    beside -> side_file
runs.vault -> runs.call_store
    CallVault -> RunFileCallStore
    Recorded -> RecordedCalls
    reworded -> reworded_error
    unwritable -> unwritable_error
scenario -> engine.scenario
    Additions -> Brought
    Afterword -> PostAnalysis
    Epilogue -> MechanismPostAnalysis
    M -> engine.parameters.M
    Stage -> DisplaySpec
    Told -> RoundFacts
    estimated -> estimate_measure
    wrapped -> wrap_scenario
scenario_file -> config.run_config
    CohortSpec -> CohortConfig
    Count -> RunCount
    Key -> SettingKey
    Part -> ComponentEntry
    Section -> FileSection
    Spec -> RunConfig
    amended -> override
    found -> describe_origin
    load -> load_config
    placed -> setting_place
scenarios.approval -> scenarios.mechanisms.agreements.approval_voting
    elected -> elect
    everybody -> spread_to_players
    shared -> match_fact
scenarios.battery -> scenarios.donor.probe
    battery -> probe_encounters
    deeds -> probe_deeds
    endowed -> probe_endowments
    mutation_bias -> bias_of_mutation
    supposed -> ask_probe
scenarios.branches -> scenarios.mechanisms.institution_choice.branches
    played -> play_branches
scenarios.capped -> scenarios.mechanisms.quota.quota
    capped -> quota
scenarios.chosen -> scenarios.mechanisms.institution_choice.institution_choice
    chosen -> institution_choice
    measuring -> option_measures
scenarios.contracted -> scenarios.mechanisms.contracts.contracts
    contracted -> contracts
    moved -> amount_transferred
    signing -> signing_share
    unanimous -> unanimous_signing
scenarios.contracts -> scenarios.mechanisms.contracts.terms
    terms -> contract_terms
    transfers -> net_transfers
scenarios.descent -> scenarios.mechanisms.generations.lineage_recorder
    Lineage -> LineageRecorder
scenarios.designs -> scenarios.mechanisms.agreements.proposals
    Design -> DesignFields
    Designs -> TypeDesigns
    Entry -> DesignEntry
    Given -> GivenDesigns
    amount -> bounded_move
    between -> interpolate
    handed -> designs_by_seat
    surveyed -> survey_play
scenarios.dilemma_agreements -> scenarios.reproductions.tewolde2026.agreement_games
    contract -> contract_deviations
    dominating -> dominating_payments
    mediation -> mediator_deviations
    transferred -> game_under_contract
scenarios.dilemma_deviations -> scenarios.reproductions.tewolde2026.one_shot_deviations
    nash -> is_nash
    threshold -> lowest_threshold
scenarios.dilemma_paper -> scenarios.reproductions.tewolde2026
scenarios.dilemma_profiles -> scenarios.reproductions.tewolde2026.profiles
    population -> norm_in_population
    repeated -> grim_trigger
scenarios.dilemma_theory -> scenarios.reproductions.tewolde2026.theorem
    atoning -> atonement_thresholds
    comfortable -> enough_at_paper_d
    comfortable_in_subgames -> enough_in_subgames
    contracting -> contract_stages
    mediating -> mediation_deviations
    repeating -> repetition_thresholds
    standing -> standing_as_printed
    triggering -> trigger_thresholds
scenarios.dilemma_triggers -> scenarios.reproductions.tewolde2026.trigger_strategies
    Norm -> TriggerNorm
    forbearance -> forbearance_threshold
    patience -> patience_threshold
    pure -> pure_profile
    repetition -> decide_under_repetition
    reputation -> decide_under_reputation
    trigger -> trigger_norm
scenarios.dilemmas -> scenarios.games.two_by_two
    won -> points_won
scenarios.discussed -> scenarios.mechanisms.cheap_talk.cheap_talk
    discussed -> cheap_talk
scenarios.donations -> scenarios.donor.decisions
    Decision -> DonorDecision
    countable -> stays_countable
    counted -> end_uncountable
    decided -> ask_decision
    owned -> owned_fact
    reply -> decision_space
    settled -> settle_encounters
scenarios.donor_changes -> scenarios.reproductions.vallinder2024
scenarios.donor_game -> scenarios.donor.donor_game
scenarios.donor_theory -> scenarios.reproductions.vallinder2024.arithmetic
    arithmetic -> constant_share_outcome
    most -> most_attainable
scenarios.fined -> scenarios.mechanisms.peer_incentives.peer_punishment
    fined -> peer_punishment
scenarios.fishing_village -> scenarios.village.fishing_village
    buried -> bury_indebted
    efficiency -> catch_efficiency
    landed -> scenarios.village.lake.land_catch
    overnight -> pass_night
    paid -> tell_payoffs
    regrown -> scenarios.village.lake.regrow
    sustainable -> sustainable_yield
scenarios.games -> scenarios.games
    ABSENT -> scenarios.games.game.ABSENT
    Game -> scenarios.games.game.Game
    NormalForm -> scenarios.games.game.NormalForm
    Outcome -> scenarios.games.game.GameOutcome
    Profile -> scenarios.games.game.Profile
    REPAIRS -> scenarios.games.game.REPAIRS
    numbered -> scenarios.games.game.number_labels
scenarios.generations -> scenarios.mechanisms.generations.generations
scenarios.gifted -> scenarios.mechanisms.peer_incentives.peer_reward
    gifted -> peer_reward
scenarios.groups -> scenarios.mechanisms.cheap_talk.groups
    announced -> announce_terms
    grouped -> current_matches
    informed -> play_stage_first
    size -> group_size
scenarios.hearsay -> scenarios.donor.gossip
    gossiped -> spread_gossip
scenarios.institutions -> scenarios.village.institutions
    distinct -> distinct_values
    imitated -> imitate_neighbours
    median -> median_voter
    plurality -> plurality_winner
    proposed_and_voted -> propose_and_vote
    punished -> fine_neighbours
    watched -> detection_chance
scenarios.language_village -> scenarios.village.language_village
    known -> known_facts
    paid -> tell_wealth
    stated -> stated_cap
    told_law -> tell_policy
    villagers -> language_villagers
scenarios.led -> scenarios.mechanisms.leadership.leadership
    led -> leadership
scenarios.matches -> scenarios.games.player_matching
    mean -> mean_over_agents
    met -> match_players
scenarios.mechanisms -> scenarios.mechanisms.all_mechanisms
    capped -> quota
    chosen -> institution_choice
    contracted -> contracts
    discussed -> cheap_talk
    drafted -> draft_designs
    fined -> peer_punishment
    gifted -> peer_reward
    led -> leadership
    mediated -> mediation
    recommended -> correlation_device
    repeated -> repetition
    reputed -> reputation
    unchanged -> baseline
scenarios.mediated -> scenarios.mechanisms.mediation.mediation
    adopted -> all_delegate
    delegating -> delegation_share
    mediated -> mediation
    unanimous -> unanimous_approval
scenarios.mediation -> scenarios.mechanisms.mediation.service
    Actions -> ActionMediator
    resolved -> resolve_delegation
scenarios.mediators -> scenarios.mechanisms.mediation.plans
    MEDIATED -> MEDIATION
    plans -> mediator_plans
scenarios.norm_coding -> scenarios.coding.norm_coding
    agreeing -> agreeing_pairs
    paired -> rated_pairs
    uncoded -> uncoded_share
scenarios.normal_form -> scenarios.games.normal_form
    Actions -> ActionNumbers
    Labels -> ActionLabels
    cooperating -> cooperation_rate
    drawn -> draw_actions
    efficiency -> payoff_efficiency
    moved -> ask_moves
    played -> play_game
    tabulated -> tabulate_game
scenarios.norms -> scenarios.village.norm_measures
    Sentences -> NormSentences
scenarios.options -> scenarios.mechanisms.institution_choice.options
    described -> describe_options
    option -> parse_option
    titles -> option_titles
scenarios.partners -> scenarios.donor.partner_choice
    accepted -> choose_partners
scenarios.pasts -> scenarios.mechanisms.action_history
    Actions -> ActionHistory
    weights -> game_weights
scenarios.points -> scenarios.mechanisms.peer_incentives.points
    Points -> PeerPoints
    settled -> settle_points
    shown -> points_spec
scenarios.public_goods -> scenarios.games.public_goods
scenarios.recommended -> scenarios.mechanisms.correlation_device.correlation_device
    followed -> following_share
    recommended -> correlation_device
scenarios.repeated -> scenarios.mechanisms.repetition.repetition
    repeated -> repetition
scenarios.reputed -> scenarios.mechanisms.reputation.reputation
    Entry -> ReputationEntry
    Round -> ReputationRound
    mixed -> shuffle_matches
    reputed -> reputation
scenarios.scenes -> scenarios.village.narration
    judged -> judge_attempts
    spoken -> hold_speeches
scenarios.schedules -> scenarios.donor.pairing
    Pairs -> DonorPairs
    feasible -> refuse_infeasible
    playable -> refuse_unplayable
    shift -> round_shift
scenarios.selection -> scenarios.mechanisms.generations.selection
    Chosen -> SelectedParents
    Rule -> SelectionRule
scenarios.sentences -> scenarios.village.norm_proposals
    Policy -> NormPolicy
    ballot -> ballot_options
    central -> median_proposal
    reconsidered -> revise_policy
    unwritten -> no_policy
scenarios.strategies -> scenarios.mechanisms.generations.diversity
scenarios.succession -> scenarios.mechanisms.generations.lineage_recorder
scenarios.tournament -> scenarios.mechanisms.tournament.tournament
    drafted -> draft_designs
scenarios.traces -> scenarios.donor.traces
    Trace -> DonorTrace
    informed -> informed_agents
scenarios.traits -> scenarios.donor.measures
scenarios.travellers_dilemma -> scenarios.games.travellers_dilemma
    game -> travellers_game
scenarios.unchanged -> scenarios.mechanisms.baseline.baseline
    unchanged -> baseline
scenarios.village_ablations -> scenarios.reproductions.gupta2026.village_judges
scenarios.village_fines -> scenarios.reproductions.gupta2026.village_judges
scenarios.village_meeting -> scenarios.village.village_meeting
    Meeting -> MeetingParams
    promised -> total_promised
    promising -> promising_share
sentence -> llm.parsing.sentences
spec -> config.build
    Setup -> Society
    prepared -> build
table -> engine.environment
    Table -> Environment
talk -> engine.script
    Page -> engine.history.Page
    Recorder -> engine.history.Recorder
    Step -> engine.history.Step
    VOID -> VOID_REPLICATE
    Void -> VoidReplicate
tape -> engine.tape
templates -> llm.templates
theatre -> terminal
theatre.ancestry -> terminal.lineage_tree_text
    ancestry -> print_ancestry
theatre.answers -> terminal.answer_summary
theatre.births -> terminal.births
theatre.courses -> terminal.measures_table
    courses -> measures_over_time
theatre.crossplay -> terminal.score_tables
    scoreboard -> print_scoreboard
    unscored -> print_no_scores
theatre.deeds -> terminal.event_lines
    Deeds -> EventLines
theatre.forecast -> terminal.forecast_text
    costs -> print_costs
    forecast -> print_forecast
theatre.ink -> terminal.console
    Column -> TerminalColumn
    Ink -> TerminalStyle
    ended -> strip_end
    figured -> number_column
    flowing -> flow_items
    labelled -> labelled_row
    printed -> print_lines
    stacked -> labelled_lines
    table -> layout_table
theatre.minds -> terminal.usage_tables
    asked -> usage_tables
    dollars -> format_dollars
    mishaps -> count_mishaps
    reasons -> fallback_reasons
    spending -> spending_words
    total -> sum_usage
    unsure -> unsure_agents
theatre.pairs -> terminal.pairs
    besides -> other_columns
theatre.places -> terminal.labels
    Places -> RoundLabels
    around -> enclosing_rounds
    counted -> count_noun
    found -> find_round
theatre.plain -> terminal.replay
    history -> print_history
theatre.roll -> terminal.agent_table
    Roll -> AgentTable
theatre.scene -> terminal.round_view
    Scene -> RoundView
    improvised -> default_display
    labelled -> answer_labels
    opened -> present_at_start
    stood -> present_at_end
    told -> last_common_fact
    told_in -> facts_told
    worded -> answer_words
theatre.summary -> terminal.summary
    happened -> course_sentence
    summary -> print_summary
theatre.trace -> terminal.trace
theatre.traits -> terminal.agent_table
theatre.words -> terminal.labels
    ending -> describe_ending
    named -> lineage.lives.name_life
    spoken -> spell_kind
    standing -> describe_status
wording -> text
    clean -> clean_line
    fenced -> quote_text
    number -> format_number
    plain -> format_fact
    shortened -> shorten
wrap -> engine.mechanism
    M -> engine.parameters.M
    Mechanism -> engine.scenario.MechanismSpec
    Play -> PlayFunction
    mechanism -> engine.scenario.mechanism
    overhear -> intercept
    rehearsed -> dry_run
    topped_up -> add_extra_payoff
"""
