"""An entry of the catalogue: a filter class with its examples and its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from filters.filter_page import FilterPage
from filters.privacy_filter import PrivacyFilter
from filters.rules.unsound import knowingly

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A filter class, an example of it, the same example with more budget, and what its page shows."""

    kind: type[PrivacyFilter]
    make: Callable[[], PrivacyFilter]
    more: Callable[[], PrivacyFilter]
    page: FilterPage

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.kind.__name__

    @property
    def sound(self) -> bool | None:
        """False for a counterexample, None where neither proof nor counterexample is known."""
        return self.kind.sound

    def example(self) -> PrivacyFilter:
        """An instance with moderate parameters; an unsound one is made without its warning."""
        with knowingly():
            return self.make()

    def larger(self) -> PrivacyFilter:
        """The example with more budget."""
        with knowingly():
            return self.more()
