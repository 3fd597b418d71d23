"""The adversaries of the catalogue, and what they are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_admits
from filters.contract.filter_base import MechanismFamily
from filters.contract.state import take
from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary, View
from theory.arguments import check_count, check_positive, check_probability
from theory.guarantees import ApproxDP
from theory.pairs import DominatingPair, Erasure, Gaussian, RandomizedResponse

__all__ = [
    "Constant",
    "EraserForever",
    "LossAvoiding",
    "LossChasing",
    "ManySmall",
    "OneShot",
    "RandomSpender",
    "even_level",
]


#: The least parameter that `PrivacyFilter.affordable` answers.
_LEAST = 2.0**-100


def even_level(filt: PrivacyFilter, family: MechanismFamily, rounds: int) -> float:
    """The largest parameter of `family` (to 1 part in 10^4) that the filter admits `rounds` times in a row.

    Found by playing candidates against the filter's own code, all losses zero.
    """
    low = high = largest(filt, family)
    low /= check_count("rounds", rounds)
    for _ in range(2):
        levels = np.geomspace(low, high, 257)
        alive, state = np.arange(len(levels)), filt.start(len(levels))
        for _ in range(rounds):
            request = family(levels[alive])
            go = checked_admits(filt, state, request, len(alive))
            if not go.all():
                alive, state, request = alive[go], take(state, go), request.take(go)
            if len(alive) == 0:
                return coarse(low)
            state = filt.observe(filt.spend(state, request), np.zeros(len(alive)))
        best = int(alive[-1])
        low, high = float(levels[best]), float(levels[min(best + 1, len(levels) - 1)])
    return coarse(low)


def largest(filt: PrivacyFilter, family: MechanismFamily) -> float:
    """The parameter of `family` that takes the whole budget in one request."""
    level = float(filt.affordable(filt.start(1), family)[0])
    if not level > 0:
        raise ValueError(
            f"family must hold a pair that {type(filt).__name__} admits, got {family!r} with nothing "
            "affordable; pass another family or a filter with a larger budget"
        )
    return level


class _Levels(Adversary):
    """An adversary that asks for levels of one family."""

    __slots__ = ()
    family: MechanismFamily | None

    @property
    def gaussian(self) -> bool:
        return self.family is Gaussian


class _Exhausting(_Levels):
    """An adversary that ends with a request for all that is left of the budget."""

    __slots__ = ()

    @property
    def final_from_state(self) -> bool:
        return True

    def final(self, view: View) -> DominatingPair:
        assert self.family is not None
        rest = view.filter.affordable(view.state, self.family)
        return self.family(np.maximum(rest, _LEAST))  # nothing is left: not even this is admitted


def coarse(level: float) -> float:
    """`level` rounded down to 20 bits: squares of such levels, and their sums, are doubles without rounding.

    So a ledger that adds exactly has nothing to carry, which halves the cost of a round.
    """
    mantissa, exponent = math.frexp(level)
    return math.ldexp(math.floor(math.ldexp(mantissa, 20)), exponent - 20)


def _family(filt: PrivacyFilter, family: MechanismFamily | None) -> MechanismFamily:
    """The family asked for; by default Gaussian, or RandomizedResponse where no Gaussian is admitted."""
    if family is not None:
        return family
    return Gaussian if filt.affordable(filt.start(1), Gaussian)[0] > 0 else RandomizedResponse


@dataclass(frozen=True, slots=True)
class Constant(Adversary):
    """Asks for the same pair until denied; a number is Gaussian(number), None a level for `pace` rounds."""

    pair: DominatingPair | float | None = None
    pace: int = 20

    def __post_init__(self) -> None:
        check_count("pace", self.pace)
        if self.pair is not None and not isinstance(self.pair, DominatingPair):
            object.__setattr__(self, "pair", Gaussian(self.pair))
        if isinstance(self.pair, DominatingPair) and self.pair.shape != ():
            raise ValueError(
                f"pair must be a single pair, got shape {self.pair.shape}; pass one with scalar parameters"
            )

    def against(self, filt: PrivacyFilter) -> Constant:
        if self.pair is not None:
            return self
        family = _family(filt, None)
        return replace(self, pair=family(even_level(filt, family, self.pace)))

    @property
    def gaussian(self) -> bool:
        return isinstance(self.pair, Gaussian)

    @property
    def asks(self) -> tuple[DominatingPair, ...] | None:
        return (self.pair,) if isinstance(self.pair, DominatingPair) else None

    def request(self, view: View) -> DominatingPair:
        assert isinstance(self.pair, DominatingPair)
        return self.pair


@dataclass(frozen=True, slots=True)
class OneShot(_Levels):
    """Asks once, for the whole budget."""

    family: MechanismFamily | None = None
    level: float | None = None

    @property
    def horizon(self) -> int:
        return 1

    def against(self, filt: PrivacyFilter) -> OneShot:
        family = _family(filt, self.family)
        return replace(self, family=family, level=self.level or largest(filt, family))

    @property
    def asks(self) -> tuple[DominatingPair, ...] | None:
        return None if self.family is None or self.level is None else (self.family(self.level),)

    def request(self, view: View) -> DominatingPair:
        assert self.family is not None
        return self.family(self.level)


@dataclass(frozen=True, slots=True)
class ManySmall(_Exhausting):
    """Spends the budget in k equal requests and one for what rounding left over."""

    k: int = 100
    family: MechanismFamily | None = None
    level: float | None = None

    def __post_init__(self) -> None:
        check_count("k", self.k)

    @property
    def horizon(self) -> int:
        return self.k + 1

    def against(self, filt: PrivacyFilter) -> ManySmall:
        family = _family(filt, self.family)
        return replace(self, family=family, level=self.level or even_level(filt, family, self.k))

    @property
    def asks(self) -> tuple[DominatingPair, ...] | None:
        return None if self.family is None or self.level is None else (self.family(self.level),)

    def request(self, view: View) -> DominatingPair:
        return self.family(self.level)  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class _TwoLevels(_Exhausting):
    """Two levels around the one that would last `pace` rounds; half and double its square by default."""

    low: float | None = None
    high: float | None = None
    family: MechanismFamily | None = None
    pace: int = 20

    def __post_init__(self) -> None:
        check_count("pace", self.pace)
        for name, level in (("low", self.low), ("high", self.high)):
            if level is not None:
                check_positive(name, level)

    def against(self, filt: PrivacyFilter) -> _TwoLevels:
        family = _family(filt, self.family)
        if self.low is not None and self.high is not None:
            return replace(self, family=family)
        level = even_level(filt, family, self.pace)
        low = coarse(level / math.sqrt(2)) if self.low is None else self.low
        high = coarse(min(level * math.sqrt(2), largest(filt, family))) if self.high is None else self.high
        return replace(self, family=family, low=low, high=high)

    @property
    def asks(self) -> tuple[DominatingPair, ...] | None:
        if self.family is None or self.low is None or self.high is None:
            return None
        return self.family(self.low), self.family(self.high)

    def _ask(self, view: View, raised: NDArray[np.bool_]) -> DominatingPair:
        assert self.family is not None
        assert self.low is not None
        assert self.high is not None
        if self.family is Gaussian:
            return Gaussian.either(self.low, self.high, raised)
        return self.family(np.where(raised, self.high, self.low))


@dataclass(frozen=True, slots=True)
class LossChasing(_TwoLevels):
    """Asks for `high` after a positive privacy loss and for `low` otherwise, until the budget is gone."""

    def request(self, view: View) -> DominatingPair:
        return self._ask(view, view.loss > 0)


@dataclass(frozen=True, slots=True)
class LossAvoiding(_TwoLevels):
    """Asks for `low` after a positive privacy loss and for `high` otherwise, until the budget is gone."""

    def request(self, view: View) -> DominatingPair:
        return self._ask(view, view.loss <= 0)


@dataclass(frozen=True, slots=True)
class RandomSpender(_Exhausting):
    """Asks for a level uniform on (0, 2 `level`], by its own coin, until the budget is gone."""

    level: float | None = None
    family: MechanismFamily | None = None
    pace: int = 20

    def __post_init__(self) -> None:
        check_count("pace", self.pace)
        if self.level is not None:
            check_positive("level", self.level)

    def against(self, filt: PrivacyFilter) -> RandomSpender:
        family = _family(filt, self.family)
        return replace(self, family=family, level=self.level or even_level(filt, family, self.pace))

    def request(self, view: View) -> DominatingPair:
        assert self.level is not None
        # 1 - U lies in (0, 1]: a request of exactly zero is not a mechanism
        level = 2 * self.level * (1 - view.rng.random(view.n))
        return self.family(level)  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class EraserForever(Adversary):
    """Asks for Erasure(p) for ever; p is the promise's delta by default (004 Section II-B)."""

    p: float | None = None

    def __post_init__(self) -> None:
        if self.p is not None:
            check_probability("p", self.p)

    def against(self, filt: PrivacyFilter) -> EraserForever:
        if self.p is not None:
            return self
        if not isinstance(filt.promise, ApproxDP):
            raise ValueError(
                f"p must be given against {type(filt).__name__}, which promises {filt.promise}: no delta; "
                "pass EraserForever(p)"
            )
        return replace(self, p=filt.promise.delta_at_epsilon)

    @property
    def asks(self) -> tuple[DominatingPair, ...] | None:
        return None if self.p is None else (Erasure(self.p),)

    def request(self, view: View) -> DominatingPair:
        return Erasure(self.p)  # type: ignore[arg-type]
