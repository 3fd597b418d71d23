"""Every filter of the project, each with an example instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from filters.approximate_dp import ApproximateDPFilter
from filters.approximate_zcdp import ApproximateZCDPFilter
from filters.base import PrivacyFilter
from filters.basic import BasicFilter
from filters.blackwell import BlackwellFilter, RangedBlackwellFilter
from filters.gdp import GaussianFilter
from filters.orders import AllOrdersFilter, SomeOrderMarkovFilter
from filters.realisation import RealisationFilter
from filters.renyi import RenyiFilter
from filters.rogers import RogersFilter
from filters.unsound import NaiveRealisationFilter, NaturalFilter, SomeOrderFilter, knowingly
from filters.whitehouse import WhitehouseFilter
from filters.zcdp import ZCDPFilter
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["CATALOGUE", "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A filter class and how to make an example of it."""

    kind: type[PrivacyFilter]
    make: Callable[[], PrivacyFilter]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.kind.__name__

    @property
    def sound(self) -> bool | None:
        """False for the counterexamples, None for the undecided."""
        return self.kind.sound

    def example(self) -> PrivacyFilter:
        """An instance with moderate parameters; an unsound one is made without its warning."""
        with knowingly():
            return self.make()


def _natural() -> NaturalFilter:
    menu = tuple(RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3))
    return NaturalFilter.from_ratio(Fraction(9, 4), Fraction(45, 169), menu)


_BIT = RandomizedResponse(0.25)

_ENTRIES = (
    Entry(BasicFilter, lambda: BasicFilter(epsilon=1.0, delta=1e-3)),
    Entry(RogersFilter, lambda: RogersFilter(epsilon=2.0, delta=1e-3)),
    Entry(WhitehouseFilter, lambda: WhitehouseFilter(epsilon=1.0, delta=1e-3)),
    Entry(RenyiFilter, lambda: RenyiFilter(alpha=8.0, rho=1.0)),
    Entry(AllOrdersFilter, lambda: AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0))),
    Entry(SomeOrderMarkovFilter, lambda: SomeOrderMarkovFilter(6.0, 0.01, (2.0, 32.0))),
    Entry(ZCDPFilter, lambda: ZCDPFilter(rho=0.5)),
    Entry(ApproximateDPFilter, lambda: ApproximateDPFilter(epsilon=1.0, delta=1e-5)),
    Entry(ApproximateZCDPFilter, lambda: ApproximateZCDPFilter(rho=0.5, xi=1e-3)),
    Entry(BlackwellFilter, lambda: BlackwellFilter(1.0, (_BIT,))),
    Entry(RangedBlackwellFilter, lambda: RangedBlackwellFilter(1.0, (_BIT,), 0.0, 4.0)),
    Entry(GaussianFilter, lambda: GaussianFilter(mu=1.0)),
    Entry(RealisationFilter, lambda: RealisationFilter(10.0, 1e-5, 48, (Gaussian(mu=0.5),))),
    Entry(NaiveRealisationFilter, lambda: NaiveRealisationFilter(epsilon=1.0, delta=0.01)),
    Entry(NaturalFilter, _natural),
    Entry(SomeOrderFilter, lambda: SomeOrderFilter(6.0, 0.01, (2.0, 32.0))),
)

#: Class name -> entry.
CATALOGUE: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})
