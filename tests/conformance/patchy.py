"""A user's graph function: one-sided ties, some agents without any."""

import networkx as nx
import numpy as np


def patchy(agents: int, rng: np.random.Generator) -> "nx.DiGraph[int]":
    """Everybody sees everybody with chance 0.3, except the first, who sees nobody."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(agents))
    sees = rng.random((agents, agents)) < 0.3
    graph.add_edges_from(
        (i, j) for i in range(1, agents) for j in range(agents) if sees[i, j] and i != j
    )
    return graph
