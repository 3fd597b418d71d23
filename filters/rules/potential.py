"""The potential filter, whose charges depend on the rest of the budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.parameters import one_delta, one_positive, store_checked_parameters
from filterproof.filters.rules.decreasing_level_filter import TOO_MUCH, DecreasingLevelFilter
from filterproof.filters.rules.menu import checked_menu
from filterproof.filters.rules.potential_design import PotentialDesign, design_potential
from filterproof.filters.rules.potential_family import level_floors
from filterproof.theory.extremal import LargestDivergence, tangent_extremal
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import DominatingPair, SubsampledGaussian, is_ours
from filterproof.theory.rounding import next_below

#: A menu of common rates and noises, for examples and measurements.
COMMON_RATES: tuple[DominatingPair, ...] = (
    SubsampledGaussian(q=0.01, sigma=1.0),
    SubsampledGaussian(q=0.02, sigma=1.0),
    SubsampledGaussian(q=0.05, sigma=1.5),
)
_FLOORS = np.array(level_floors(), dtype=np.int64)
_NONE = np.full(len(_FLOORS), TOO_MUCH, dtype=np.int64)


@dataclass(frozen=True, slots=True, repr=False)
class PotentialFilter(DecreasingLevelFilter):
    """The filter of (epsilon, delta)-DP by a decreasing level with a payoff function at each level.

    The state is a level b. A request costs c levels, the smallest c >= 0 with::

        T psi_{b-c} <= psi_b

    psi_b(x, y) is a payoff of the probabilities x and y of the past under P and Q. It is a nonnegative combination of
    functions (x - t y)_+, at least (x - e^epsilon y)_+, and at most delta at (1, 1) on the first level. T psi is its
    mean over a pair that dominates the request. The filter grants a request while the level stays at 0 or above.

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in (0, 1)
        The delta of the promise.
    design : tuple of DominatingPair
        The mechanisms for which the payoffs are optimised.

    Attributes
    ----------
    promise : ApproxDP
        (epsilon, delta)-DP.

    Raises
    ------
    ValueError
        If a parameter is out of range, or not one round of the design fits.

    Notes
    -----
    This project; the residue filter (arXiv 2602.15815) has the idea of a payoff for each state. There is one family of
    payoffs for each direction, and both must allow the charge. Any pair of the library may be requested; a user's own
    pair is denied. The inequality is checked at every knot in integers and in doubles with a margin for rounding, so
    decisions are correct and equal on every machine. The constructor takes about a second, the first decision on a
    pair tens of milliseconds.

    Examples
    --------
    >>> import filterproof as fp
    >>> filt = PotentialFilter(1.0, 0.01, design=(fp.RandomizedResponse(0.25),))
    >>> filt.rounds(filt.start(1), fp.RandomizedResponse(0.25)), filt.open().request(fp.Laplace(4.0))
    (array([4]), True)
    """

    epsilon: float
    delta: float
    design: tuple[DominatingPair, ...]
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))
    _design: PotentialDesign = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "potential filter"
    proof: ClassVar[str] = "this project: a payoff of each level that no granted round raises"

    def __post_init__(self) -> None:
        epsilon, delta = store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        design = checked_menu(self.design)
        object.__setattr__(self, "design", design)
        object.__setattr__(self, "_design", design_potential(epsilon, delta, design))

    @property
    def _first_level(self) -> int:
        return self._design.budget

    @property
    def _level_floors(self) -> NDArray[np.int64]:
        return _FLOORS

    def remaining(self, state: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the present level as a share of the first level, in [0, 1], rounded down: shape (n,)."""
        return np.asarray(np.maximum(next_below(state / self._design.budget), 0.0))

    def extremal(self, epsilon: float) -> LargestDivergence:
        """Return one mechanism with two outcomes that uses the full budget, on a tangent of the first payoff."""
        promised = self.promise.extremal(epsilon)
        # a mechanism within the first level may use its whole potential at (1, 1), and no more at a larger epsilon
        most_kept = self._design.guaranteed_delta if promised.epsilon >= self.epsilon else promised.high
        p, q = self._design.forward.tangent_line(self._design.budget, promised.epsilon - self.epsilon)

        def granted(pair: DominatingPair) -> bool:
            return bool(self.admits(self.start(1), pair)[0])

        return tangent_extremal(
            p, q * math.exp(-self.epsilon), min(most_kept, promised.high), promised.epsilon, granted
        )

    def _charge_by_floor(self, request: DominatingPair) -> NDArray[np.int64]:
        if request.shape == ():
            return _cached_charge_by_floor(self._design, request)
        numbers = [v for v in request.unlabelled.parameters().values() if isinstance(v, np.ndarray)]
        _, first, column = np.unique(np.stack(numbers), axis=1, return_index=True, return_inverse=True)
        each = [_cached_charge_by_floor(self._design, request.of_run(run)) for run in first.tolist()]
        return np.array(each, dtype=np.int64).reshape(-1, len(_FLOORS))[column.reshape(-1)]


@lru_cache(maxsize=1 << 14, typed=True)
def _cached_charge_by_floor(design: PotentialDesign, pair: DominatingPair) -> NDArray[np.int64]:
    if not is_ours(pair):  # its hockey-stick divergence is not known
        return _NONE
    try:
        charges = design.charges_by_floor(type(pair)(**pair.parameters()))
    except (TypeError, ValueError, ArithmeticError):  # the pair's constructor refuses the numbers
        return _NONE
    charges.flags.writeable = False
    return charges
