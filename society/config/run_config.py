"""The content of a scenario file, read and checked for its form.

`load_config` reads a file and `override` applies settings, wherever they come from;
society.config.build.build checks that names and values fit the scenario.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from society.engine.agents import OptionOrder
from society.engine.parameters import (
    Issue,
    Keys,
    ValidationIssues,
    dotted_path,
    resolve_path,
    validate,
)
from society.engine.scenario import Scenario
from society.errors import ScenarioError, short_path, suggest
from society.former_names import spellings
from society.index import instruments, presets
from society.llm.perturbations import PerturbationName
from society.llm.providers.settings import Limits, ModelSpec
from society.memory.embedders import known_embedder
from society.plugins import plugin_origin

from .graph_families import GraphSpec
from .registry import resolve_reference, used_path
from .yaml_source import Source, read_yaml, value_of


def _part(said: Any, info: ValidationInfo) -> Any:
    """Turn NAME and a part without fields into {NAME: {}}; anchor paths to the file's folder."""
    if isinstance(said, str):
        return {said: {}}
    if isinstance(said, Mapping) and len(said) == 1:
        return {name: _fields(given, info) for name, given in said.items()}
    raise ValueError(f"got {said!r:.60}; expected a name, or one name with its fields under it")


def _fields(given: Any, info: ValidationInfo) -> Any:
    if not isinstance(given, Mapping):
        return {} if given is None else given
    paths = {key: given[key] for key in ("file", "folder") if isinstance(given.get(key), str)}
    return {**given, **{key: resolve_path(path, info) for key, path in paths.items()}}


def _anchored_folders(given: Any, info: ValidationInfo) -> Any:
    """Let the parameter `folders` name folders from that of the file on."""
    if not isinstance(given, Mapping) or not isinstance(folders := given.get("folders"), list):
        return given
    paths = [resolve_path(one, info) if isinstance(one, str) else one for one in folders]
    return {**given, "folders": paths}


Named = dict[str, Any]
ComponentEntry = Annotated[  # {name: {field: value}}, or a name
    dict[str, Named], BeforeValidator(_part, json_schema_input_type=str | dict[str, Named | None])
]
File = Annotated[str, AfterValidator(resolve_path)]
Used = Annotated[str, AfterValidator(used_path)]


def _model(said: Any, info: ValidationInfo) -> Any:
    """Turn a model's name into settings; anchor files that it names to the file's folder."""
    given = {"model": said} if isinstance(said, str) else said
    if not isinstance(given, Mapping) or not isinstance(name := given.get("model"), str):
        return given
    file, mark, function = name.rpartition(".py:")
    kind, colon, path = name.partition(":")
    if colon and kind in ("local", "tape"):
        name = f"{kind}:{resolve_path(path, info)}"
    elif mark:
        name = f"{resolve_path(file + '.py', info)}:{function}"
    return {**given, "model": name}


def _embedder(name: str, info: ValidationInfo) -> str:
    """Check an embedder's name; anchor a file that it names to the folder of the scenario file."""
    file, mark, function = known_embedder(name).rpartition(".py:")
    return f"{resolve_path(file + '.py', info)}:{function}" if mark else name


Model = Annotated[ModelSpec, BeforeValidator(_model, json_schema_input_type=str | ModelSpec)]
Embeddings = Annotated[str, AfterValidator(_embedder)]
RunCount = Annotated[int, Field(ge=1, le=10_000_000)]


def _where(reference: str, info: ValidationInfo) -> str:
    context = info.context or {}
    return (
        reference
        if context.get("resolved")
        else resolve_reference(reference, context.get("folder"))
    )


class FileSection(BaseModel):
    """The part of a scenario file under one key."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, said: Any) -> Any:
        """Drop keys without a value."""
        if not isinstance(said, Mapping):
            return said
        return {key: value for key, value in said.items() if value is not None}


class CohortConfig(FileSection):
    """Agents with the same components.

    components: all of them; by default those of the scenario's default cast: of its cohort of the
    same name, or of its only kind of cohort. replace: {default component: another}. parameters:
    fields of any of its components, in place of the scenario's parameters. count: the number of
    agents; where a mechanism assigns the seats, a cohort is a type of agent.
    """

    name: str
    count: RunCount = 1
    components: Annotated[list[ComponentEntry], Field(min_length=1)] | None = None
    replace: dict[str, ComponentEntry] = {}
    parameters: Annotated[Named, BeforeValidator(_fields)] = {}


class RunConfig(FileSection):
    """The content of a scenario file.

    scenario: a name, FILE.py or FILE.py:NAME. graph: for all relations that `graphs` leaves out.
    mechanisms: the first is the innermost. uses: .py files, folders of them, or modules, with
    components, mechanisms and graph functions of the user. agents: the cohorts' sum or else the
    scenario's default, as are rounds. models: by the names that components use; "default" is used
    where none is named. limits: hard stops. prompts: a folder of templates that override others.
    option_order: of the options and peers that language minds choose from: an order for each agent
    and question, by chance; one for all agents (round); or that of the scenario (fixed).
    perturbation: puts all questions to models in other words (society.llm.perturbations).
    embedder: of texts, for components and measures that name none themselves.
    share_identical: ask models identical questions at temperature 0 once. batch: ask them through
    the batch interfaces of providers. drafts: parameters of mechanisms that an earlier run has
    made; the program fills them in.
    """

    scenario: Annotated[str, AfterValidator(_where)]
    seed: Annotated[int, Field(ge=0)] = 1
    agents: RunCount | None = None
    rounds: RunCount | None = None
    replicates: RunCount = 1
    uses: list[Used] = []
    parameters: Annotated[Named, BeforeValidator(_anchored_folders)] = {}
    cohorts: Annotated[list[CohortConfig], Field(min_length=1)] | None = None
    graph: GraphSpec | None = None
    graphs: dict[str, GraphSpec] = {}
    mechanisms: list[ComponentEntry] = []
    models: dict[str, Model] = {}
    limits: Limits = Limits()
    prompts: File | None = None
    option_order: OptionOrder = "agent"
    perturbation: PerturbationName | None = None
    embedder: Embeddings | None = None
    share_identical: bool = False
    batch: bool = False
    drafts: dict[str, Named] = {}

    _source: Source = PrivateAttr(default_factory=Source)


def load_config(
    source: str | Scenario,
    changes: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> RunConfig:
    """Read a scenario file and override it with `changes`; raises InputError.

    source: a scenario or preset by name, FILE.yaml, FILE.py or FILE.py:NAME; or a scenario that is
    an object. changes: the content of a scenario file; the scenario that it names does not count.
    folder: the base of relative paths; None: the working directory.

    >>> load_config("fishing_village", {"parameters": {"growth": 0.2}, "replicates": 20}).replicates
    20
    """
    said: Any
    if isinstance(source, Scenario):  # looked up by name, it could be a file of that name
        folder, said, origin = Path.cwd(), {"scenario": source.name}, Source("given as an object")
    else:
        where = resolve_reference(source, folder)
        if where.endswith((".yaml", ".yml")):
            folder, (said, positions) = Path(where).parent, read_yaml(Path(where))
        else:
            folder, said, positions = Path.cwd(), {"scenario": where}, {}
        origin = Source(describe_origin(where), positions)
    if not isinstance(said, dict):
        raise origin.refusal([Issue((), "got no keys; begin with scenario: NAME")])
    if "base" in said and "scenario" not in said:
        shown = origin.found
        raise ScenarioError(f"{shown} is an experiment; play it by: society sweep {shown}")
    spec = _validated(said, origin, folder, resolved=isinstance(source, Scenario))
    given = {key: value for key, value in (changes or {}).items() if key != "scenario"}
    return override(spec, read_settings(given), folder) if given else spec


SettingKey = str | tuple[str, ...]
EVERY = "*"  # in a key: the default model, or all models if there is no default


class Setting(NamedTuple):
    """A value for one key of a scenario file, and the place where it was given.

    key: as users type it, a parameter of the scenario; or a key of the file, with those below it
    after dots: rounds, graphs.learn, cohorts.miser.count. model is short for models.default, and
    graph.learn for graphs.learn. Or its place in the file, key by key, where names that users gave
    are part of it, which may have dots: ("models", "gpt-5.2"). where: "a.yaml:4:10", an option, or
    "" if it was given in Python.
    """

    key: SettingKey
    value: Any
    where: str = ""

    @property
    def words(self) -> str:
        """The key as users type it."""
        return self.key if isinstance(self.key, str) else ".".join(self.key)


def override(spec: RunConfig, settings: Iterable[Setting], folder: Path | None = None) -> RunConfig:
    """Override a configuration with settings, in order; raises InputError.

    A model keeps those of its settings that are not given; a graph for all replaces those of single
    relations. folder: the base of relative paths; None: the working directory.

    >>> two = [Setting("rounds", 9, "here"), Setting("models.judge", "offline", "here")]
    >>> spec = override(load_config("fishing_village"), two)
    >>> spec.rounds, spec.models["judge"].sort
    (9, 'offline')
    """
    said, origin = spec.model_dump(), spec._source
    for setting in settings:
        key, value, where = setting
        try:
            places = _places(setting, said)
            if not said["models"] and any(keys[0] == "models" for keys in places):
                origin = origin.said_again(("models",), where)
            for keys in places:
                origin = origin.said_again(keys, where)
                if keys[0] == "models" and len(keys) == 2:
                    given = {"model": value} if isinstance(value, str) else value
                    value = _merge_model(said["models"].get(keys[1], {}), given)
                    for name in given if isinstance(given, Mapping) else ():
                        origin = origin.said_again((*keys, name), where)
                _put(said, keys, value)
        except ValidationIssues as refused:
            origin = origin.said_again((setting.words,), where)
            raise origin.refusal(refused.faults) from None
        if key in ("graph", ("graph",)):
            said["graphs"] = {}
    return _validated(said, origin, folder or Path.cwd(), resolved=True)


def read_settings(
    given: Mapping[str, Any], keys: Keys = (), origin: Source | None = None
) -> list[Setting]:
    """List the settings in the content of a scenario file, the general ones first.

    Parameters, models and graphs are settings of their own, since a base may have more of them.
    keys: the place of this content in the file that `origin` describes; without it, the content was
    given in Python.

    >>> [one.key for one in read_settings({"graphs": {"learn": "ring"}, "graph": "complete"})]
    [('graph',), ('graphs', 'learn')]
    """
    found = []
    for key, value in given.items():
        if key in ("parameters", "models", "graphs") and isinstance(value, Mapping):
            for name, inner in value.items():
                found.append(read_setting((key, str(name)), inner, (*keys, key, name), origin))
        else:
            found.append(read_setting(key, value, (*keys, key), origin))
    return sort_general_first(found)


def read_setting(key: SettingKey, value: Any, keys: Keys, origin: Source | None = None) -> Setting:
    """Make a setting of the value at `keys` in a file."""
    if origin is None:
        return Setting((key,) if isinstance(key, str) else key, value)
    position = origin.positions.get(keys)
    return Setting(key, value, position.value if position else origin.found)


def sort_general_first(given: Iterable[Setting]) -> list[Setting]:
    """Sort settings so that none undoes another: graph before graphs and graphs.learn."""

    def depth(one: Setting) -> tuple[int, bool]:
        keys = setting_place(one.key)
        return len(keys), keys != ("graph",)

    return sorted(given, key=depth)


OPTIONS = ("seed", "agents", "rounds", "replicates")  # keys that `society run` has options for


def parse_setting(text: str, options: Container[str] = OPTIONS) -> Setting:
    """Parse KEY=VALUE, as --set takes it; raises InputError.

    options: keys for which the command has an option, which is to be used.

    >>> parse_setting("growth=.2").value, parse_setting("graph.learn={kind: ring}").where
    (0.2, '--set graph.learn={kind: ring}')
    """
    label = f"--set {text}"
    key, equals, value = text.partition("=")
    if not equals:
        raise ScenarioError(f"{label}: expected KEY=VALUE, as in --set growth=0.2")
    if key in options:
        raise ScenarioError(f"{label}: {key} is not a scenario parameter; use --{key} instead")
    return Setting(key, value_of(value, label), label)


def parse_settings(texts: Iterable[str], options: Container[str] = OPTIONS) -> list[Setting]:
    """Parse all KEY=VALUE of a command line; raises InputError for a key that is given twice."""
    found: dict[tuple[str, ...], Setting] = {}
    for setting in (parse_setting(text, options) for text in texts):
        earlier = found.setdefault(setting_place(setting.key), setting)
        if earlier is not setting:
            raise ScenarioError(f"{earlier.where} and {setting.where}: give {setting.words} once")
    return list(found.values())


LIMITS = ("max_cost", "max_calls", "max_tokens", "max_fallbacks")

_OPTIONS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("seed", "rounds", "replicates", "agents", "prompts")},
    **{name: (name,) for name in ("share_identical", "batch")},
    "model": ("models", "default"),
    "api_base": ("models", EVERY, "api_base"),
    "max_concurrency": ("models", EVERY, "concurrency"),
    **{name: ("limits", name) for name in LIMITS},
}


def option_settings(options: Mapping[str, Any]) -> list[Setting]:
    """Turn options of the command line, by name, into settings; others have no part in it.

    >>> option_settings({"max_calls": 9, "json": True})
    [Setting(key=('limits', 'max_calls'), value=9, where='--max-calls')]
    """
    return [
        Setting(keys, options[name], f"--{name.replace('_', '-')}")
        for name, keys in _OPTIONS.items()
        if name in options
    ]


def setting_place(key: SettingKey) -> tuple[str, ...]:
    """Return the place of a setting in a scenario file, under any of its names; cohorts by name.

    >>> setting_place("fine"), setting_place("graph.learn"), setting_place("model.temperature")
    (('parameters', 'fine'), ('graphs', 'learn'), ('models', 'default', 'temperature'))
    >>> setting_place(("models", "gpt-5.2"))
    ('models', 'gpt-5.2')
    """
    if not isinstance(key, str):
        return key
    head, *rest = key.split(".")
    if head == "model":
        return ("models", "default", *rest)
    if head == "graph" and rest:
        return ("graphs", *rest)
    return (head, *rest) if head in RunConfig.model_fields else ("parameters", key)


def _places(setting: Setting, said: Mapping[str, Any]) -> list[Keys]:
    """List the places of a setting in a spec; raises ValidationIssues."""
    head, *rest = setting_place(setting.key)
    if head == "scenario":
        words = "a setting cannot change the scenario; name another base"
        raise ValidationIssues(Issue((setting.words,), words, True))
    if head == "models" and rest and rest[0] == EVERY:
        # Without models only the offline one is asked, which any number of calls may reach.
        none = [] if rest[-1] == "concurrency" else ["default"]
        names = ["default"] if "default" in said["models"] else [*said["models"]] or none
        return [(head, name, *rest[1:]) for name in names]
    if head == "models" and rest:
        return [(head, *_join_name(rest, said["models"]))]
    if head not in ("cohorts", "mechanisms") or not rest:
        return [(head, *rest)]
    if head == "cohorts":
        names = [cohort["name"] for cohort in said["cohorts"] or ()]
    else:
        names = [name for part in said["mechanisms"] for name in part]
    name, *below = _join_name(rest, names)
    if head == "mechanisms" and name not in names:
        name = next((one for one in spellings("mechanism", name) if one in names), name)
    if name not in names:
        words = f"no {head.removesuffix('s')} is called {name!r}; {suggest(name, names)}"
        raise ValidationIssues(Issue((setting.words,), words, True))
    # The name of a cohort is one of its keys; that of a mechanism is the key above its fields.
    return [(head, names.index(name), *(below if head == "cohorts" else (name, *below)))]


def _join_name(keys: Sequence[str], names: Collection[str]) -> Sequence[str]:
    """Join as many of the first keys as make a known name: a name may have dots.

    >>> _join_name(["gpt-5", "2", "temperature"], ["gpt-5", "gpt-5.2"])
    ['gpt-5.2', 'temperature']
    """
    for end in range(len(keys), 1, -1):
        if (name := ".".join(keys[:end])) in names:
            return [name, *keys[end:]]
    return keys


def _merge_model(old: Mapping[str, Any], given: Any) -> Any:
    """Merge new settings of a model into its old ones."""
    if not isinstance(given, Mapping):
        return given
    if "model" in given:  # another model is not on the server of the old one
        old = {name: kept for name, kept in old.items() if name != "api_base"}
    return {**old, **given}


def _put(said: Any, keys: Keys, value: Any) -> None:
    """Set a value deep inside; raises ValidationIssues where a key on the way holds no mapping."""
    *way, last = keys
    for depth, key in enumerate(way):
        if isinstance(said, dict) and said.get(key) is None:
            said[key] = {}
        said = said[key]
        if not isinstance(said, dict | list):
            words = f"{dotted_path(keys[: depth + 1])} is {said!r:.60}, which has no keys to set"
            raise ValidationIssues(Issue((".".join(map(str, keys)),), words, True))
    said[last] = value


def _validated(
    said: Mapping[str, Any], origin: Source, folder: Path, *, resolved: bool
) -> RunConfig:
    """Check the form of a scenario file's content; resolved: its scenario was looked up."""
    said, origin = _with_instruments(said, origin, folder)
    try:
        spec = validate(RunConfig, said, "key", {"folder": folder, "resolved": resolved})
    except ValidationIssues as refused:
        raise origin.refusal(map(_with_home, refused.faults)) from None
    spec._source = origin
    return spec


def _with_instruments(
    said: Mapping[str, Any], origin: Source, folder: Path
) -> tuple[Mapping[str, Any], Source]:
    """Put what the files of questionnaires say in place of their names, with its positions.

    So the run file keeps what was asked, whatever becomes of the file.
    """
    parts = said.get("mechanisms")
    if not isinstance(parts, list):
        return said, origin
    parts, positions = list(parts), dict(origin.positions)
    for index, part in enumerate(parts):
        for name, given in part.items() if isinstance(part, Mapping) else ():
            named = given.get("instrument") if isinstance(given, Mapping) else None
            if not isinstance(named, str):
                continue
            keys = ("mechanisms", index, name, "instrument")
            file = _instrument_file(named, keys, origin, folder)
            content, inner = read_yaml(file)
            if content is None:
                words = f"{short_path(file)} is empty; begin with title: and items:"
                raise origin.refusal([Issue(keys, words)])
            if isinstance(content, dict):
                content = {"name": file.stem, **content}
            parts[index] = {**part, name: {**given, "instrument": content}}
            positions |= {(*keys, *below): place for below, place in inner.items()}
    return {**said, "mechanisms": parts}, Source(origin.found, positions)


def _instrument_file(named: str, keys: Keys, origin: Source, folder: Path) -> Path:
    """Find the file of a questionnaire: a .yaml, or the name of one that comes with us."""
    if named.endswith((".yaml", ".yml")):
        path = Path(folder, Path(named).expanduser()).resolve()
        if not path.is_file():
            words = f"there is no file {short_path(path)}; name the file of an instrument"
            raise origin.refusal([Issue(keys, words)])
        return path
    if named not in instruments():
        words = f"there is no instrument {named!r}; {suggest(named, instruments())}"
        raise origin.refusal([Issue(keys, f"{words}; or name a file, such as {named}.yaml")])
    return instruments()[named]


def _with_home(fault: Issue) -> Issue:
    """Say what to write for a key at the top that is missing or unknown."""
    if fault.path in (("model",), ("models",)):
        return fault._replace(words=f"{fault.words}; write models: {{default: NAME}}")
    if fault.path == ("scenario",) and fault.words.startswith("is missing"):
        return fault._replace(words="is missing; write scenario: NAME or scenario: FILE.py")
    if not fault.name or len(fault.path) != 1 or "did you mean" in fault.words:
        return fault
    return fault._replace(words=f"{fault.words}; parameters of the scenario stand in `parameters`")


def describe_origin(where: str) -> str:
    """Name the source of a spec: its file, or that it comes with society or another package."""
    if where in map(str, presets().values()):
        return "a preset that comes with society"
    if Path(where).is_absolute():
        return short_path(Path(where))
    return f"comes with {plugin_origin('scenarios', where) or 'society'}"
