"""Filters that hold the composed hockey-stick under that of a Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filters.arguments import one_positive
from filters.base import Family, PrivacyFilter
from filters.composition import composed_law
from filters.ledger import Budget, Square
from filters.menu import affordable_of, checked_menu, positions
from theory.arguments import Real, check_real
from theory.conversions import CKS
from theory.guarantees import ZCDP, Guarantee
from theory.pairs import DominatingPair, Gaussian, Selection

__all__ = ["BlackwellFilter", "RangedBlackwellFilter", "RangedZCDP", "gaussian_cover"]

#: (uses of each menu entry, shape (n, len(menu)); high and low of the sum of mu^2 of the Gaussians)
_State = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]

_POINTS = 1025
_MARGIN = 1e-12


def _covered(
    losses: NDArray[np.float64], masses: NDArray[np.float64], mu: float, low: float, high: float
) -> bool:
    """Whether H(e^eps) of a finite law is at most that of Gaussian(mu) for every eps in [low, high].

    In z = e^eps both sides are convex: between two grid points H lies under its chord and the Gaussian above
    its tangent at the middle, so it is enough that the chord's ends lie under the tangent.
    """
    grid = np.exp(np.linspace(low, high, _POINTS))
    above = np.maximum(1 - grid[:, None] * np.exp(-losses)[None, :], 0.0) @ masses
    middle = (grid[:-1] + grid[1:]) / 2
    eps = np.log(middle)
    value = np.asarray(Gaussian(mu).hockey_stick(eps))
    slope = -special.ndtr(-mu / 2 - eps / mu)
    allowance = 1 - _MARGIN
    left = value + slope * (grid[:-1] - middle)
    right = value + slope * (grid[1:] - middle)
    return bool(np.all(above[:-1] <= left * allowance) and np.all(above[1:] <= right * allowance))


@lru_cache(maxsize=1 << 14)
def gaussian_cover(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], low: float = -math.inf, high: float = math.inf
) -> float:
    """A mu such that Gaussian(mu) dominates the composed finite pairs for eps in [low, high]; inf if none.

    The least one up to the grid of `_covered` and one part in 10^9. On the whole line it is enough to
    look between the least and the largest loss: beyond the largest H is 0, and below the least it is 1 -
    e^eps, which no pair falls short of.
    """
    losses, masses = composed_law(pairs, counts)
    if len(losses) == 1 and losses[0] == 0:
        return 0.0
    if np.isinf(losses).any() and math.isinf(high):
        return math.inf
    low, high = max(low, float(losses.min()) - 1e-9), min(high, float(losses.max()) + 1e-9)
    if not low < high:
        return 0.0
    below, above = 0.0, 1e-6
    while not _covered(losses, masses, above, low, high):
        below, above = above, above * 2
        if above > 1e3:
            return math.inf
    while above - below > 1e-9 * above:
        mu = (below + above) / 2
        below, above = (below, mu) if _covered(losses, masses, mu, low, high) else (mu, above)
    return above


@dataclass(frozen=True, slots=True)
class BlackwellFilter(PrivacyFilter):
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
    proof: ClassVar[str] = "003 Section 5: Blackwell's theorem, then 000 Remark 4.4 at every order"

    def __post_init__(self) -> None:
        mu = one_positive("mu", self.mu)
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

    def affordable(self, state: _State, family: Family) -> NDArray[np.float64]:
        if family is Gaussian:
            return PrivacyFilter.affordable(self, state, family)
        return affordable_of(self, self.menu, state, family)

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
    is not covered, and the promise speaks of the range alone. A menu may hold infinite losses.
    """

    low: float
    high: float
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _budget: Budget = field(init=False, repr=False, compare=False)
    proof: ClassVar[str] = "undecided: 003 Section 5 needs the condition on the whole line"
    sound: ClassVar[bool | None] = None

    def __post_init__(self) -> None:
        low, high = check_real("low", self.low), check_real("high", self.high)
        if not (isinstance(low, float) and isinstance(high, float) and 0 <= low < high):
            raise ValueError(
                f"low and high must satisfy 0 <= low < high, got low={low!r} high={high!r}; "
                "pass a range of eps"
            )
        mu = one_positive("mu", self.mu)
        object.__setattr__(self, "mu", mu)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "menu", checked_menu(self.menu))
        object.__setattr__(self, "promise", RangedZCDP(math.nextafter(mu * mu / 2, math.inf), low, high))
        object.__setattr__(self, "_budget", Budget.square_of(mu))

    def _cover(self, counts: tuple[int, ...]) -> float:
        forward = gaussian_cover(self.menu, counts, self.low, self.high)
        swapped = tuple(pair.swapped for pair in self.menu)
        return max(forward, gaussian_cover(swapped, counts, self.low, self.high))


def _gaussian_mu(request: DominatingPair) -> Real:
    """mu of the Gaussians among the requests, inf for the others."""
    if isinstance(request, Gaussian):
        return request.mu
    if isinstance(request, Selection):
        n = len(request.index)
        table = np.stack([np.broadcast_to(_gaussian_mu(pair), (n,)) for pair in request.pairs])
        return np.asarray(table[request.index, np.arange(n)])
    return math.inf
