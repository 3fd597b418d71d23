"""The residue filter of Gaussian differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_rules import pure_epsilon
from filterproof.filters.accounting.declared_charges import floor_at_tiny
from filterproof.filters.contract.parameters import one_mu, store_checked_parameters
from filterproof.filters.rules.decreasing_level_filter import TOO_MUCH, DecreasingLevelFilter
from filterproof.theory.guarantees import GaussianDP
from filterproof.theory.numerics.error_free import square
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_down_tiny_products

#: The binary digits of levels, and the number of halvings of the first level with a charge of their own.
_DIGITS, _HALVINGS = 52, 10
_BITS = 256
#: Beyond this no level suffices for randomised response, and exponents stay small.
_MAX_EPSILON = 1024.0


@dataclass(frozen=True, slots=True, repr=False)
class GaussianResidueFilter(DecreasingLevelFilter):
    """The filter of Gaussian differential privacy by the residue of the Gaussian curve.

    The state is the residue v, which starts at mu^2. A request with loss L costs the smallest c with, for w = v - c >=
    0::

        E[G(epsilon - L, w)] <= G(epsilon, w + c)   for every real epsilon

    G(epsilon, v) is the hockey-stick divergence of N(sqrt v, 1) and N(0, 1) at epsilon. The filter grants a request
    while such a w exists; the transcript is mu-GDP.

    Parameters
    ----------
    mu : float in (0, 2^511]
        The GDP parameter of the promise.

    Attributes
    ----------
    promise : GaussianDP
        mu-GDP.

    Raises
    ------
    ValueError
        If mu is out of range.

    Notes
    -----
    The filter uses two numbers of a request, and charges the smaller cost. Its GDP parameter m costs m^2. Its epsilon
    stands for the randomised response that dominates it, which costs less while v is larger. For randomised response
    the inequality at epsilon = 0, P(L + N(w/2, w) > 0) <= Phi(sqrt(w + c)/2), implies it at every epsilon. Charges are
    computed in ball arithmetic and rounded up. The first decision on an epsilon takes about a millisecond. The rule is
    the GDP residue filter of arXiv 2602.15815, of which we read the abstract only; the discrete levels and charges are
    ours.

    Examples
    --------
    >>> from filterproof.theory.pairs import RandomizedResponse
    >>> filt = GaussianResidueFilter(1.0)
    >>> filt.rounds(filt.start(1), RandomizedResponse(0.1)), int(1 / RandomizedResponse(0.1).gdp_mu ** 2)
    (array([98]), 63)
    """

    mu: float
    promise = cached_property(lambda self: GaussianDP(self.mu))
    #: Levels are multiples of 2^_exponent. The first is _budget, mu^2 rounded down.
    _exponent = cached_property(lambda self: 2 * math.frexp(self.mu)[1] - _DIGITS)
    _budget = cached_property(lambda self: int(Fraction(self.mu) ** 2 / Fraction(2) ** self._exponent))
    _halvings = cached_property(lambda self: (0, *(self._budget >> k for k in range(_HALVINGS, 0, -1))))
    theorem: ClassVar[str | None] = "GDP residue filter"
    proof: ClassVar[str] = "this project: no round raises the mean of the Gaussian curve that is left"

    def __post_init__(self) -> None:
        store_checked_parameters(self, mu=one_mu)

    @property
    def _first_level(self) -> int:
        return self._budget

    @property
    def _level_floors(self) -> NDArray[np.int64]:
        return np.array(self._halvings, dtype=np.int64)

    def remaining(self, state: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the square root of the residue, a GDP parameter, rounded down: shape (n,)."""
        return round_down_tiny_products(
            np.ldexp(np.sqrt(state.astype(np.float64)) * (1 - 2.0**-52), self._exponent // 2)
        )

    def _charge_by_floor(self, request: DominatingPair) -> NDArray[np.int64]:
        mu, epsilon = np.broadcast_arrays(floor_at_tiny(request.gdp_mu, request), pure_epsilon(request))
        floors = len(self._halvings)
        charges = np.repeat(self._squares(np.asarray(mu, dtype=np.float64))[..., None], floors, -1)
        epsilons, which = np.unique(np.asarray(epsilon, dtype=np.float64), return_inverse=True)
        pure = np.array([_response_charges(self._halvings, self._exponent, x) for x in epsilons.tolist()])
        return np.asarray(np.minimum(charges, pure.reshape(-1, floors)[which.reshape(mu.shape)]))

    def _squares(self, mu: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return mu^2 in units, rounded up; the whole first level for at most the filter's own mu."""
        units, rest = square(np.minimum(np.ldexp(mu, -self._exponent // 2), 2.0**30))
        charge = np.ceil(units).astype(np.int64) + ((np.ceil(units) == units) & (rest > 0))
        charge = np.maximum(charge, mu > 0)
        return np.asarray(np.where(mu <= self.mu, np.minimum(charge, self._budget), charge))


@lru_cache(maxsize=1 << 14)
def _response_charges(floors: tuple[int, ...], exponent: int, epsilon: float) -> tuple[int, ...]:
    return tuple(randomised_response_charge(floor, exponent, epsilon) for floor in floors)


def randomised_response_charge(floor: int, exponent: int, epsilon: float) -> int:
    """The least whole c with E G(eps - L, w) <= G(eps, w + c 2^exponent) at all eps, w = floor 2^exponent, rounded up.

    L is the loss of randomised response. With the density of N(0, w + c) and that of the mean of N(epsilon, w) and
    N(-epsilon, w), in which the loss is seen after weighing it by e^{-L/2}, the difference K of the two sides, times
    e^{-eps/2}, is even in eps and has K'' - K/4 = their difference. Its sign on eps >= 0 is -, or +, -, + with some of
    the first two missing, as the logarithm of the ratio is concave in eps^2. K and K' vanish at infinity faster than
    e^{-eps/2}, so that K >= 0 on the last +; from K(0) >= 0 and K'(0) = 0 it follows on the first; and between, where K
    would have to be convex at a minimum below 0, from both ends. So K(0) >= 0 is enough, which is
    P(L + N(w/2, w) > 0) <= Phi(sqrt(w + c)/2), and necessary.
    """
    if epsilon == 0:
        return 0
    if not epsilon <= _MAX_EPSILON:
        return TOO_MUCH
    with PRECISION_LOCK, flint.ctx.workprec(_BITS):
        unit, epsilon_ball = flint.arb(2) ** exponent, flint.arb(epsilon)
        lie = 1 / (1 + epsilon_ball.exp())
        beyond = lie
        if floor:
            root = (floor * unit).sqrt()
            beyond = (1 - lie) * _tail(root / 2 + epsilon_ball / root) + lie * _tail(
                root / 2 - epsilon_ball / root
            )
        charge = (8 * (1 - 2 * beyond).erfinv() ** 2 / unit - floor).upper()
        return int(charge.ceil().unique_fmpz()) if charge < TOO_MUCH else TOO_MUCH


def _tail(x: flint.arb) -> flint.arb:
    """Return P(N(0, 1) > x)."""
    return (x / flint.arb(2).sqrt()).erfc() / 2
