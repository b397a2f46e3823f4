"""What a scenario file says, read and checked for its form.

`load` reads what was said and `changed` changes it; whether the names and values in it fit the
scenario is found out when it is made ready to play (society.config.build.prepared).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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

from society.engine.parameters import Fault, Keys, Refused, anchored, checked, dotted
from society.errors import ScenarioError, brief, nearest
from society.former_names import spellings
from society.index import presets
from society.llm.providers.settings import Limits, ModelSpec

from .graph_families import GraphSpec
from .registry import located
from .yaml_source import Source, read, value_of


def _part(said: Any, info: ValidationInfo) -> Any:
    """NAME as {NAME: {}}, and a part with nothing below its name likewise; `file` is anchored."""
    if isinstance(said, str):
        return {said: {}}
    if isinstance(said, Mapping) and len(said) == 1:
        return {name: _fields(given, info) for name, given in said.items()}
    raise ValueError(f"got {said!r:.60}; expected a name, or one name with its fields below")


def _fields(given: Any, info: ValidationInfo) -> Any:
    if isinstance(given, Mapping) and isinstance(file := given.get("file"), str):
        return {**given, "file": anchored(file, info)}
    return {} if given is None else given


Named = dict[str, Any]
Part = Annotated[dict[str, Named], BeforeValidator(_part)]  # {name: {field: value}}
File = Annotated[str, AfterValidator(anchored)]


def _model(said: Any, info: ValidationInfo) -> Any:
    """A model's name as its settings; files that it names are looked up from the file's folder."""
    given = {"model": said} if isinstance(said, str) else said
    if not isinstance(given, Mapping) or not isinstance(name := given.get("model"), str):
        return given
    file, mark, function = name.rpartition(".py:")
    if name.startswith("tape:"):
        name = f"tape:{anchored(name.removeprefix('tape:'), info)}"
    elif mark:
        name = f"{anchored(file + '.py', info)}:{function}"
    return {**given, "model": name}


Model = Annotated[ModelSpec, BeforeValidator(_model)]
Count = Annotated[int, Field(ge=1, le=10_000_000)]


def _where(reference: str, info: ValidationInfo) -> str:
    return located(reference, (info.context or {}).get("folder"))


class Section(BaseModel):
    """What stands under one key of a file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, said: Any) -> Any:
        """A key with nothing below it says nothing."""
        if not isinstance(said, Mapping):
            return said
        return {key: value for key, value in said.items() if value is not None}


class CohortSpec(Section):
    """Agents with the same components.

    components: all of them; left out, they are those of the scenario's default cast: of its cohort
    of the same name, or of the only sort that it has. replace: {default component: another}.
    parameters: fields of any of its components, in place of the scenario's parameters.
    count: how many agents; where a mechanism says who sits where, a cohort is a type of agent.
    """

    name: str
    count: Count = 1
    components: Annotated[list[Part], Field(min_length=1)] | None = None
    replace: dict[str, Part] = {}
    parameters: Named = {}


class Spec(Section):
    """What a scenario file says.

    scenario: a name, FILE.py or FILE.py:NAME. graph: for all relations that `graphs` leaves out.
    mechanisms: the first is the innermost. uses: .py files with components, mechanisms and graph
    functions of the user. agents: the cohorts' sum or else the scenario's default, as are rounds.
    models: by the names that components use; "default" is asked where none is named. limits: hard
    stops. prompts: a folder whose templates outweigh others. drafts: parameters of mechanisms that
    a run before this one has made; the program fills them in.
    """

    scenario: Annotated[str, AfterValidator(_where)]
    seed: Annotated[int, Field(ge=0)] = 1
    agents: Count | None = None
    rounds: Count | None = None
    replicates: Count = 1
    uses: list[File] = []
    parameters: Named = {}
    cohorts: Annotated[list[CohortSpec], Field(min_length=1)] | None = None
    graph: GraphSpec | None = None
    graphs: dict[str, GraphSpec] = {}
    mechanisms: list[Part] = []
    models: dict[str, Model] = {}
    limits: Limits = Limits()
    prompts: File | None = None
    drafts: dict[str, Named] = {}

    _source: Source = PrivateAttr(default_factory=Source)


def load(source: str, changes: Mapping[str, Any] | None = None, folder: Path | None = None) -> Spec:
    """What a scenario file says, with `changes` to it; raises InputError.

    source: a scenario or preset by name, FILE.yaml, FILE.py or FILE.py:NAME.
    changes: as in a scenario file; single `parameters` are added to those of the file.
    folder: where a file is looked up; none: the working directory.

    >>> load("fishing_village", {"parameters": {"growth": 0.2}, "replicates": 20}).replicates
    20
    """
    where = located(source, folder)
    if where.endswith((".yaml", ".yml")):
        folder, (said, positions) = Path(where).parent, read(Path(where))
    else:
        folder, said, positions = Path.cwd(), {"scenario": where}, {}
    origin = Source(found(where), positions)
    if not isinstance(said, dict):
        raise origin.refusal([Fault((), "says nothing about a society; begin with scenario: NAME")])
    for key, value in (changes or {}).items():
        if key == "parameters":
            for name in value:
                origin = origin.said_again((key, name))
            value = {**(said.get(key) or {}), **value}
        else:
            origin = origin.said_again((key,))
        said = said | {key: value}
    return _spec(said, origin, folder)


def changed(spec: Spec, settings: Iterable[str]) -> Spec:
    """With KEY=VALUE settings of the command line applied in order; raises InputError.

    >>> spec = changed(load("fishing_village"), ["growth=.2", "graph.learn={kind: small_world}"])
    >>> spec.parameters, spec.graphs["learn"].kind
    ({'growth': 0.2}, 'small_world')
    """
    given = []
    for text in settings:
        label = f"--set {text}"
        key, equals, value = text.partition("=")
        if not equals:
            raise ScenarioError(f"{label}: expected KEY=VALUE, as in --set growth=0.2")
        if key in ("seed", "agents", "rounds", "replicates"):
            raise ScenarioError(f"{label}: {key} is no parameter of a scenario; use --{key}")
        given.append(Setting(key, value_of(value, label), label))
    return amended(spec, given, Path.cwd())


Key = str | tuple[str, ...]


class Setting(NamedTuple):
    """A value for one key of a scenario file, and where it was said.

    key: as users type it, a parameter of the scenario; or a key of the file, with those below it
    after dots: rounds, graphs.learn, cohorts.miser.count. model is short for models.default, and
    graph.learn for graphs.learn. Or its place in the file, key by key, where names that users gave
    are part of it, which may have dots: ("models", "gpt-5.2").
    """

    key: Key
    value: Any
    where: str

    @property
    def words(self) -> str:
        """The key as users type it."""
        return self.key if isinstance(self.key, str) else ".".join(self.key)


def amended(spec: Spec, settings: Iterable[Setting], folder: Path) -> Spec:
    """With settings applied in order; raises InputError. folder: where files are looked up.

    >>> two = [Setting("rounds", 9, "here"), Setting("models.judge", "offline", "here")]
    >>> spec = amended(load("fishing_village"), two, Path())
    >>> spec.rounds, spec.models["judge"].sort
    (9, 'offline')
    """
    said, origin = spec.model_dump(), spec._source
    for setting in settings:
        try:
            keys = _keys(setting, said)
            _put(said, keys, _model_changed(said, keys, setting.value))
        except Refused as refused:
            origin = origin.said_again((setting.words,), setting.where)
            raise origin.refusal(refused.faults) from None
        origin = origin.said_again(keys, setting.where)
        if keys == ("graph",):
            said["graphs"] = {}  # one graph said for all outweighs those of single relations
    return _spec(said, origin, folder)


def placed(key: Key) -> tuple[str, ...]:
    """Where in a scenario file a setting belongs, whatever it is called; cohorts by name.

    >>> placed("fine"), placed("graph.learn"), placed("model.temperature")
    (('parameters', 'fine'), ('graphs', 'learn'), ('models', 'default', 'temperature'))
    >>> placed(("models", "gpt-5.2"))
    ('models', 'gpt-5.2')
    """
    if not isinstance(key, str):
        return key
    head, *rest = key.split(".")
    if head == "model":
        return ("models", "default", *rest)
    if head == "graph" and rest:
        return ("graphs", *rest)
    return (head, *rest) if head in Spec.model_fields else ("parameters", key)


def _keys(setting: Setting, said: Mapping[str, Any]) -> Keys:
    """Where in a spec a setting belongs; raises Refused."""
    head, *rest = placed(setting.key)
    if head == "scenario":
        words = "another scenario is another base; use base"
        raise Refused(Fault((setting.words,), words, True))
    if head == "models" and rest:
        return (head, *_named(rest, said["models"]))
    if head not in ("cohorts", "mechanisms") or not rest:
        return (head, *rest)
    if head == "cohorts":
        names = [cohort["name"] for cohort in said["cohorts"] or ()]
    else:
        names = [name for part in said["mechanisms"] for name in part]
    name, *below = _named(rest, names)
    if head == "mechanisms" and name not in names:
        name = next((one for one in spellings("mechanism", name) if one in names), name)
    if name not in names:
        words = f"no {head.removesuffix('s')} is called {name!r}; {nearest(name, names)}"
        raise Refused(Fault((setting.words,), words, True))
    # A cohort says its name itself; a mechanism is what stands below its name.
    return (head, names.index(name), *(below if head == "cohorts" else (name, *below)))


def _named(keys: Sequence[str], names: Collection[str]) -> Sequence[str]:
    """With as many of the first keys as make a name taken together: a name may have dots.

    >>> _named(["gpt-5", "2", "temperature"], ["gpt-5", "gpt-5.2"])
    ['gpt-5.2', 'temperature']
    """
    for end in range(len(keys), 1, -1):
        if (name := ".".join(keys[:end])) in names:
            return [name, *keys[end:]]
    return keys


def _model_changed(said: Mapping[str, Any], keys: Keys, value: Any) -> Any:
    """A model's settings, where `keys` name one: what is not said anew stays."""
    if keys[0] != "models" or len(keys) != 2:
        return value
    given = {"model": value} if isinstance(value, str) else value
    old = said["models"].get(keys[1], {})
    if not isinstance(given, Mapping):
        return given
    if "model" in given:  # another model is not on the server of the old one
        old = {name: kept for name, kept in old.items() if name != "api_base"}
    return {**old, **given}


def _put(said: Any, keys: Keys, value: Any) -> None:
    """Set a value deep inside; raises Refused where a key on the way holds no mapping."""
    *way, last = keys
    for depth, key in enumerate(way):
        if isinstance(said, dict) and said.get(key) is None:
            said[key] = {}
        said = said[key]
        if not isinstance(said, dict | list):
            words = f"{dotted(keys[: depth + 1])} is {said!r:.60}, and has nothing in it"
            raise Refused(Fault((".".join(map(str, keys)),), words, True))
    said[last] = value


def told(spec: Spec, minds: Mapping[str, Any]) -> Spec:
    """With what the command line says about minds; raises InputError.

    minds: "model" (settings of the default model, or of all if only others are named), "limits" and
    "prompts", each possibly empty.
    """
    said, origin = spec.model_dump(), spec._source
    given = minds["model"]
    if given.keys() == {"concurrency"} and not said["models"]:
        given = {}  # nobody but the offline mind is asked
    if given and not said["models"]:
        origin = origin.said_again(("models",), _flag(next(iter(given))))
    for model in _meant(said["models"], given) if given else ():
        keys = ("models", model)
        _put(said, keys, _model_changed(said, keys, given))
        for name in given:
            origin = origin.said_again((*keys, name), _flag(name))
    for name, value in minds["limits"].items():
        said["limits"][name] = value
        origin = origin.said_again(("limits", name), _flag(name))
    if minds["prompts"]:
        said["prompts"] = minds["prompts"]
        origin = origin.said_again(("prompts",), "--prompts")
    return _spec(said, origin, Path.cwd())


def _flag(name: str) -> str:
    """What is typed for a setting of minds."""
    return {"concurrency": "--max-concurrency"}.get(name, f"--{name.replace('_', '-')}")


def _meant(models: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """Whose settings are given: the default model's, or all that are named if it is not there."""
    alone = "model" in given or "default" in models or not models
    return ["default"] if alone else list(models)


def _spec(said: Mapping[str, Any], origin: Source, folder: Path) -> Spec:
    try:
        spec = checked(Spec, said, "key", {"folder": folder})
    except Refused as refused:
        raise origin.refusal(refused.faults) from None
    spec._source = origin
    return spec


def found(where: str) -> str:
    """Which file it was, or that it is ours, in words."""
    if where in map(str, presets().values()):
        return "built-in preset"
    return brief(Path(where)) if Path(where).is_absolute() else "built in"
