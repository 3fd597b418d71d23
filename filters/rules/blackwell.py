"""Filters that hold the composed hockey-stick under that of a Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filters.accounting.amounts import Square
from filters.accounting.charges import proper
from filters.accounting.ledger import Budget
from filters.contract.filter_base import MechanismFamily
from filters.contract.parameters import one_mu
from filters.privacy_filter import PrivacyFilter
from filters.rules.composition import composed_law
from filters.rules.loss_lattice import composed_lattice
from filters.rules.menu import affordable_of, checked_menu, counted, positions
from theory.arguments import Real, check_real
from theory.conversions import CKS
from theory.guarantees import ZCDP, Guarantee
from theory.pairs import DominatingPair, Gaussian, Selection
from theory.pairs.finite import Finite

__all__ = ["BlackwellFilter", "RangedBlackwellFilter", "RangedZCDP", "covers", "gaussian_cover"]

#: (uses of each menu entry, shape (n, len(menu)); high and low of the sum of mu^2 of the Gaussians)
_State = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]

_POINTS = 1025
_MARGIN = 1e-12


def _heights(
    losses: NDArray[np.float64], masses: NDArray[np.float64], eps: NDArray[np.float64]
) -> NDArray[np.float64]:
    """H(e^eps) of a law of losses, ascending, by sums from above."""
    p = np.concatenate((np.cumsum(masses[::-1])[::-1], [0.0]))
    q = np.concatenate((np.cumsum((masses * np.exp(-losses))[::-1])[::-1], [0.0]))
    above = np.searchsorted(losses, eps, side="right")
    return np.asarray(np.maximum(p[above] - np.exp(eps) * q[above], 0.0))


def covers(mu: float, z: NDArray[np.float64], height: NDArray[np.float64]) -> bool:
    """Whether the convex function with these heights at z = e^eps lies under the hockey-stick of Gaussian(mu).

    Between two grid points it lies under its chord, and the Gaussian, convex as well, above its tangent at the
    middle: it is enough that the ends of the chord lie under the tangent.
    """
    middle = (z[:-1] + z[1:]) / 2
    eps = np.log(middle)
    value = np.asarray(Gaussian(mu).hockey_stick(eps)) * (1 - _MARGIN)
    slope = -special.ndtr(-mu / 2 - eps / mu)
    left = height[:-1] <= value + slope * (z[:-1] - middle)
    right = height[1:] <= value + slope * (z[1:] - middle)
    return bool(left.all() and right.all())


def _law(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(losses, masses) of the composition, exact for finite pairs and on a lattice from above for others.

    The lattice is close to it for eps <= `high`.
    """
    if all(isinstance(pair, Finite) for pair, count in zip(pairs, counts, strict=True) if count):
        return composed_law(pairs, counts)
    law = composed_lattice(pairs, counts, high)
    return np.append(law.losses, np.inf), np.append(law.masses, law.infinite)


@lru_cache(maxsize=1 << 14)
def gaussian_cover(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], low: float = 0.0, high: float = math.inf
) -> float:
    """A mu such that Gaussian(mu) dominates the composed pairs for eps in [low, high], both ways; inf if none.

    The least one up to the grid and one part in 10^9. Both ways for eps >= 0 is one way for every real eps.
    """
    if not any(counts):
        return 0.0
    swapped = tuple(pair.swapped for pair in pairs)
    curves = []
    for law in (_law(pairs, counts, high), _law(swapped, counts, high)):
        losses, masses = law
        most = min(high, float(losses[masses > 0].max()) + 1e-9)  # H is 0 beyond the largest loss
        if math.isinf(most):
            return math.inf
        if low < most:
            eps = np.linspace(low, most, _POINTS)
            curves.append((np.exp(eps), _heights(losses, masses, eps)))

    def enough(mu: float) -> bool:
        return all(covers(mu, z, height) for z, height in curves)

    below, above = 0.0, 1e-6
    while not enough(above):
        below, above = above, above * 2
        if above > 1e3:
            return math.inf
    while above - below > 1e-9 * above:
        mu = (below + above) / 2
        below, above = (below, mu) if enough(mu) else (mu, above)
    return above


@dataclass(frozen=True, slots=True)
class BlackwellFilter(PrivacyFilter[_State]):
    """CONT while the mechanisms so far, had they been fixed, are dominated by Gaussian(mu) at every real eps.

    Finite pairs with finite losses come from a `menu`, Gaussians are free: the finite ones composed must be
    dominated by Gaussian(m), and m^2 plus the sum of the Gaussians' mu_t^2 stay within mu^2.
    The transcript is (mu^2/2)-zCDP. Proof: domination at every eps gives sum_t D_a(t) = D_a(composed) <=
    a mu^2/2 at every order a (Blackwell and data processing), along every path; so the filter of all orders
    would have continued. Source: paper 003, Section 5; the condition is checked on the whole line here, which
    the printed (5.1) asks for and a bounded grid does not give (see RangedBlackwellFilter).
    """

    mu: float
    menu: tuple[DominatingPair, ...]
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _budget: Budget = field(init=False, repr=False, compare=False)
    order_free: ClassVar[bool] = True
    theorem: ClassVar[str | None] = None
    proof: ClassVar[str] = "003 Section 5: Blackwell's theorem, then 000 Remark 4.4 at every order"

    def __post_init__(self) -> None:
        mu = one_mu("mu", self.mu)
        object.__setattr__(self, "mu", mu)
        object.__setattr__(self, "menu", checked_menu(self.menu))
        object.__setattr__(self, "promise", ZCDP(math.nextafter(mu * mu / 2, math.inf)))
        object.__setattr__(self, "_budget", Budget.square_of(mu))

    def start(self, n: int) -> _State:
        return np.zeros((n, len(self.menu)), dtype=np.int64), *self._budget.start(n)

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        known, (counts, high, low) = self._charged(state, request)
        rows, runs = np.unique(counts, axis=0, return_inverse=True)
        cover = np.array([self._cover(tuple(row.tolist())) for row in rows])[runs.reshape(-1)]
        return self._budget.fits((high, low), Square(cover)) & known

    def spend(self, state: _State, request: DominatingPair) -> _State:
        return self._charged(state, request)[1]

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """The largest mu of a Gaussian still admitted."""
        return self.affordable(state, Gaussian)

    def affordable(self, state: _State, family: MechanismFamily) -> NDArray[np.float64]:
        if family is Gaussian:
            return PrivacyFilter.affordable(self, state, family)
        return affordable_of(self, self.menu, state, family)

    def reaches(self, state: _State) -> NDArray[Any]:
        counts, high, low = state
        return counted(counts, len(self.menu)) & self._budget.reaches((high, low))

    def _charged(self, state: _State, request: DominatingPair) -> tuple[NDArray[np.bool_], _State]:
        """Which runs ask for something known, and the state with the request charged to them."""
        counts, high, low = state
        place = positions(self.menu, request, len(high))
        asked = np.flatnonzero(place >= 0)
        counts = counts.copy()
        counts[asked, place[asked]] += 1
        mu = np.where(place >= 0, 0.0, _gaussian_mu(request))
        known = np.isfinite(mu)
        high, low = self._budget.add((high, low), Square(np.where(known, mu, 0.0)))
        return known, (counts, high, low)

    def _cover(self, counts: tuple[int, ...]) -> float:
        return gaussian_cover(self.menu, counts)


@dataclass(frozen=True, slots=True)
class RangedZCDP(Guarantee):
    """delta(eps) of rho-zCDP for eps in [low, high], the range on which a condition was checked; else 1."""

    rho: float
    low: float
    high: float

    def delta(self, epsilon: Real) -> Real:
        inside = np.greater_equal(epsilon, self.low) & np.less_equal(epsilon, self.high)
        bound: Real = np.where(inside, CKS.delta(self.rho, epsilon), 1.0)
        return bound if np.ndim(bound) else float(bound)

    def __str__(self) -> str:
        return f"{self.rho:g}-zCDP for eps in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True, slots=True)
class RangedBlackwellFilter(BlackwellFilter):
    """CONT while the composed hockey-stick is at most that of Gaussian(mu) for eps in [low, high], both ways.

    What paper 003 computes in Section 5 (its (5.1) asks for all real eps, which for DP-SGD forces mu >=
    sqrt(T)/sigma). Undecided: off the range the divergence may be anything, so the step to Rényi divergences
    is not covered, and the promise speaks of the range alone. The menu may hold any pair: losses that are not
    finitely many are put on a lattice from above, and infinite ones count as such.
    """

    low: float
    high: float
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _budget: Budget = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = None
    proof: ClassVar[str] = "undecided: 003 Section 5 needs the condition on the whole line"
    sound: ClassVar[bool | None] = None

    def __post_init__(self) -> None:
        low, high = check_real("low", self.low), check_real("high", self.high)
        if not (isinstance(low, float) and isinstance(high, float) and 0 <= low < high):
            raise ValueError(
                f"low and high must satisfy 0 <= low < high, got low={low!r} high={high!r}; "
                "pass a range of eps"
            )
        mu = one_mu("mu", self.mu)
        object.__setattr__(self, "mu", mu)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "menu", checked_menu(self.menu))
        object.__setattr__(self, "promise", RangedZCDP(math.nextafter(mu * mu / 2, math.inf), low, high))
        object.__setattr__(self, "_budget", Budget.square_of(mu))

    def _cover(self, counts: tuple[int, ...]) -> float:
        return gaussian_cover(self.menu, counts, self.low, self.high)


def _gaussian_mu(request: DominatingPair) -> Real:
    """mu of the Gaussians among the requests, inf for the others."""
    if isinstance(request, Gaussian):
        return proper(request.mu)
    if isinstance(request, Selection):
        n = len(request.index)
        table = np.stack([np.broadcast_to(_gaussian_mu(pair), (n,)) for pair in request.pairs])
        return np.asarray(table[request.index, np.arange(n)])
    return math.inf
