"""The catalogue: every filter of the project with examples, and the content of its page in the report.

>>> CATALOGUE["ZCDPFilter"].example()
ZCDPFilter(rho=0.5)
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.blackwell import BlackwellFilter
from filterproof.filters.rules.ex_post import ExPostFilter
from filterproof.filters.rules.gaussian_residue import GaussianResidueFilter
from filterproof.filters.rules.hockey_stick import HockeyStickFilter
from filterproof.filters.rules.one_sum import ApproximateDPFilter, GaussianFilter, RenyiFilter, ZCDPFilter
from filterproof.filters.rules.orders import AllOrdersFilter, SomeOrderMarkovFilter
from filterproof.filters.rules.potential import PotentialFilter
from filterproof.filters.rules.realisation import RealisationFilter
from filterproof.filters.rules.several_sums import (
    ApproximateZCDPFilter,
    BasicFilter,
    RogersFilter,
    WhitehouseFilter,
)
from filterproof.filters.rules.unsound import (
    CentralLimitFilter,
    NaiveRealisationFilter,
    NonadaptiveCompositionFilter,
    RangedBlackwellFilter,
    SomeOrderFilter,
    SquaredLossFilter,
    suppress_unsound_warning,
)
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    RandomizedResponse,
    SubsampledGaussian,
)

__all__ = [
    "CATALOGUE",
    "AllOrdersFilter",
    "ApproximateDPFilter",
    "ApproximateZCDPFilter",
    "BasicFilter",
    "BlackwellFilter",
    "CatalogueEntry",
    "CentralLimitFilter",
    "ExPostFilter",
    "GaussianFilter",
    "GaussianResidueFilter",
    "HockeyStickFilter",
    "NaiveRealisationFilter",
    "NonadaptiveCompositionFilter",
    "PotentialFilter",
    "RangedBlackwellFilter",
    "RealisationFilter",
    "RenyiFilter",
    "RogersFilter",
    "SomeOrderFilter",
    "SomeOrderMarkovFilter",
    "SquaredLossFilter",
    "WhitehouseFilter",
    "ZCDPFilter",
]


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


_RESPONSE_MENU = tuple(RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3))


def _coin_pair(p: str, q: str) -> DominatingPair:
    """Return a bit that is 1 with probability p on one data set and q on the other."""
    p_mass, q_mass = Fraction(p), Fraction(q)
    return FinitePair((p_mass, 1 - p_mass), (q_mass, 1 - q_mass))


def _response_ladder(*epsilons: float) -> tuple[DominatingPair, ...]:
    """Return a randomized response pair for each epsilon."""
    return tuple(RandomizedResponse(epsilon) for epsilon in epsilons)


_BIT, _STEP = (RandomizedResponse(0.25),), (Gaussian(mu=0.5),)
_PAIRS, _THREE = (2.0, 32.0), (2.0, 8.0, 32.0)
_FIRST_RESPONSE = RandomizedResponse.from_ratio(Fraction("1.10517"))
#: A mechanism with five outcomes and, for each, the most revealing next one; each two satisfy (5.1) on [0, 1.3].
_FIVE_OUTCOMES = FinitePair(
    tuple(map(Fraction, ("0.0093", "0.0117", "0.0775", "0.1973", "0.7042"))),
    tuple(map(Fraction, ("0.00276", "0.00468", "0.04136", "0.14894", "0.80226"))),
)
_REPLY_PAIRS = (
    _FIVE_OUTCOMES,
    *(_coin_pair("0.5485", "0.37372"), _coin_pair("0.15246", "0.07786"), _coin_pair("0.0389", "0.01404")),
    *(_coin_pair("0.01085", "0.0026"), Erasure(0.00136)),
)
_COIN_PAIRS = (
    _FIRST_RESPONSE,
    _coin_pair("0.608430710", "0.001614677"),
    _coin_pair("0.0168334078", "0.000018877554"),
)

_ENTRIES = (
    CatalogueEntry(GaussianFilter, (1.0,), (1.5,), (Gaussian(0.25), Gaussian(0.5))),
    CatalogueEntry(GaussianResidueFilter, (1.0,), (1.5,), _response_ladder(0.25, 0.5)),
    CatalogueEntry(ZCDPFilter, (0.5,), (0.6,), (Gaussian(0.25), Gaussian(0.5))),
    CatalogueEntry(RenyiFilter, (8.0, 1.0), (8.0, 1.5), _response_ladder(0.25, 0.5)),
    CatalogueEntry(
        AllOrdersFilter,
        (_THREE, (0.25, 1.0, 4.0)),
        (_THREE, (0.25, 2.0, 4.5)),
        (Gaussian(0.125), Gaussian(0.25)),
    ),
    CatalogueEntry(
        SomeOrderMarkovFilter,
        (6.0, 0.01, _PAIRS),
        (6.5, 0.02, _PAIRS),
        (_FIRST_RESPONSE, _coin_pair("0.0025", "0.00000227272")),
    ),
    CatalogueEntry(ApproximateDPFilter, (1.0, 1e-5), (2.0, 1e-4), (Gaussian(0.0618), Gaussian(0.1236))),
    CatalogueEntry(
        ApproximateZCDPFilter, (0.5, 1e-3), (0.6, 2e-3), (RandomizedResponse(0.25), KOV(0.5, 2.5e-4))
    ),
    CatalogueEntry(BasicFilter, (1.0, 1e-3), (1.5, 2e-3), (KOV(0.25, 2.5e-4), KOV(0.5, 2.5e-4))),
    CatalogueEntry(RogersFilter, (2.0, 1e-3), (3.0, 1e-3), (RandomizedResponse(0.125), KOV(0.125, 1.25e-4))),
    CatalogueEntry(
        WhitehouseFilter, (1.0, 1e-3), (1.5, 2e-3), (RandomizedResponse(0.0625), KOV(0.0625, 1.25e-4))
    ),
    CatalogueEntry(BlackwellFilter, (1.0, _BIT), (1.5, _BIT), (RandomizedResponse(0.25), Gaussian(0.5))),
    CatalogueEntry(
        PotentialFilter,
        (1.0, 0.01, _response_ladder(0.125, 0.25)),
        (1.5, 0.02, _response_ladder(0.125, 0.25)),
        _response_ladder(0.125, 0.25),
    ),
    CatalogueEntry(
        RealisationFilter,
        (10.0, 1e-5, 48, _STEP),
        (12.0, 1e-5, 48, _STEP),
        (Erasure(9.6e-8), Erasure(5.38e-6)),
    ),
    CatalogueEntry(ExPostFilter, (1.0, 1e-3), (1.5, 2e-3), (_coin_pair("1/2", "2/5"), KOV(0.25, 2.5e-4))),
    CatalogueEntry(HockeyStickFilter, (0.5, 0.01), (0.5, 0.02), (_coin_pair("1/2", "2/5"), Erasure(0.0025))),
    CatalogueEntry(SquaredLossFilter, (0.5,), (0.6,), (_coin_pair("0.904", "0.808"),)),
    CatalogueEntry(
        RangedBlackwellFilter, (0.5, _REPLY_PAIRS, 0.0, 1.3), (0.75, _REPLY_PAIRS, 0.0, 1.3), _REPLY_PAIRS
    ),
    CatalogueEntry(
        CentralLimitFilter, (0.5,), (0.6,), (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0))
    ),
    CatalogueEntry(SomeOrderFilter, (6.0, 0.01, _PAIRS), (6.5, 0.02, _PAIRS), _COIN_PAIRS),
    CatalogueEntry(
        NonadaptiveCompositionFilter,
        (Fraction(9, 4), Fraction(45, 169), _RESPONSE_MENU),
        (Fraction(9, 4), Fraction(60, 169), _RESPONSE_MENU),
        _RESPONSE_MENU,
        NonadaptiveCompositionFilter.from_ratio,
    ),
    CatalogueEntry(NaiveRealisationFilter, (1.0, 0.01), (2.0, 0.02), (Erasure(0.01),)),
)

#: Class name -> entry.
CATALOGUE: Mapping[str, CatalogueEntry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})
