"""The catalogue: every filter of the project with an example of it; `filters` exports the classes listed here.

>>> CATALOGUE["ZCDPFilter"].example()
ZCDPFilter(rho=0.5)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from filters.privacy_filter import PrivacyFilter
from filters.rules.approximate_dp import ApproximateDPFilter
from filters.rules.approximate_zcdp import ApproximateZCDPFilter
from filters.rules.basic import BasicFilter
from filters.rules.blackwell import BlackwellFilter, RangedBlackwellFilter
from filters.rules.gdp import GaussianFilter
from filters.rules.orders import AllOrdersFilter, SomeOrderMarkovFilter
from filters.rules.realisation import RealisationFilter
from filters.rules.renyi import RenyiFilter
from filters.rules.rogers import RogersFilter
from filters.rules.unsound import NaiveRealisationFilter, NaturalFilter, SomeOrderFilter, knowingly
from filters.rules.whitehouse import WhitehouseFilter
from filters.rules.zcdp import ZCDPFilter
from theory.pairs import Gaussian, RandomizedResponse

__all__ = [
    "CATALOGUE",
    "AllOrdersFilter",
    "ApproximateDPFilter",
    "ApproximateZCDPFilter",
    "BasicFilter",
    "BlackwellFilter",
    "Entry",
    "GaussianFilter",
    "NaiveRealisationFilter",
    "NaturalFilter",
    "RangedBlackwellFilter",
    "RealisationFilter",
    "RenyiFilter",
    "RogersFilter",
    "SomeOrderFilter",
    "SomeOrderMarkovFilter",
    "WhitehouseFilter",
    "ZCDPFilter",
]


@dataclass(frozen=True, slots=True)
class Entry:
    """A filter class, how to make an example of it, and the same example with more budget."""

    kind: type[PrivacyFilter]
    make: Callable[[], PrivacyFilter]
    more: Callable[[], PrivacyFilter]

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


def _natural(delta: Fraction) -> NaturalFilter:
    menu = tuple(RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3))
    return NaturalFilter.from_ratio(Fraction(9, 4), delta, menu)


_BIT, _STEP = (RandomizedResponse(0.25),), (Gaussian(mu=0.5),)
_PAIRS, _THREE = (2.0, 32.0), (2.0, 8.0, 32.0)

_ENTRIES = (
    Entry(BasicFilter, lambda: BasicFilter(1.0, 1e-3), lambda: BasicFilter(1.5, 2e-3)),
    Entry(RogersFilter, lambda: RogersFilter(2.0, 1e-3), lambda: RogersFilter(3.0, 1e-3)),
    Entry(WhitehouseFilter, lambda: WhitehouseFilter(1.0, 1e-3), lambda: WhitehouseFilter(1.5, 2e-3)),
    Entry(RenyiFilter, lambda: RenyiFilter(8.0, 1.0), lambda: RenyiFilter(8.0, 1.5)),
    Entry(
        AllOrdersFilter,
        lambda: AllOrdersFilter(_THREE, (0.25, 1.0, 4.0)),
        lambda: AllOrdersFilter(_THREE, (0.25, 2.0, 4.5)),
    ),
    Entry(
        SomeOrderMarkovFilter,
        lambda: SomeOrderMarkovFilter(6.0, 0.01, _PAIRS),
        lambda: SomeOrderMarkovFilter(6.5, 0.02, _PAIRS),
    ),
    Entry(ZCDPFilter, lambda: ZCDPFilter(0.5), lambda: ZCDPFilter(0.6)),
    Entry(
        ApproximateZCDPFilter,
        lambda: ApproximateZCDPFilter(0.5, 1e-3),
        lambda: ApproximateZCDPFilter(0.6, 2e-3),
    ),
    Entry(
        ApproximateDPFilter, lambda: ApproximateDPFilter(1.0, 1e-5), lambda: ApproximateDPFilter(2.0, 1e-4)
    ),
    Entry(GaussianFilter, lambda: GaussianFilter(1.0), lambda: GaussianFilter(1.5)),
    Entry(BlackwellFilter, lambda: BlackwellFilter(1.0, _BIT), lambda: BlackwellFilter(1.5, _BIT)),
    Entry(
        RangedBlackwellFilter,
        lambda: RangedBlackwellFilter(1.0, _BIT, 0.0, 4.0),
        lambda: RangedBlackwellFilter(1.5, _BIT, 0.0, 4.0),
    ),
    Entry(
        RealisationFilter,
        lambda: RealisationFilter(10.0, 1e-5, 48, _STEP),
        lambda: RealisationFilter(12.0, 1e-5, 48, _STEP),
    ),
    Entry(
        NaiveRealisationFilter,
        lambda: NaiveRealisationFilter(1.0, 0.01),
        lambda: NaiveRealisationFilter(2.0, 0.02),
    ),
    Entry(NaturalFilter, lambda: _natural(Fraction(45, 169)), lambda: _natural(Fraction(60, 169))),
    Entry(
        SomeOrderFilter,
        lambda: SomeOrderFilter(6.0, 0.01, _PAIRS),
        lambda: SomeOrderFilter(6.5, 0.02, _PAIRS),
    ),
)

#: Class name -> entry.
CATALOGUE: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})
