"""Claims that papers make, and the comparisons by which they are judged."""

from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Find a name of the former module `society.claims`."""
        from society.former_names import find

        return find(__name__, name)
