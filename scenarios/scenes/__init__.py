"""Open scenes: free acts, a referee, and consequences that hard rules bound."""

from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Find a name of the former module `society.scenarios.scenes`."""
        from society.former_names import find

        return find(__name__, name)
