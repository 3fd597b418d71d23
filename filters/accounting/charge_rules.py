"""Charge rules: the exact charge of a mechanism, and the guarantee that a sum of charges gives.

    >>> from filterproof.theory.pairs import Gaussian
    >>> zcdp_charge(Gaussian(0.5))
    SquaredCharge(x=0.5, scale=0.5)
    >>> zcdp_charge.guarantee_for(0.02), renyi_charge.at(8.0).guarantee_for(0.5)
    (ZCDP(rho=0.02), RenyiDP(alpha=8.0, rho=0.5))

A rule is a value. It is called like a function, and a class of filters sets it, e.g. `charge = zcdp_charge`. It
charges the declared value of a pair. No mechanism has a declared NaN or a number below zero, so such a charge counts
as infinite, which no filter grants.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, PerRunCharge, SquaredCharge
from filterproof.filters.accounting.declared_charges import (
    divergence_with_margin,
    floor_at_tiny,
    nonneg_or_inf,
)
from filterproof.theory.argument_checks import Real, check_order_from_one
from filterproof.theory.guarantees import ZCDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import DominatingPair, Gaussian, RandomizedResponse, is_ours
from filterproof.theory.pairs.selection import look_up_values_per_run
from filterproof.theory.rounding import root_round_up


class ChargeRule(ABC):
    """A charge rule: a number for each request such that a bound B on the sum of charges bounds the transcript.

    The rules are `fp.pure_charge`, `fp.zcdp_charge`, `fp.gdp_charge` and `fp.charges.renyi_charge.at(alpha)`. They are
    immutable and have no state.

    Attributes
    ----------
    theorem : str or None
        The key in `fp.THEOREMS` of the theorem, None where this project states none.
    source : str
        The source of the theorem.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.zcdp_charge(fp.Gaussian(2.0)), fp.zcdp_charge.guarantee_for(0.5)
    (SquaredCharge(x=2.0, scale=0.5), ZCDP(rho=0.5))
    """

    __slots__ = ()
    theorem: ClassVar[str | None]
    source: ClassVar[str]

    @abstractmethod
    def __call__(self, request: DominatingPair) -> Charge:
        """Return the charge of a request, for all runs or one per run."""

    @abstractmethod
    def guarantee_for(self, total: float) -> Guarantee:
        """Return the guarantee of a transcript with charges of at most `total` > 0 on every path."""

    def square_scale(self, family: object) -> float | None:
        """Return the s with charge(family(t)) = s t^2, or None if there is none."""
        return None


class _NamedValue:
    """A value that a module holds under a name, which is its repr and its pickle."""

    __slots__ = ()
    _name: ClassVar[str]

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name


class _RulePerSelectedPair(_NamedValue, ChargeRule):
    """A rule that charges each pair of a PairPerRun separately."""

    __slots__ = ()

    def __call__(self, request: DominatingPair) -> Charge:
        if (index := request.member_index) is not None:
            return _selected_charges(tuple(map(self, request.members)), index)
        return self._charge_of_pair(request)

    @abstractmethod
    def _charge_of_pair(self, request: DominatingPair) -> Charge:
        """Return the charge of a pair that is no selection."""


@dataclass(frozen=True, slots=True, repr=False)
class PureCharge(_RulePerSelectedPair):
    """The epsilon of an epsilon-DP mechanism, in nats; a sum of at most B gives B-DP by basic composition.

    The charge is one number for all runs, or one per run in shape (n,), as the parameters of the pair are.
    """

    theorem: ClassVar[str | None] = "basic composition"
    source: ClassVar[str] = (
        "basic composition, by induction on the rounds; Taylor, Vippathalla & Coon (2025), Section II-A"
    )
    _name: ClassVar[str] = "pure_charge"

    def _charge_of_pair(self, request: DominatingPair) -> Charge:
        return LinearCharge(pure_epsilon(request))

    def guarantee_for(self, total: float) -> Guarantee:
        return PureDP(total)


@dataclass(frozen=True, slots=True, repr=False)
class ZCDPCharge(_RulePerSelectedPair):
    """The zCDP parameter rho of a mechanism, in nats; a sum of at most B gives B-zCDP.

    rho is mu^2/2 for Gaussian(mu), epsilon^2/2 for RandomizedResponse(epsilon), and otherwise the number that the pair
    declares. The charge is one number for all runs, or one per run in shape (n,), as the parameters of the pair are.
    """

    theorem: ClassVar[str | None] = "RDP filter"
    source: ClassVar[str] = "Feldman & Zrnic (2021), Remark 4.4"
    _name: ClassVar[str] = "zcdp_charge"

    def _charge_of_pair(self, request: DominatingPair) -> Charge:
        if is_ours(request) and (root := request.sqrt_twice_zcdp_rho) is not None:
            return SquaredCharge(nonneg_or_inf(root), 0.5)
        return LinearCharge(floor_at_tiny(request.zcdp_rho, request))

    def guarantee_for(self, total: float) -> Guarantee:
        return ZCDP(total)

    def square_scale(self, family: object) -> float | None:
        return 0.5 if family in (Gaussian, RandomizedResponse) else None


@dataclass(frozen=True, slots=True, repr=False)
class GDPCharge(_RulePerSelectedPair):
    """The squared GDP parameter mu^2 of a mechanism; a sum of at most mu^2 gives mu-GDP.

    The charge is one number for all runs, or one per run in shape (n,), as the parameters of the pair are.
    """

    theorem: ClassVar[str | None] = "GDP filter"
    source: ClassVar[str] = "Koskela, Tobaben & Honkela (2023), Theorem C.1"
    _name: ClassVar[str] = "gdp_charge"

    def _charge_of_pair(self, request: DominatingPair) -> Charge:
        return SquaredCharge(floor_at_tiny(request.gdp_mu, request))

    def guarantee_for(self, total: float) -> Guarantee:
        """Return sqrt(total)-GDP, the root rounded up."""
        return GaussianDP(root_round_up(total))

    def square_scale(self, family: object) -> float | None:
        return 1.0 if family is Gaussian else None


@dataclass(frozen=True, slots=True, repr=False)
class RenyiCharge(ChargeRule):
    """The Rényi divergence of order alpha of a mechanism, in nats, the larger of the two directions.

    The divergence is alpha mu^2/2 for Gaussian(mu), and otherwise the number that the pair declares. The charge is one
    number for all runs, or one per run in shape (n,), as the parameters of the pair are.

    Parameters
    ----------
    alpha : float, >= 1
        The Rényi order.

    Raises
    ------
    TypeError
        If alpha is no single number.
    ValueError
        If alpha is below 1 or not finite.

    Notes
    -----
    For the library's pairs other than Gaussians, the charge is above `pair.renyi(alpha)` by a share of 2^-46, and by
    more where losses are large, which covers the rounding of `renyi`.
    """

    alpha: float
    theorem: ClassVar[str | None] = "RDP filter"
    source: ClassVar[str] = "Feldman & Zrnic (2021), Theorem 4.3"

    def __post_init__(self) -> None:
        alpha = check_order_from_one("alpha", self.alpha)
        if not isinstance(alpha, float):
            raise TypeError(f"alpha must be one order, got {self.alpha!r}; make one rule for each")
        object.__setattr__(self, "alpha", alpha)

    def __call__(self, request: DominatingPair) -> Charge:
        return _renyi_charge(request, self.alpha)

    def guarantee_for(self, total: float) -> Guarantee:
        return RenyiDP(self.alpha, total)

    def square_scale(self, family: object) -> float | None:
        return self.alpha / 2 if family is Gaussian else None

    def __repr__(self) -> str:
        return f"renyi_charge.at({self.alpha!r})"


@dataclass(frozen=True, slots=True, repr=False)
class RenyiCharges(_NamedValue):
    """The rules of all orders: `renyi_charge.at(8.0)` is one rule, `renyi_charge(request, 8.0)` is one charge."""

    _name: ClassVar[str] = "renyi_charge"

    def __call__(self, request: DominatingPair, alpha: float) -> Charge:
        return _renyi_charge(request, alpha)

    def at(self, alpha: float) -> RenyiCharge:
        """Return the rule of the order alpha >= 1."""
        return RenyiCharge(alpha)


def _renyi_charge(request: DominatingPair, alpha: float) -> Charge:
    """Return the charge of a pair: its larger Rényi divergence of order alpha, rounded up."""
    if (index := request.member_index) is not None:
        return _selected_charges(tuple(_renyi_charge(pair, alpha) for pair in request.members), index)
    ours = is_ours(request)
    if ours and (mu := request.normal_mu) is not None:
        return SquaredCharge(nonneg_or_inf(mu), alpha / 2)
    if not ours:
        return LinearCharge(floor_at_tiny(_larger_divergence(request, alpha), request))
    try:
        return LinearCharge(_cached_divergence(request, alpha))
    except TypeError:  # parameters of many runs have no hash
        return LinearCharge(divergence_with_margin(_larger_divergence(request, alpha), alpha, request))


def _selected_charges(charges: tuple[Charge, ...], index: NDArray[np.integer[Any]]) -> Charge:
    """Return charges[index[i]] for run i: one square per run if they are squares, else one of them per run."""
    roots, scales = [], set()
    for charge in charges:
        if isinstance(charge, SquaredCharge):
            roots.append(charge.x)
            scales.add(charge.scale)
        elif isinstance(charge, LinearCharge) and isinstance(charge.x, float) and charge.x == 0:
            roots.append(0.0)
        else:
            return PerRunCharge(charges, index)
    if all(isinstance(root, float) for root in roots):
        return PerRunCharge(charges, index)
    return SquaredCharge(look_up_values_per_run(roots, index), *scales)  # a rule has one scale


def _larger_divergence(request: DominatingPair, alpha: float) -> Real:
    """Return the divergence in the worse of both directions."""
    forward, swapped = nonneg_or_inf(request.renyi(alpha)), request.swapped
    return forward if swapped is request else np.maximum(forward, nonneg_or_inf(swapped.renyi(alpha)))


@lru_cache(maxsize=4096)
def _cached_divergence(request: DominatingPair, alpha: float) -> Real:
    """Return the divergence of an immutable pair of the library, cached."""
    return divergence_with_margin(_larger_divergence(request, alpha), alpha, request)


def pure_epsilon(request: DominatingPair) -> Real:
    """Return the epsilon that a request declares, or inf."""
    return nonneg_or_inf(request.pure_epsilon)


pure_charge = PureCharge()
zcdp_charge = ZCDPCharge()
gdp_charge = GDPCharge()
renyi_charge = RenyiCharges()
