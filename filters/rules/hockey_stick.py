"""The hockey-stick filter, which charges each round the divergence that it adds, given the realised loss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_kinds import LinearCharge
from filterproof.filters.accounting.declared_charges import declared_numbers_valid, floor_at_tiny
from filterproof.filters.accounting.ledger import Budget, Sums, split_sums, step_sums
from filterproof.filters.contract.parameters import one_delta, one_positive, store_checked_parameters
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.argument_checks import Real
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.pairs import DominatingPair

#: A relative error above those of a loss and of a pair's hockey-stick divergence.
_ROUNDING = 2.0**-38


@dataclass(frozen=True, slots=True)
class HockeyStickFilter(PrivacyFilter[Sums]):
    """The filter that charges each release the expected increase of the hockey-stick divergence at the realised losses.

    It grants a request while, in both directions, the sum of charges is at most delta::

        sum_{s <= t} [H_{e^{epsilon - l_s}}(P_s || Q_s) - (1 - e^{epsilon - l_s})_+] <= delta

    l_s is the sum of the realised losses before release s. The other direction uses -l_s and the swapped pair.

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in (0, 1)
        The delta of the promise.

    Attributes
    ----------
    promise : ApproxDP
        (epsilon, delta)-DP.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    This project, theorem "hockey-stick filter"; Taylor, Vippathalla & Coon (2025) had the idea of a filter that uses
    realised losses. The bracket is the expected increase of (1 - e^{epsilon - l})_+, whose final mean is the
    hockey-stick divergence of the transcript. So the divergence equals the mean of the charges, and an analyst who
    uses all of delta on every path reaches delta exactly. The filter needs no number of rounds, no menu and no split
    of delta. No charge is below its bracket after rounding. After an infinite loss nothing is admitted. The declared
    pair may dominate the mechanism; pass the mechanism's own realised loss to `observe`.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.HockeyStickFilter(epsilon=1.0, delta=1e-3).open("retry")
    >>> session.request(fp.Gaussian(0.5)), session.request(fp.Gaussian(0.3))
    (False, True)
    >>> session.observe(-0.1)  # log p(output)/q(output) of the release
    >>> session.request(fp.Gaussian(0.3))
    True
    """

    epsilon: float
    delta: float
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))
    _delta = cached_property(lambda self: Budget.of(self.delta))
    theorem: ClassVar[str | None] = "hockey-stick filter"
    proof: ClassVar[str] = "the hockey-stick of the transcript is the mean of the charges of its rounds"

    def __post_init__(self) -> None:
        store_checked_parameters(self, epsilon=one_positive, delta=one_delta)

    #: A state: the realised loss, a bound on its rounding error, the sums of the charges of both directions.
    def start(self, n: int) -> Sums:
        return (np.zeros(n), np.zeros(n), *self._delta.start(n), *self._delta.start(n))

    def admits(self, state: Sums, request: DominatingPair) -> NDArray[Any]:
        return self.step(state, request)[0]

    def spend(self, state: Sums, request: DominatingPair) -> Sums:
        return self.step(state, request)[1]

    def step(self, state: Sums, request: DominatingPair) -> tuple[NDArray[Any], Sums]:
        loss, doubt, *_ = state
        charges = map(LinearCharge, self._increase_in_each_direction(loss, doubt, request))
        fits, after = step_sums((self._delta, self._delta), state[2:], charges)
        return fits.all(axis=0) & np.isfinite(loss), (loss.copy(), doubt.copy(), *after)

    def observe(self, state: Sums, loss: NDArray[Any]) -> Sums:
        before, doubt, *spent = state
        with np.errstate(invalid="ignore"):
            now = before + np.asarray(loss, dtype=np.float64)
            doubt = doubt + _ROUNDING * np.abs(loss) + 2.0**-50 * np.abs(now)
        return (now, doubt, *spent)

    def is_reachable_state(self, state: Sums) -> NDArray[Any]:
        loss, doubt, *_ = state
        valid = ~np.isnan(loss) & (doubt >= 0) & (np.isfinite(doubt) | np.isinf(loss))
        sums = map(self._delta.is_reachable_state, split_sums(state[2:]))
        return np.asarray(np.all([valid, *sums], axis=0))

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """Return the rest of delta in the direction that has less; 0 after an infinite loss: shape (n,)."""
        left = np.minimum(self._delta.left((state[2], state[3])), self._delta.left((state[4], state[5])))
        return np.where(np.isfinite(state[0]), left, 0.0)

    def _increase_in_each_direction(
        self, loss: NDArray[Any], doubt: NDArray[Any], request: DominatingPair
    ) -> tuple[Real, Real]:
        """Return the divergence increase by a release in each direction, rounded up; inf if undeclared."""
        swapped, declared = request.swapped, declared_numbers_valid(request)
        with np.errstate(invalid="ignore", over="ignore"):
            forward = np.where(
                declared, _max_hockey_stick_increase(self.epsilon - loss, doubt, request, swapped), np.inf
            )
            backward = np.where(
                declared, _max_hockey_stick_increase(self.epsilon + loss, doubt, swapped, request), np.inf
            )
        return forward, backward


def _max_hockey_stick_increase(
    room: NDArray[Any], doubt: NDArray[Any], pair: DominatingPair, swapped: DominatingPair
) -> Real:
    """Return the largest H_{e^room}(P||Q) - (1 - e^room)_+ within `doubt` of room.

    The increase rises up to room = 0 and falls beyond, so that the maximum is at the point nearest to 0.
    """
    near = np.maximum(np.abs(room) - doubt - 2.0**-50 * np.abs(room), 0.0)
    added = pair.hockey_stick(near)
    past = room < 0
    if past.any():
        added = np.where(past, rm.exp(-near) * swapped.hockey_stick(near), added)
    return floor_at_tiny(added * (1 + _ROUNDING) + 2.0**-1060 * np.greater(added, 0), pair)
