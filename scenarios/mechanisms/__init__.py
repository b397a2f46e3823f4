"""Mechanisms: rules laid over a game from outside; `all_mechanisms` names every one.

A mechanism cannot be named here: this package has folders called like some of them.
"""

from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Look up a former name of this module's, from before it became a folder."""
        from society.former_names import find

        return find(__name__, name)
