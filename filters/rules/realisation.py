"""The realisation-level filter: its decisions use the realised losses of all releases but the last."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.accounting.charges import upper_quantile
from filters.contract.parameters import one_delta, one_positive
from filters.privacy_filter import PrivacyFilter
from filters.rules.menu import checked_menu
from theory.arguments import Real, check_count, check_probability
from theory.extremal import Extremal, erasures_extremal
from theory.guarantees import ApproxDP, Guarantee
from theory.numerics import portable
from theory.pairs import DominatingPair
from theory.realisation import optimal_split

__all__ = ["RealisationFilter"]

#: (loss before the last release, loss of the last release, its upper quantile in both directions, releases so far)
_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True, repr=False)
class RealisationFilter(PrivacyFilter[_State]):
    """CONT to release i+1 while q_i(theta) + max_r q_r(dhat) <= epsilon -+ l^{(i-1)}, in both directions.

    q(z) is the upper z-quantile of the privacy loss, q_i that of the last released mechanism i, the maximum
    runs over the `menu`; l^{(i-1)} is the realised loss BEFORE release i: the check on request i+1 knows
    which mechanism ran as i but not its output. At most `rounds` = N outputs, and
    dhat + theta (1 - dhat) N <= delta; left out, dhat and theta are the optimal split for i.i.d. Gaussians.
    The transcript is (epsilon, delta)-DP. Source: paper 004, Algorithm 1 and Theorem 1.

    The decision does not depend on the request, except that a request with a larger dhat-quantile than the menu's
    maximum is denied. In the proof such a request, and every round after an adversary stops early, counts as the
    trivial mechanism, whose loss is 0 and which any menu may include. As printed, the pass of the loop at i = 0
    releases nothing, so there are at most N - 1 outputs; the proof covers N, and N are allowed here.
    The sums of losses are doubles; the comparison denies early by more than their rounding.
    Raises ValueError for an empty menu, for dhat and theta that break the condition, and for delta >= 1/2 without them.

    >>> import filterproof as fp
    >>> session = fp.RealisationFilter(epsilon=10.0, delta=1e-5, rounds=48, menu=(fp.Gaussian(0.5),)).open("retry")
    >>> session.request(fp.Gaussian(mu=1.0)), session.request(fp.Gaussian(mu=0.5))
    (False, True)
    >>> session.observe(0.3)  # log p(output)/q(output) of the release
    """

    epsilon: float
    delta: float
    rounds: int
    menu: tuple[DominatingPair, ...]
    dhat: float | None = field(default=None, kw_only=True)
    theta: float | None = field(default=None, kw_only=True)
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _reach: tuple[float, float] = field(init=False, repr=False, compare=False)
    _most: tuple[float, float] = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "realisation filter"
    proof: ClassVar[str] = "004 Theorem 1: the stopping event does not depend on the last output"

    def __post_init__(self) -> None:
        epsilon, delta = one_positive("epsilon", self.epsilon), one_delta("delta", self.delta)
        rounds = check_count("rounds", self.rounds)
        menu = checked_menu(self.menu)
        dhat, theta = _split(self.dhat, self.theta, rounds, delta)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "rounds", rounds)
        object.__setattr__(self, "menu", menu)
        object.__setattr__(self, "dhat", dhat)
        object.__setattr__(self, "theta", theta)
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta))
        forward = max(float(upper_quantile(pair, dhat)) for pair in menu)
        backward = max(float(upper_quantile(pair.swapped, dhat)) for pair in menu)
        # as if the menu included the trivial mechanism, whose loss is 0
        object.__setattr__(self, "_reach", (max(forward, 0.0), max(backward, 0.0)))
        most = (max(map(_largest_loss, menu)), max(_largest_loss(pair.swapped) for pair in menu))
        object.__setattr__(self, "_most", most)

    def extremal(self, epsilon: float) -> Extremal:
        delta = float(self.promise.delta(epsilon))
        return erasures_extremal(self._rest, self._tail, self.rounds, delta, epsilon)

    def start(self, n: int) -> _State:
        zeros = np.zeros(n)
        return zeros, zeros, zeros, zeros, np.zeros(n, dtype=np.int64)

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        before, _, forward, backward, released = state
        with np.errstate(invalid="ignore"):
            # partial sums stayed within epsilon, so each addition rounded by at most an ulp of epsilon
            slack = (released + 4) * 2.0**-51 * (self.epsilon + np.abs(before))
            inside = forward + self._reach[0] <= self.epsilon - before - slack
            inside &= backward + self._reach[1] <= self.epsilon + before - slack
        inside &= released < self.rounds
        inside &= np.less_equal(upper_quantile(request, self._tail), self._reach[0])
        inside &= np.less_equal(upper_quantile(request.swapped, self._tail), self._reach[1])
        return inside

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """The distance, in nats, of the loss before the last release from its nearer limit; 0 at or beyond a limit."""
        before, _, forward, backward, released = state
        with np.errstate(invalid="ignore"):
            up = self.epsilon - before - forward - self._reach[0]
            down = self.epsilon + before - backward - self._reach[1]
            room = np.minimum(up, down)
        return np.where((room > 0) & (released < self.rounds), room, 0.0)

    def spend(self, state: _State, request: DominatingPair) -> _State:
        before, last, _, _, released = state
        n = len(before)
        forward = _per_run(upper_quantile(request, self._rest), n)
        backward = _per_run(upper_quantile(request.swapped, self._rest), n)
        return before + last, np.zeros(n), forward, backward, released + 1

    def reaches(self, state: _State) -> NDArray[Any]:
        """False where no losses of the menu's pairs, on a run never denied, lead to such sums, quantiles and counts.

        Infinite losses are accepted: they end the run. A finite loss beyond the menu's largest, which a request off
        the menu may have had, is refused.
        """
        before, last, forward, backward, released = state
        # E_P[e^-L] <= 1, so P(L <= x) <= e^x: no upper quantile lies below log(1 - theta)
        least = float(portable.log1p(-self._rest) * (1 + 2.0**-40))
        room, past = 1 + 2.0**-40, np.maximum(released - 1, 0)
        known = (released >= 0) & (released <= self.rounds) & (forward >= least) & (backward >= least)
        for sign, most, reach in zip((1, -1), self._most, self._reach, strict=True):
            with np.errstate(invalid="ignore"):  # 0 * inf where nothing was released
                sums = np.where(past > 0, past * most, 0.0)
            # the last admission bounded the sum without its last term, and that term is at most `most`
            sums = np.minimum(sums, self.epsilon - reach - least + most)
            # NaN fails every comparison
            known &= (sign * before <= sums * room) | (np.isinf(before) & (past > 0))
            known &= (sign * last <= np.where(released > 0, most * room, 0.0)) | (
                np.isinf(last) & (released > 0)
            )
        return np.asarray(known)

    def observe(self, state: _State, loss: NDArray[Any]) -> _State:
        before, _, forward, backward, released = state
        return before, np.asarray(loss, dtype=np.float64), forward, backward, released

    @property
    def _tail(self) -> float:
        assert self.dhat is not None
        return self.dhat

    @property
    def _rest(self) -> float:
        assert self.theta is not None
        return self.theta


def _per_run(value: Real, n: int) -> NDArray[np.float64]:
    return np.full(n, value) if np.ndim(value) == 0 else np.asarray(value, dtype=np.float64)


def _largest_loss(pair: DominatingPair) -> float:
    """The largest finite loss of `pair`, at least zero, or inf."""
    largest = float(upper_quantile(pair, float(pair.infinite_mass)))
    return max(largest, 0.0)


def _split(dhat: float | None, theta: float | None, rounds: int, delta: float) -> tuple[float, float]:
    """(dhat, theta) with dhat + theta (1 - dhat) rounds <= delta in exact arithmetic."""

    def spent(one: float, other: float) -> Fraction:
        return Fraction(one) + Fraction(other) * (1 - Fraction(one)) * rounds

    if (dhat is None) != (theta is None):
        missing = "dhat" if dhat is None else "theta"
        raise ValueError(f"{missing} must be given with its partner, got None; pass both or neither")
    if dhat is None or theta is None:
        split = optimal_split(rounds, delta)
        one, other = float(split.dhat), float(split.theta)
        while spent(one, other) > Fraction(delta):  # a guard: optimal_split rounds theta down already
            other = float(np.nextafter(other, 0.0))
        return one, other
    one, other = float(check_probability("dhat", dhat)), float(check_probability("theta", theta))
    if spent(one, other) > Fraction(delta):
        raise ValueError(
            f"dhat and theta must satisfy dhat + theta (1 - dhat) rounds <= delta, got dhat={one!r} "
            f"theta={other!r} rounds={rounds} delta={delta!r}; lower theta or leave both out"
        )
    return one, other
