"""Named families of interaction graphs: from networkx, a package, a file, or the user's function.

A family is a function (agents, *, parameters) -> graph, or (agents, rng, *, parameters) if it is
random. A random family draws one graph for each replicate, from a generator addressed by seed,
relation and replicate, so that a batch equals a loop; the others make one graph for all.
The k-th node belongs to the agent with the k-th smallest id.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from society import plugins
from society.engine.graph import Complete, Graph, from_networkx
from society.engine.parameters import (
    Issue,
    Share,
    ValidationIssues,
    parameters_of,
    resolve_path,
    validate,
)
from society.engine.rng import Array, generator
from society.errors import (
    CatalogueError,
    FileError,
    GraphError,
    PartError,
    SocietyError,
    describe_user_error,
    short_path,
    suggest,
)

if TYPE_CHECKING:
    import networkx as nx

    Net = nx.Graph[Any]

NodeCount = Annotated[int, Field(ge=1)]
Even = Annotated[int, Field(ge=2, multiple_of=2)]
Size = Annotated[int, Field(ge=2)]


def complete(agents: int) -> None:
    """Every agent sees every other one; the edges of this graph are never stored."""


def ring(agents: int, *, neighbours: Even = 2) -> Net:
    """A circle on which each agent sees its nearest neighbours, half of them on each side."""
    import networkx as nx

    _fewer("neighbours", neighbours, agents)
    net: Net = nx.circulant_graph(agents, list(range(1, neighbours // 2 + 1)))
    return net


def lattice(agents: int, *, rows: NodeCount | None = None, periodic: bool = True) -> Net:
    """A grid on which each agent sees left, right, above and below; as square as possible.

    periodic: opposite sides meet (a torus), where there are more than two rows or columns.
    """
    import networkx as nx

    legal = [count for count in range(2, agents // 2 + 1) if agents % count == 0]
    if not legal:
        sizes = f"{agents - 1} or {agents + 1}" if agents > 3 else "4"
        raise GraphError(f"{agents} agents fill no grid of two rows or more; take {sizes} agents")
    if rows is not None and rows not in legal:
        raise GraphError(
            f"rows: got {rows}, which makes no grid of {agents} agents; "
            f"expected one of {', '.join(map(str, legal))}"
        )
    rows = rows or max(count for count in legal if count * count <= agents)
    net: Net = nx.grid_2d_graph(rows, agents // rows, periodic=periodic)
    return net


def small_world(
    agents: int, rng: np.random.Generator, *, neighbours: Even = 4, rewiring: Share = 0.1
) -> Net:
    """A ring with each tie rewired with a probability (Watts and Strogatz 1998)."""
    import networkx as nx

    _fewer("neighbours", neighbours, agents)
    net: Net = nx.watts_strogatz_graph(agents, neighbours, rewiring, seed=rng)
    return net


def scale_free(agents: int, rng: np.random.Generator, *, links: NodeCount = 2) -> Net:
    """Preferential attachment with `links` ties per newcomer (Barabasi and Albert 1999)."""
    import networkx as nx

    _fewer("links", links, agents)
    return nx.barabasi_albert_graph(agents, links, seed=_BytesAhead(rng))


class _BytesAhead(np.random.Generator):
    """A generator whose bytes are drawn by many, since networkx takes a few at a time.

    For families that draw nothing else, as those do that only choose: half of the time, or less.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng.bit_generator)
        self._ahead, self._words = list[bytes](), 16

    def bytes(self, length: int) -> bytes:
        words = -(-length // 4)
        while len(self._ahead) < words:
            self._words *= 2
            drawn = self.integers(2**32, size=self._words, dtype=np.uint32).astype("<u4").tobytes()
            four = [drawn[start : start + 4] for start in range(0, len(drawn), 4)]
            self._ahead = four[::-1] + self._ahead
        return b"".join(self._ahead.pop() for _ in range(words))[:length]


def caveman(agents: int, *, size: Size = 5, connected: bool = True) -> Net:
    """Caves, groups in which each agent sees every other one (Watts 1999).

    connected: in each cave one tie is rewired to the previous cave.
    """
    import networkx as nx

    caves, rest = divmod(agents, size)
    if rest or caves < 2:
        least = max(2, caves) * size
        raise GraphError(
            f"size: got {size}, but {agents} agents do not fill two or more caves of {size}; "
            f"take another size, or {least} or {least + size} agents"
        )
    family = nx.connected_caveman_graph if connected else nx.caveman_graph
    net: Net = family(caves, size)
    return net


def random_regular(agents: int, rng: np.random.Generator, *, degree: NodeCount = 4) -> Net:
    """A random graph on which each agent sees equally many others."""
    import networkx as nx

    _fewer("degree", degree, agents)
    if agents * degree % 2:
        raise GraphError(
            f"degree: got {degree} for {agents} agents, both of which are odd; "
            "take an even degree or an even number of agents"
        )
    net: Net = nx.random_regular_graph(degree, agents, seed=rng)
    return net


def from_file(agents: int, *, file: str, directed: bool = False) -> Net:
    """A .graphml file, or a list of edges: a line is `A B`, or `A` for an agent without ties.

    directed: an edge of the list means that A sees B only. A GraphML file says so itself.
    """
    import networkx as nx

    try:
        if Path(file).suffix == ".graphml":
            net: Net = nx.read_graphml(file)
            return net
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot read {short_path(file)}: {error.strerror}") from None
    except Exception as error:  # GraphML: networkx passes on whatever its XML parser raises
        raise GraphError(f"{short_path(file)} cannot be read as a graph: {error}") from None
    net = nx.DiGraph() if directed else nx.Graph()
    for line in text.splitlines():
        names = line.partition("#")[0].replace(",", " ").split()
        net.add_nodes_from(names[:2])
        net.add_edges_from([(names[0], names[1])] if len(names) > 1 else [])
    return net


def from_function(agents: int, rng: np.random.Generator, *, function: Callable[..., Any]) -> Net:
    """A function of yours, in FILE.py:NAME: (agents, numpy Generator) -> networkx graph."""
    import networkx as nx

    try:
        net = function(agents, rng)
    except SocietyError:
        raise
    except Exception as error:  # a function of the user's may raise anything
        raise GraphError(describe_user_error(error)) from error
    if not isinstance(net, nx.Graph):
        raise GraphError(f"the function gave {net!r:.60}; expected a networkx graph")
    return net


FAMILIES: dict[str, Callable[..., Any]] = {
    "complete": complete,
    "ring": ring,
    "lattice": lattice,
    "small_world": small_world,
    "scale_free": scale_free,
    "caveman": caveman,
    "random_regular": random_regular,
    "file": from_file,
    "function": from_function,
}


def graph_families() -> dict[str, Callable[..., Any]]:
    """All families of graphs by name: ours, then those of installed packages."""
    return {**FAMILIES, **plugins.usable_plugins("graphs", FAMILIES)}


def graph_names() -> tuple[str, ...]:
    """All names of graphs: ours, then those of installed packages."""
    return (*FAMILIES, *plugins.plugin_names("graphs"))


def _fewer(name: str, count: int, agents: int) -> None:
    if count >= agents:
        raise GraphError(
            f"{name}: got {count}, but each of {agents} agents has only {agents - 1} others; "
            "lower it or take more agents"
        )


def _as_written(schema: dict[str, Any]) -> None:
    """Let the JSON schema of a graph take a name in its place, and no `kind` beside a file."""
    schema["type"] = ["string", "object"]
    schema.pop("required", None)


class GraphSpec(BaseModel):
    """A graph by the name of its family and its parameters.

    As in a scenario file it is a name, {kind: NAME, parameter: value, ...}, {file: FILE} or
    {function: FILE.py:NAME}, for which FILE.py:NAME is short; in Python also a function (agents,
    numpy Generator) -> networkx graph.

    >>> GraphSpec.model_validate({"kind": "small_world", "rewiring": 0.2}).parameters
    {'rewiring': 0.2}
    """

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_extra=_as_written)

    kind: str

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the graph, without its kind."""
        return dict(self.model_extra or {})

    @model_validator(mode="before")
    @classmethod
    def _written(cls, said: Any, info: ValidationInfo) -> Any:
        if isinstance(said, GraphSpec):
            return said
        if isinstance(said, str):
            said = {"function": said} if ".py:" in said else {"kind": said}
        if callable(said):
            return {"kind": "function", "function": said}
        if not isinstance(said, Mapping):
            raise ValueError(
                f"got {said!r:.60}; expected the name of a graph, or a mapping with `kind`"
            )
        kind = next((name for name in ("file", "function") if name in said), None)
        whole = said if kind is None else {"kind": kind, **said}
        if "kind" not in whole:
            raise ValueError(f"has no `kind`; add one of {', '.join(graph_names())}")
        return {name: _anchor_file(name, value, info) for name, value in whole.items()}

    @model_serializer
    def _plain(self) -> dict[str, Any]:
        named = {
            name: getattr(value, "__name__", value) if callable(value) else value
            for name, value in self.parameters.items()
        }
        return {"kind": self.kind, **named}


def parse_graph(said: object) -> GraphSpec:
    """Parse a graph, in any of the forms of GraphSpec; raises ValidationIssues."""
    try:
        return GraphSpec.model_validate(said)
    except ValidationError as error:
        raise ValidationIssues(
            Issue((), error.errors()[0]["msg"].removeprefix("Value error, "))
        ) from None


def graph_family(spec: GraphSpec) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Look up the function that a spec names, and check its parameters; raises ValidationIssues."""
    try:
        brought = plugins.find_plugin("graphs", spec.kind, FAMILIES)
        named = brought.load() if brought else FAMILIES[spec.kind]
    except (CatalogueError, PartError) as error:
        raise ValidationIssues(Issue((), str(error))) from error
    except KeyError:
        words = f"there is no graph {spec.kind!r}; {suggest(spec.kind, graph_names())}"
        raise ValidationIssues(Issue((), words)) from None
    return named, dict(validate(parameters_of(named), spec.parameters))


def draw_graph(
    spec: GraphSpec, relation: str, *, seed: int, replicate_ids: Array, ids: Array
) -> Graph:
    """Draw the graph of one relation in every replicate; raises GraphError."""
    try:
        named, parameters = graph_family(spec)
    except ValidationIssues as refused:
        raise GraphError(f"graph: {refused}") from None
    agents, replicates = len(ids), replicate_ids.tolist()
    if named is complete:
        return Complete(len(replicates), ids)
    if "rng" in inspect.signature(named).parameters:
        chance = [generator(seed, f"graph\0{relation}\0{replicate}") for replicate in replicates]
        nets = [_order_nodes(named(agents, rng, **parameters), ids) for rng in chance]
    else:
        nets = [_order_nodes(named(agents, **parameters), ids)] * len(replicates)
    return from_networkx(nets, ids)


def _anchor_file(name: str, value: Any, info: ValidationInfo) -> Any:
    if name == "file" and isinstance(value, str):
        return resolve_path(value, info)
    if name == "function" and isinstance(value, str) and ":" in value:
        file, _, function = value.rpartition(":")
        return f"{resolve_path(file, info)}:{function}"
    return value


def _order_nodes(net: Net, ids: Array) -> Net:
    """Reorder the nodes of a graph by seat: nodes come by number, or as listed."""
    nodes = list(net)
    if len(nodes) == len(ids):
        if all(str(node).isdigit() for node in nodes):
            nodes.sort(key=int)
        nodes = [nodes[rank] for rank in np.argsort(np.argsort(ids))]
    if nodes == list(net):
        return net
    ordered: Net = type(net)()
    ordered.add_nodes_from(nodes)
    ordered.add_edges_from(net.edges())
    return ordered
