"""Filters that continue while one Gaussian dominates the composed mechanisms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.filters.accounting.charge_kinds import SquaredCharge
from filterproof.filters.accounting.declared_charges import nonneg_or_inf
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.parameters import one_mu, store_checked_parameters
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import (
    checked_menu,
    counts_after_use,
    counts_may_meet_delta,
    distinct_rows,
    largest_affordable_on_menu,
    positions,
    valid_counts,
)
from filterproof.filters.rules.menu_composition import composed_pld
from filterproof.theory.argument_checks import Real
from filterproof.theory.extremal import LargestDivergence
from filterproof.theory.guarantees import ZCDP, GaussianDP, Guarantee
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.pairs import DominatingPair, Gaussian
from filterproof.theory.pairs.selection import look_up_values_per_run
from filterproof.theory.rounding import next_above

#: (uses of each menu entry, shape (n, len(menu)); high and low of the sum of mu^2 of the Gaussians)
_State = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]

_POINTS = 1025
_MARGIN = 1e-12
#: Hockey-stick divergences are compared in doubles while the P-mass of larger losses is at least this, up to this eps.
_MIN_TAIL, _MAX_EPSILON = 2.0**-900, 700.0
#: A Q-mass below this has lost digits and counts as zero, which makes the hockey-stick divergence no smaller.
_MIN_Q = 2.0**-1020


def _hockey_stick_upper_bounds(
    losses: NDArray[np.float64], masses: NDArray[np.float64], eps: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return upper bounds on the hockey-stick divergence at each eps of a distribution with ascending losses."""
    q_masses = masses * rm.exp(-losses)
    q_masses = np.where(q_masses < _MIN_Q, 0.0, q_masses)
    p = np.concatenate((np.cumsum(masses[::-1])[::-1], [0.0]))
    q = np.concatenate((np.cumsum(q_masses[::-1])[::-1], [0.0]))
    above = np.searchsorted(losses, eps, side="right")
    rounded = (len(losses) + 8) * 2.0**-52 * p[above]
    return np.asarray(np.maximum(p[above] - rm.exp(eps) * q[above], 0.0) + rounded)


def lies_below_gaussian(mu: float, z: NDArray[np.float64], height: NDArray[np.float64]) -> bool:
    """Whether the convex function with these heights at z = e^eps lies below the divergence of Gaussian(mu).

    Between two grid points the function lies below its chord. The Gaussian's divergence is convex, too, and lies above
    its tangent at the midpoint. So it suffices that both ends of the chord lie below that tangent.
    """
    middle = (z[:-1] + z[1:]) / 2
    eps = rm.log(middle)
    value = np.asarray(Gaussian(mu).hockey_stick(eps)) * (1 - _MARGIN)
    slope = -special.ndtr(-mu / 2 - eps / mu)
    left = height[:-1] <= value + slope * (z[:-1] - middle)
    right = height[1:] <= value + slope * (z[1:] - middle)
    return bool(left.all() and right.all())


def gaussian_dominates_zcdp_beyond(mu: float, rho: float, epsilon: float) -> bool:
    """Whether Gaussian(mu) dominates every rho-zCDP pair at every eps >= epsilon > 0; False if not shown.

    With m^2 = 2 rho, s = eps/m - m/2 and t = eps/mu - mu/2: H <= e^{-s^2/2} m/(s + m), by the conversion of Canonne,
    Kamath and Steinke at the order eps/m^2 + 1/2. The Gaussian's divergence is phi(t) (R(t) - R(t + mu)) >= phi(t) mu /
    ((t + mu)^2 + 3), because the Mills ratio R satisfies -R'(x) = 1 - x R(x) >= 1/(x^2 + 3). The logarithm of the
    quotient of the bounds grows in eps if eps^2 (1/m^2 - 1/mu^2) >= 2.
    """
    m = math.sqrt(2 * rho) * (1 + 2.0**-50)
    if m == 0:
        return True
    t, log_growth = epsilon / mu - mu / 2, (mu - m) * (mu + m) / (m * mu) ** 2 * epsilon**2
    if not (m < mu and t > 0 and log_growth >= 2):
        return False
    s = epsilon / m - m / 2
    gain = log_growth / 2 - (mu - m) * (mu + m) / 8  # (s^2 - t^2) / 2
    factor = math.sqrt(2 * math.pi) * m / mu * ((t + mu) ** 2 + 3) / (s + m)
    return bool(gain * (1 - 1e-9) >= rm.log(factor) + 1e-9)


@lru_cache(maxsize=1 << 14)
def gaussian_cover(
    pairs: tuple[DominatingPair, ...], counts: tuple[int, ...], low: float = 0.0, high: float = math.inf
) -> float:
    """Return a mu such that Gaussian(mu) dominates the composed finite pairs for eps in [low, high], both ways.

    The result is the least such mu up to the grid, one part in 10^9, and about one part in 300 if doubles end before
    the losses do; inf if no mu up to 500 suffices. Both directions for all eps >= 0 are equivalent to one direction for
    all real eps. Hockey-stick divergences are compared in doubles as far as these reach, and beyond through the zCDP of
    the pairs: `gaussian_dominates_zcdp_beyond`.
    """
    if not any(counts):
        return 0.0
    swapped = tuple(pair.swapped for pair in pairs)
    curves, ends = [], []
    for losses, masses in (composed_pld(pairs, counts), composed_pld(swapped, counts)):
        most = min(high, float(losses[masses > 0].max()) + 1e-9)  # H is 0 above the largest loss
        if math.isinf(high) and most > (reached := _largest_compared_epsilon(losses, masses)):
            ends.append(most := reached)
        if low < most:
            eps = np.linspace(low, most, _POINTS)
            if (heights := _hockey_stick_upper_bounds(losses, masses, eps)).any():
                curves.append((rm.exp(eps), heights))
    spent = [count * float(pair.zcdp_rho) for pair, count in zip(pairs, counts, strict=True) if count]
    rho = sum(spent) * (1 + 2.0**-40) if ends else 0.0
    if math.isinf(rho):
        return math.inf
    if not curves:  # no loss exceeds `low`, and every mu suffices
        return 0.0

    def enough(mu: float) -> bool:
        beyond = all(gaussian_dominates_zcdp_beyond(mu, rho, end) for end in ends)
        return beyond and all(lies_below_gaussian(mu, z, height) for z, height in curves)

    below, above = 0.0, 1e-6
    while not enough(above):
        below, above = above, above * 2
        if above > 1e3:
            return math.inf
    while above - below > 1e-9 * above:
        mu = (below + above) / 2
        below, above = (below, mu) if enough(mu) else (mu, above)
    return above


def _largest_compared_epsilon(losses: NDArray[np.float64], masses: NDArray[np.float64]) -> float:
    """Return the largest eps at which the divergence is compared in doubles, or inf if this covers all losses."""
    above = np.cumsum(masses[::-1])[::-1]
    finite = np.isfinite(losses)
    usable_losses = losses[finite & (above >= _MIN_TAIL)]
    reached = min(float(usable_losses.max(initial=0.0)), _MAX_EPSILON)
    return math.inf if finite.all() and reached == losses.max(initial=0.0) else reached


@dataclass(frozen=True, slots=True, repr=False)
class BlackwellFilter(PrivacyFilter[_State]):
    """The filter that grants while one Gaussian dominates the composed mechanisms at every epsilon.

    It grants a request while Gaussian(mu) dominates the composition of all mechanisms so far and the request, as if
    they were fixed in advance. The transcript is (mu^2/2)-zCDP::

        m^2 + sum_s mu_s^2 <= mu^2

    Here mu_s are the parameters of the requested Gaussians, and Gaussian(m) dominates the composed finite pairs.

    Parameters
    ----------
    mu : float in (0, 2^511]
        The parameter of the dominating Gaussian.
    menu : tuple of DominatingPair
        The pairs other than Gaussians that requests may use.

    Attributes
    ----------
    promise : ZCDP
        (mu^2/2)-zCDP.

    Raises
    ------
    ValueError
        If mu is out of range or the menu is not valid.

    Notes
    -----
    Koskela, Tobaben & Honkela (2023), Section 5. Domination at every epsilon gives sum_t D_a(t) = D_a(composed) <= a
    mu^2/2 at every order a on every path (Blackwell's theorem and data processing), so the filter of all orders would
    grant the request too. Their (5.1) asks for the condition at every real epsilon; a bounded grid is not enough: see
    RangedBlackwellFilter. An infinite pair of the menu counts as the Gaussian that dominates it: Gaussian(1/sigma) for
    `SubsampledGaussian`, whatever its rate. A pair that no Gaussian dominates, such as `DiscreteGaussian`, is denied.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.BlackwellFilter(mu=1.0, menu=(fp.RandomizedResponse(0.25),)).open("retry")
    >>> session.request(fp.RandomizedResponse(0.25)), session.request(fp.RandomizedResponse(0.5))  # not on the menu
    (True, False)
    """

    mu: float
    menu: tuple[DominatingPair, ...]
    promise = cached_property[Guarantee](lambda self: ZCDP(next_above(self.mu * self.mu / 2)))
    _budget = cached_property(lambda self: Budget.square_of(self.mu))
    #: For each place on the menu: the mu of a Gaussian request, 0 for a composed one.
    _as_gaussians: tuple[float, ...] = field(init=False, repr=False, compare=False)
    order_free: ClassVar[bool] = True
    theorem: ClassVar[str | None] = "Blackwell filter"
    proof: ClassVar[str] = (
        "Koskela, Tobaben & Honkela (2023), Section 5: Blackwell's theorem, then "
        "Feldman & Zrnic (2021), Remark 4.4 at every order"
    )

    def __post_init__(self) -> None:
        store_checked_parameters(self, mu=one_mu)
        menu = checked_menu(self.menu)
        mus = (float(nonneg_or_inf(pair.gdp_mu)) if pair.outputs is None else 0.0 for pair in menu)
        object.__setattr__(self, "menu", menu)
        object.__setattr__(self, "_as_gaussians", tuple(mus))

    def extremal(self, epsilon: float) -> LargestDivergence:
        """Return Gaussian(mu), the only mechanism that is always admitted; the upper bound is that of (mu^2/2)-zCDP."""
        return replace(GaussianDP(self.mu).extremal(epsilon), high=self.promise.extremal(epsilon).high)

    def start(self, n: int) -> _State:
        return np.zeros((n, len(self.menu)), dtype=np.int64), *self._budget.start(n)

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        valid, (counts, high, low) = self._known_and_charged_state(state, request)
        rows, runs = distinct_rows(counts)
        cover = np.array([self._cover_of_counts(row) for row in rows])[runs]
        return self._budget.fits((high, low), SquaredCharge(cover)) & valid

    def spend(self, state: _State, request: DominatingPair) -> _State:
        return self._known_and_charged_state(state, request)[1]

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """Return the largest mu of a Gaussian that is still admitted: shape (n,)."""
        return self.affordable(state, Gaussian)

    def affordable(self, state: _State, family: MechanismFamily) -> NDArray[np.float64]:
        if family is Gaussian:
            return PrivacyFilter.affordable(self, state, family)
        return largest_affordable_on_menu(self, self.menu, state, family)

    def is_reachable_state(self, state: _State) -> NDArray[Any]:
        counts, high, low = state
        valid = valid_counts(counts, len(self.menu)) & self._budget.is_reachable_state((high, low))
        if valid.any():
            valid &= ~counts[:, np.array(self._as_gaussians) > 0].any(axis=1)
            half, step = self.mu / 2, (epsilon := self._least_epsilon) / self.mu
            # 1 - delta(epsilon) of Gaussian(mu)
            log_mass = np.logaddexp(special.log_ndtr(step - half), epsilon + special.log_ndtr(-half - step))
            valid &= counts_may_meet_delta(counts, self.menu, epsilon, float(log_mass))
        return valid

    @property
    def _least_epsilon(self) -> float:
        """Return the least epsilon at which the composed mechanisms are compared with Gaussian(mu)."""
        return 0.0

    def _known_and_charged_state(
        self, state: _State, request: DominatingPair
    ) -> tuple[NDArray[np.bool_], _State]:
        """Return which runs request a Gaussian or a pair of the menu, and the state after these requests."""
        counts, high, low = state
        place = positions(self.menu, request, len(high))
        mu = np.where(place >= 0, np.array(self._as_gaussians)[place], _gaussian_mu_or_inf(request))
        finite = np.isfinite(mu)
        high, low = self._budget.add((high, low), SquaredCharge(np.where(finite, mu, 0.0)))
        return finite, (counts_after_use(counts, np.where(mu > 0, -1, place)), high, low)

    def _cover_of_counts(self, counts: tuple[int, ...]) -> float:
        return gaussian_cover(self.menu, counts)


def _gaussian_mu_or_inf(request: DominatingPair) -> Real:
    """Return mu of the Gaussians among the requests, inf for the others."""
    if (index := request.member_index) is not None:
        return look_up_values_per_run([_gaussian_mu_or_inf(pair) for pair in request.members], index)
    return math.inf if request.normal_mu is None else nonneg_or_inf(request.normal_mu)
