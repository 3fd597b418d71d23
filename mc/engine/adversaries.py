"""The built-in adversaries: frozen strategies whose parameters `against` derives from the filter.

>>> import filterproof as fp
>>> fp.Constant(pace=4).against(fp.ZCDPFilter(rho=0.5))
Constant(pair=Gaussian(mu=0.5), pace=4)
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from reprlib import repr as short
from typing import ClassVar

import numpy as np

from filterproof.filters.contract.contract_checks import checked_affordable
from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.engine.granted_levels import (
    LEVEL_BITS,
    family_or_granted_default,
    largest_granted_level,
    largest_level_for_rounds,
)
from filterproof.theory.argument_checks import check_count, check_positive, check_probability
from filterproof.theory.display import one_line_repr
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import DominatingPair, Erasure, Gaussian, PairPerRun
from filterproof.theory.rounding import round_down_to_bits

__all__ = [
    "Constant",
    "EraserForever",
    "HighWhileLossPositive",
    "ManySmall",
    "MenuChasing",
    "MenuRandom",
    "OneShot",
    "RandomSpender",
    "Scripted",
]


#: The smallest positive result of `PrivacyFilter.affordable`.
_MIN_PARAMETER = 2.0**-100


class _OneFamilyAdversary(Adversary):
    """An adversary whose requests all belong to one family."""

    __slots__ = ()
    family: MechanismFamily | None

    @property
    def requests_only_gaussians(self) -> bool:
        """Whether the family of all requests is Gaussian."""
        return self.family is Gaussian


class _OneLevel(_OneFamilyAdversary):
    """An adversary that requests one level repeatedly."""

    __slots__ = ()
    level: float | None
    reads_state: ClassVar[bool] = False

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...] | None:
        """The one pair of the level; None before `against` has set family and level."""
        return None if self.family is None or self.level is None else (self.family(self.level),)

    def request(self, view: AdversaryView) -> DominatingPair:
        return self.family(self.level)  # type: ignore[misc]


class _BudgetExhausting(_OneFamilyAdversary):
    """An adversary whose final request takes the rest of the budget."""

    __slots__ = ()

    @property
    def final_depends_only_on_state(self) -> bool:
        """True: `final` computes the rest of the budget from the filter state alone."""
        return True

    def final(self, view: AdversaryView) -> DominatingPair:
        """Request the largest parameter that the filter still grants to each run."""
        assert self.family is not None
        rest = checked_affordable(view.filter, view.state, self.family, view.n)
        # if the rest is 0, the filter denies _MIN_PARAMETER, too
        return self.family(np.maximum(rest, _MIN_PARAMETER))


@dataclass(frozen=True, slots=True)
class Constant(Adversary):
    """Requests the same pair until the filter denies it.

    Parameters
    ----------
    pair : DominatingPair or float, optional
        The pair, of shape (). A number mu stands for Gaussian(mu). By default `against` takes the largest level that
        the filter grants `pace` times in a row.
    pace : int, default 20
        Number of rounds that the default pair lasts, at least 1.

    Raises
    ------
    ValueError
        If the pair is not of shape () or pace < 1.
    """

    pair: DominatingPair | float | None = None
    pace: int = 20
    reads_state: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count("pace", self.pace)
        if self.pair is not None and not isinstance(self.pair, DominatingPair):
            object.__setattr__(self, "pair", Gaussian(self.pair))
        if isinstance(self.pair, DominatingPair) and self.pair.shape != ():
            raise ValueError(
                f"pair must be a single pair, got shape {self.pair.shape}; pass one with scalar parameters"
            )

    def against(self, filt: PrivacyFilter) -> Constant:
        """Return the adversary with the largest pair that the filter grants `pace` times in a row."""
        if self.pair is not None:
            return self
        family = family_or_granted_default(filt, None)
        return replace(self, pair=family(largest_level_for_rounds(filt, family, self.pace)))

    @property
    def requests_only_gaussians(self) -> bool:
        return self.possible_requests is not None and self.possible_requests[0].normal_mu is not None

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...] | None:
        return (self.pair,) if isinstance(self.pair, DominatingPair) else None

    def request(self, view: AdversaryView) -> DominatingPair:
        assert isinstance(self.pair, DominatingPair)
        return self.pair


@dataclass(frozen=True, slots=True)
class Scripted(Adversary):
    """Requests each pair of a fixed list in turn, each a fixed number of times, whatever the filter releases.

    Parameters
    ----------
    pairs : tuple of DominatingPair
        The pairs in order, each of shape ().
    times : tuple of int
        How many times in a row the adversary requests each pair, at least 1.

    Raises
    ------
    TypeError
        If an element of `pairs` is not a pair of shape ().
    ValueError
        If `pairs` is empty or `times` has another length.
    """

    pairs: tuple[DominatingPair, ...]
    times: tuple[int, ...]
    reads_state: ClassVar[bool] = False

    __repr__ = one_line_repr

    def __post_init__(self) -> None:
        if not all(isinstance(pair, DominatingPair) and pair.shape == () for pair in self.pairs):
            raise TypeError(
                f"pairs must be single pairs, got {short(self.pairs)}; pass e.g. fp.Gaussian(mu=0.3)"
            )
        if len(self.pairs) != len(self.times) or not self.pairs:
            raise ValueError(
                f"times must hold one number for each pair, got {len(self.times)} for {len(self.pairs)}; pass both"
            )
        for times in self.times:
            check_count("times", times)

    @property
    def horizon(self) -> int:
        """The total number of requests: the sum of `times`."""
        return sum(self.times)

    @property
    def requests_only_gaussians(self) -> bool:
        return all(pair.normal_mu is not None for pair in self.pairs)

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...]:
        return tuple(dict.fromkeys(self.pairs))

    def request(self, view: AdversaryView) -> DominatingPair:
        place = bisect_right(list(accumulate(self.times)), view.round)
        return self.pairs[min(place, len(self.pairs) - 1)]


@dataclass(frozen=True, slots=True)
class OneShot(_OneLevel):
    """Makes a single request.

    Parameters
    ----------
    family : callable, optional
        Maps a level to a pair, e.g. `fp.Gaussian`. By default Gaussian, or RandomizedResponse if the filter grants no
        Gaussian.
    level : float, optional
        The parameter of the request. By default the largest that the filter grants.
    """

    family: MechanismFamily | None = None
    level: float | None = None

    @property
    def horizon(self) -> int:
        return 1

    def against(self, filt: PrivacyFilter) -> OneShot:
        family = family_or_granted_default(filt, self.family)
        return replace(
            self,
            family=family,
            level=largest_granted_level(filt, family) if self.level is None else self.level,
        )


@dataclass(frozen=True, slots=True)
class ManySmall(_OneLevel, _BudgetExhausting):
    """Spends the budget in k equal requests, and in a final request for the remainder.

    Parameters
    ----------
    k : int, default 100
        Number of equal requests, at least 1.
    family : callable, optional
        Maps a level to a pair, e.g. `fp.Gaussian`. By default as in `OneShot`.
    level : float, optional
        The parameter of the equal requests. By default the largest that the filter grants k times in a row.
    """

    k: int = 100
    family: MechanismFamily | None = None
    level: float | None = None

    def __post_init__(self) -> None:
        check_count("k", self.k)

    @property
    def horizon(self) -> int:
        return self.k + 1

    def against(self, filt: PrivacyFilter) -> ManySmall:
        family = family_or_granted_default(filt, self.family)
        level = largest_level_for_rounds(filt, family, self.k) if self.level is None else self.level
        return replace(self, family=family, level=level)


@dataclass(frozen=True, slots=True)
class HighWhileLossPositive(_BudgetExhausting):
    """Requests level `high` after a positive privacy loss and level `low` otherwise, until the budget is spent.

    Parameters
    ----------
    low, high : float, optional
        The two levels, > 0. By default 1/sqrt(2) and sqrt(2) times the level that the filter grants `pace` times in a
        row. With `low` above `high` the adversary avoids large steps after a positive loss.
    family : callable, optional
        Maps a level to a pair, e.g. `fp.Gaussian`. By default as in `OneShot`.
    pace : int, default 20
        Number of rounds that determines the default levels, at least 1.

    Notes
    -----
    The privacy loss is that of the transcript so far. The last request takes the rest of the budget.
    """

    low: float | None = None
    high: float | None = None
    family: MechanismFamily | None = None
    pace: int = 20

    def __post_init__(self) -> None:
        check_count("pace", self.pace)
        for name, level in (("low", self.low), ("high", self.high)):
            if level is not None:
                check_positive(name, level)

    def against(self, filt: PrivacyFilter) -> HighWhileLossPositive:
        family = family_or_granted_default(filt, self.family)
        if self.low is not None and self.high is not None:
            return replace(self, family=family)
        level = largest_level_for_rounds(filt, family, self.pace)
        low = round_down_to_bits(level / math.sqrt(2), LEVEL_BITS) if self.low is None else self.low
        high = (
            round_down_to_bits(min(level * math.sqrt(2), largest_granted_level(filt, family)), LEVEL_BITS)
            if self.high is None
            else self.high
        )
        return replace(self, family=family, low=low, high=high)

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...] | None:
        if self.family is None or self.low is None or self.high is None:
            return None
        return self.family(self.low), self.family(self.high)

    def request(self, view: AdversaryView) -> DominatingPair:
        assert self.family is not None
        assert self.low is not None
        assert self.high is not None
        return self.family(np.where(view.loss > 0, self.high, self.low))


@dataclass(frozen=True, slots=True)
class RandomSpender(_BudgetExhausting):
    """Requests levels drawn uniformly from (0, 2 level], until the budget is spent.

    Parameters
    ----------
    level : float, optional
        The mean of the levels, > 0. By default the level that the filter grants `pace` times in a row.
    family : callable, optional
        Maps a level to a pair, e.g. `fp.Gaussian`. By default as in `OneShot`.
    pace : int, default 20
        Number of rounds that determines the default level, at least 1.

    Notes
    -----
    The adversary draws from its own generator, `AdversaryView.rng`. The last request takes the rest of the budget.
    """

    level: float | None = None
    family: MechanismFamily | None = None
    pace: int = 20

    def __post_init__(self) -> None:
        check_count("pace", self.pace)
        if self.level is not None:
            check_positive("level", self.level)

    def against(self, filt: PrivacyFilter) -> RandomSpender:
        family = family_or_granted_default(filt, self.family)
        return replace(
            self, family=family, level=self.level or largest_level_for_rounds(filt, family, self.pace)
        )

    def request(self, view: AdversaryView) -> DominatingPair:
        assert self.level is not None
        # 1 - U lies in (0, 1]: U itself may be 0, and no mechanism has level 0
        level = 2 * self.level * (1 - view.rng.random(view.n))
        return self.family(level)  # type: ignore[misc]


class _OnMenu(Adversary):
    """An adversary whose requests are all from `menu`, so that the solved game of the menu bounds its value."""

    __slots__ = ()
    menu: tuple[DominatingPair, ...]
    reads_state: ClassVar[bool] = False

    def __post_init__(self) -> None:
        menu = self.menu
        if not isinstance(menu, Iterable) or not all(isinstance(pair, DominatingPair) for pair in menu):
            raise TypeError(f"menu must hold pairs, got {short(menu)}; pass e.g. (fp.Gaussian(mu=0.3),)")
        PairPerRun(self.menu, np.zeros(1, dtype=np.intp))  # this raises for an invalid menu

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...]:
        return self.menu


@dataclass(frozen=True, slots=True)
class MenuChasing(_OnMenu):
    """Requests the last pair of a menu after a positive privacy loss and the first pair otherwise, until a denial.

    Parameters
    ----------
    menu : tuple of DominatingPair
        The pairs, each of shape ().

    Raises
    ------
    TypeError
        If `menu` contains anything but pairs.
    """

    menu: tuple[DominatingPair, ...]

    def request(self, view: AdversaryView) -> DominatingPair:
        return PairPerRun(self.menu, np.where(view.loss > 0, len(self.menu) - 1, 0))


@dataclass(frozen=True, slots=True)
class MenuRandom(_OnMenu):
    """Requests a pair drawn uniformly from a menu, until a denial.

    Parameters
    ----------
    menu : tuple of DominatingPair
        The pairs, each of shape ().

    Raises
    ------
    TypeError
        If `menu` contains anything but pairs.
    """

    menu: tuple[DominatingPair, ...]

    def request(self, view: AdversaryView) -> DominatingPair:
        return PairPerRun(self.menu, view.rng.integers(len(self.menu), size=view.n))


@dataclass(frozen=True, slots=True)
class EraserForever(Adversary):
    """Requests Erasure(p), which reveals everything with probability p, in every round.

    Parameters
    ----------
    p : float, optional
        The probability that a release reveals everything, in [0, 1]. By default the delta of the filter's guarantee,
        which must be an `ApproxDP`.

    Notes
    -----
    The example is from Taylor, Vippathalla & Coon (2025), Section II-B.
    """

    p: float | None = None
    reads_state: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.p is not None:
            check_probability("p", self.p)

    def against(self, filt: PrivacyFilter) -> EraserForever:
        if self.p is not None:
            return self
        if not isinstance(filt.promise, ApproxDP):
            raise ValueError(
                f"p is missing: the guarantee of {type(filt).__name__} has no delta ({filt.promise}); "
                "pass EraserForever(p)"
            )
        return replace(self, p=filt.promise.delta_at_epsilon)

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...] | None:
        return None if self.p is None else (Erasure(self.p),)

    def request(self, view: AdversaryView) -> DominatingPair:
        return Erasure(self.p)  # type: ignore[arg-type]


#: The strategies in the reference, each for any family of mechanisms.
STRATEGY_CLASSES = (HighWhileLossPositive, OneShot, ManySmall, RandomSpender)
