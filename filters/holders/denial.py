"""A denial, and what would have been granted in its place: one parameter changed at a time.

>>> import filterproof as fp
>>> session = fp.GaussianFilter(mu=1.0).open("retry")
>>> session.request(fp.SubsampledGaussian(q=0.1, sigma=0.5))
False
>>> print(str(session.denial).partition("; ")[2])
what would fit now: sigma=1, and no other q
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from filters.contract.checks import checked_grant, checked_start
from filters.contract.filter_base import FilterBase
from filters.contract.state import State
from theory.pairs import DominatingPair

#: How far a parameter is changed: by these powers of 2, one after the other.
_STEPS = (1, 2, 4, 8, 16)
#: How near to the value asked for the one that is named is, as a factor.
_NEAR = 2.0 ** (1 / 16)


@dataclass(frozen=True, eq=False, repr=False)
class Denial:
    """The request that a session denied, and for each parameter that reveals less one way the nearest value granted.

    pair: what was asked for; granted: how many requests had been granted before. `fits` maps the names of parameters to
    values, within 5 % of the nearest to the one asked for, all others as they were, in the state that denied; 0.0 where
    no value within a factor 2^16 is granted, in the units of the pair. `ever` is whether a new session would
    grant the request. Each is found by asking the filter when it is first looked at, 10 times or so a parameter.
    It reads the state, which a realised loss may have shaped: show it to whoever may see that one.
    """

    filter: FilterBase
    pair: DominatingPair
    granted: int
    state: State

    @cached_property
    def ever(self) -> bool:
        """Whether a new session would grant the request."""
        return self._admits(checked_start(self.filter, 1), self.pair)

    @cached_property
    def fits(self) -> dict[str, float]:
        """The nearest value of each parameter that would have been granted, 0.0 for none."""
        return {name: self._nearest(name, -more) for name, more in self.pair.revealing.items()}

    def _nearest(self, name: str, way: int) -> float:
        value = getattr(self.pair, name)
        if not isinstance(value, float) or not value > 0:
            return 0.0

        def changed(power: float) -> float:
            return float(min(value * 2.0 ** (way * power), sys.float_info.max))

        def fits(power: float) -> bool:
            try:
                pair = self.pair.with_parameters({name: changed(power)})
            except ValueError:  # no such pair
                return False
            return self._admits(self.state, pair)

        low, high = 0.0, next((power for power in map(float, _STEPS) if fits(power)), math.inf)
        if high == math.inf:
            return 0.0
        while high - low > math.log2(_NEAR):
            middle = (low + high) / 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return changed(high)

    def _admits(self, state: State, pair: DominatingPair) -> bool:
        return bool(checked_grant(self.filter, state, pair, 1)[0][0])

    def __str__(self) -> str:
        later = "but would in a new session" if self.ever else "nor in a new session"
        named = [_told(name, found, -self.pair.revealing[name]) for name, found in self.fits.items() if found]
        none = " or ".join(name for name, found in self.fits.items() if not found)
        if named:
            fits = f"what would fit now: {', or '.join(named)}" + (f", and no other {none}" if none else "")
        else:
            fits = f"no other {none or 'parameter'} would fit now"
        return f"{self.pair!r} does not fit after {self._past}, {later}; {fits}"

    def __repr__(self) -> str:
        return f"Denial({self.pair!r}, after {self._past} of {self.filter!r})"

    @property
    def _past(self) -> str:
        return f"{self.granted:,} grant{'s' * (self.granted != 1)}"


def _told(name: str, value: float, way: int) -> str:
    """The value to four digits, rounded away from the one that was denied."""
    unit = Fraction(10) ** (math.floor(math.log10(value)) - 3)
    rounded = (math.ceil if way > 0 else math.floor)(Fraction(value) / unit * (1 - way * Fraction(1, 10**12)))
    return f"{name}={float(min(rounded * unit, Fraction(sys.float_info.max))):.4g}"
