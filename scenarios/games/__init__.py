"""Games given by their payoffs."""

from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """What this was the module of, before it became a folder, is found by its former name."""
        from society.former_names import find

        return find(__name__, name)
