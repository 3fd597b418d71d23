"""An entry of the catalogue: a filter class with its examples, and the content of its page in the report."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Literal

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.unsound import suppress_unsound_warning
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.pairs import DominatingPair


@dataclass(frozen=True, slots=True)
class FilterPage:
    """The content of a filter's page.

    `rule` is the condition for continuing, as LaTeX, and `words` is the same as a sentence. The game is over `menu` in
    `direction`, for at most `rounds` rounds (None: until the filter ends it). It is solved at `epsilon`, in nats; the
    profile is drawn and simulated at `simulated`. `typed` is Python code that makes `filt` and `menu`.
    """

    rule: str
    words: str
    menu: tuple[DominatingPair, ...]
    epsilon: float | LogRatio
    simulated: tuple[float, ...]
    typed: str
    rounds: int | None = None
    direction: Literal["both", "PQ", "QP"] = "both"

    @classmethod
    def from_catalogue(cls, name: str, menu: tuple[DominatingPair, ...]) -> FilterPage:
        """Return the page of a catalogue filter from its table in `catalogue.toml`."""
        table = dict(catalogue_tables()[name])
        if (ratio := table.pop("ratio", None)) is not None:
            table["epsilon"] = LogRatio(Fraction(ratio))
        table["simulated"] = tuple(table["simulated"])
        return cls(menu=menu, **table)


@cache
def catalogue_tables() -> dict[str, dict[str, Any]]:
    """Return the tables of `catalogue.toml` by filter name."""
    return tomllib.loads(resources.files("filterproof.filters").joinpath("catalogue.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A filter class, the parameters of an example and of a larger budget, and the menu of its page's game.

    `constructor` takes the parameters (None: the class itself does).
    """

    filter_class: type[PrivacyFilter]
    parameters: tuple[Any, ...]
    larger_parameters: tuple[Any, ...]
    menu: tuple[DominatingPair, ...]
    constructor: Callable[..., PrivacyFilter] | None = None

    @property
    def name(self) -> str:
        return self.filter_class.__name__

    @property
    def page(self) -> FilterPage:
        """The content of the filter's page in the report."""
        return FilterPage.from_catalogue(self.name, self.menu)

    @property
    def sound(self) -> bool | None:
        """False for a counterexample, None if neither a proof nor a counterexample is known."""
        return self.filter_class.sound

    def make(self, parameters: tuple[Any, ...]) -> PrivacyFilter:
        return (self.constructor or self.filter_class)(*parameters)

    def example(self) -> PrivacyFilter:
        """Return an instance with moderate parameters. An unsound one is made without its warning."""
        with suppress_unsound_warning():
            return self.make(self.parameters)

    def larger(self) -> PrivacyFilter:
        """Return an instance with the larger budget."""
        with suppress_unsound_warning():
            return self.make(self.larger_parameters)
