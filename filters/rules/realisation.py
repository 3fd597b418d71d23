"""The realisation-level filter: its decisions use the realised losses of all releases except the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.approximate_charges import upper_quantile
from filterproof.filters.contract.parameters import (
    one_delta_from_zero,
    one_positive,
    store_checked_parameters,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import checked_menu, positions
from filterproof.theory.argument_checks import Real, check_count, check_probability
from filterproof.theory.extremal import (
    LargestDivergence,
    randomised_responses_extremal,
    realised_loss_filter_extremal,
)
from filterproof.theory.guarantees import approximate_or_pure_dp
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.pairs import DominatingPair, is_ours
from filterproof.theory.rounding import next_below
from filterproof.theory.stopping_level import optimal_split

#: (loss before the last release, loss of the last release, its upper quantile in both directions, number of releases,
#: whether the losses are exact and so is their sum, the largest dhat-quantile of the next allowable set, in both
#: directions)
_State = tuple[NDArray[Any], ...]
#: Requests, and the allowable set after each.
_After = tuple[tuple[DominatingPair, tuple[DominatingPair, ...]], ...]


@dataclass(frozen=True, slots=True, repr=False)
class RealisationFilter(PrivacyFilter[_State]):
    """The realisation-level filter of Taylor, Vippathalla & Coon.

    It grants release i+1 while, in both directions::

        q_i(theta) + max_r q_r(dhat) <= epsilon -+ l_{i-1}

    q(z) is the upper z-quantile of a privacy loss: q_i that of the last released mechanism, q_r that of each pair of
    the menu. l_{i-1} is the sum of the realised losses before release i: the decision does not use the last output.

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in [0, 1)
        The delta of the promise. With 0 the quantiles are the largest losses and the promise is pure.
    rounds : int, >= 1
        N, the largest number of releases.
    menu : tuple of DominatingPair
        The allowable set of the first request, and of every request that `after` does not name.
    dhat, theta : float, optional
        Probabilities with dhat + theta (1 - dhat) N <= delta. Default: the optimal split for i.i.d. Gaussians.
    after : mapping from DominatingPair to tuple of DominatingPair, optional
        The allowable set that follows each request. It depends on the request and not on its output.

    Attributes
    ----------
    promise : ApproxDP or PureDP
        (epsilon, delta)-DP.

    Raises
    ------
    ValueError
        For an empty menu; for dhat and theta that break the condition; for delta >= 1/2 without dhat and theta; and
        for delta = 0 with an unbounded loss on the menu.

    Notes
    -----
    Taylor, Vippathalla & Coon (2025), "Realisation-Level Privacy Filtering", Algorithm 1 and Theorem 1. A request
    whose dhat-quantile exceeds the maximum over the allowable set is denied; other than that the decision does not
    depend on the request. The printed loop releases nothing at i = 0 and so at most N - 1 outputs; the proof covers N,
    which this filter allows. delta = 0 is their Section V-A, (15), with output t released while l_{t-2} + sup l_{t-1}
    + max_r sup l_r <= epsilon in both directions, for any N. Rounding never admits more: the comparison denies early
    by more than the rounding of the sums.

    Examples
    --------
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
    after: Mapping[DominatingPair, tuple[DominatingPair, ...]] | _After = field(default=(), kw_only=True)
    promise = cached_property(lambda self: approximate_or_pure_dp(self.epsilon, self.delta))
    _reach: NDArray[np.float64] = field(init=False, repr=False, compare=False)
    _most: tuple[float, float] = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "realisation filter"
    proof: ClassVar[str] = (
        "Taylor, Vippathalla & Coon (2025), Theorem 1: the stopping event does not depend on the last output"
    )

    def __post_init__(self) -> None:
        _, delta, _ = store_checked_parameters(
            self, epsilon=one_positive, delta=one_delta_from_zero, rounds=check_count
        )
        menu, after = checked_menu(self.menu), _checked_allowable_sets(self.after)
        dhat, theta = _rounded_split(self.dhat, self.theta, self.rounds, delta)
        object.__setattr__(self, "menu", menu)
        object.__setattr__(self, "after", after)
        object.__setattr__(self, "dhat", dhat)
        object.__setattr__(self, "theta", theta)
        sets = (*(allowed for _, allowed in after), menu)
        every = tuple(pair for pairs in sets for pair in pairs)
        reach = np.array(
            [
                [_largest_quantile(pairs, dhat), _largest_quantile((p.swapped for p in pairs), dhat)]
                for pairs in sets
            ]
        ).T
        if delta == 0 and not reach.max() < np.inf:
            worst = next(pair for pair in every if not float(pair.pure_epsilon) < np.inf)
            raise ValueError(
                f"menu must have only pure mechanisms for delta=0, got {worst!r}; pass delta > 0 or bounded losses"
            )
        # as if each set included the trivial mechanism with loss 0; the last column is that of the menu
        object.__setattr__(self, "_reach", np.maximum(reach, 0.0))
        most = (max(map(_largest_loss, every)), max(_largest_loss(pair.swapped) for pair in every))
        object.__setattr__(self, "_most", most)

    def extremal(self, epsilon: float) -> LargestDivergence:
        if self.delta == 0:
            level, most = float(self._reach.min()), Fraction(self._reach.max())
            room = (Fraction(self.epsilon) - most) / Fraction(level) if level else Fraction(-1)
            # an upper bound on the largest of all losses
            times = min(int(room) + 1, self.rounds) if room >= 0 else 0
            return randomised_responses_extremal(self.epsilon, level, times, epsilon)
        delta = float(self.promise.delta(epsilon))
        return realised_loss_filter_extremal(self._theta_value, self._dhat_value, self.rounds, delta, epsilon)

    def start(self, n: int) -> _State:
        zeros = np.zeros(n)
        released, exact = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.bool_)
        return zeros, zeros, zeros, zeros, released, exact, *self._reach[:, np.full(n, -1)]

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        before, _, forward, backward, released, exact, *reach = state
        with np.errstate(invalid="ignore"):
            # partial sums stayed within epsilon, so that each addition has an error of at most an ulp of epsilon
            slack = (released + 4) * 2.0**-51 * (self.epsilon + np.abs(before))
            for a, b in ((self.epsilon, before), (self.epsilon, -before)):
                exact = exact & _sum_is_exact(a, b)
            for quantile, most in zip((forward, backward), reach, strict=True):
                exact = exact & _sum_is_exact(quantile, most)
            exact = exact & _quantiles_are_sure(request, self._dhat_value)
            slack = np.where(exact, 0.0, slack)
            inside = forward + reach[0] <= self.epsilon - before - slack
            inside &= backward + reach[1] <= self.epsilon + before - slack
        inside &= released < self.rounds
        inside &= np.less_equal(upper_quantile(request, self._dhat_value), reach[0])
        inside &= np.less_equal(upper_quantile(request.swapped, self._dhat_value), reach[1])
        return inside

    def remaining(self, state: _State) -> NDArray[np.float64]:
        """Return the distance in nats from the loss before the last release to its nearer limit: shape (n,)."""
        before, _, forward, backward, released, _, *reach = state
        with np.errstate(invalid="ignore"):
            up = self.epsilon - before - forward - reach[0]
            down = self.epsilon + before - backward - reach[1]
            room = np.minimum(up, down)
        return np.where((room > 0) & (released < self.rounds), room, 0.0)

    def spend(self, state: _State, request: DominatingPair) -> _State:
        before, last, _, _, released, exact, _, _ = state
        n = len(before)
        forward = _per_run(upper_quantile(request, self._theta_value), n)
        backward = _per_run(upper_quantile(request.swapped, self._theta_value), n)
        known = _losses_are_doubles(request)
        with np.errstate(invalid="ignore"):
            exact = exact & _sum_is_exact(before, last) & known
        reach = self._reach[:, positions(tuple(dict(self.after)), request, n)]
        return before + last, np.zeros(n), forward, backward, released + 1, exact, *reach

    def is_reachable_state(self, state: _State) -> NDArray[Any]:
        """Return False where no losses of the menu's pairs lead to these sums, quantiles and counts: shape (n,).

        Infinite losses are accepted, because they end the run. A finite loss above the menu's largest is refused,
        although a request outside the menu may cause it.
        """
        before, last, forward, backward, released, _, *reach = state
        # E_P[e^-L] <= 1, so P(L <= x) <= e^x: no upper quantile lies below log(1 - theta)
        least = float(rm.log1p(-self._theta_value) * (1 + 2.0**-40))
        room, past = 1 + 2.0**-40, np.maximum(released - 1, 0)
        in_range = (released >= 0) & (released <= self.rounds) & (forward >= least) & (backward >= least)
        in_range &= np.isin(reach[0] + 1j * reach[1], self._reach[0] + 1j * self._reach[1])
        for sign, most, least_reach in zip((1, -1), self._most, self._reach.min(axis=1), strict=True):
            with np.errstate(invalid="ignore"):  # 0 * inf without releases
                sums = np.where(past > 0, past * most, 0.0)
            # the last admission bounded the sum without its last term, which is at most `most`
            sums = np.minimum(sums, self.epsilon - least_reach - least + most)
            # NaN fails every comparison
            in_range &= (sign * before <= sums * room) | (np.isinf(before) & (past > 0))
            in_range &= (sign * last <= np.where(released > 0, most * room, 0.0)) | (
                np.isinf(last) & (released > 0)
            )
        return np.asarray(in_range)

    def observe(self, state: _State, loss: NDArray[Any]) -> _State:
        before, _, *rest = state
        return before, np.asarray(loss, dtype=np.float64), *rest

    @property
    def _dhat_value(self) -> float:
        return cast("float", self.dhat)

    @property
    def _theta_value(self) -> float:
        return cast("float", self.theta)


def _checked_allowable_sets(after: object) -> _After:
    """Return the allowable set after each request; all pairs are single."""
    try:
        menus_after = dict(after)  # type: ignore[call-overload]
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"after must map pairs to menus, got {after!r}; pass e.g. {{pair: (pair,)}}"
        ) from error
    for pair, menu in menus_after.items():
        if not isinstance(pair, DominatingPair) or not menu:
            raise ValueError(
                f"after must map pairs to menus of at least one, got {pair!r}: {menu!r}; leave out pairs with "
                "an empty menu"
            )
    return tuple((pair, checked_menu(some)) for pair, some in menus_after.items())


def _sum_is_exact(x: Real, y: Real) -> NDArray[np.bool_]:
    """Whether the double sum is the exact sum (Knuth's TwoSum)."""
    total = np.add(x, y)
    recovered = total - x
    return np.asarray((x - (total - recovered)) + (y - recovered) == 0)


def _losses_are_doubles(request: DominatingPair) -> bool:
    """Whether each loss equals the reported double: for randomised response that is not made from a ratio."""
    form = request.kov if is_ours(request) and request.member_index is None else None
    return form is not None and form.ratio is None and bool(np.all(form.delta == 0))


def _quantiles_are_sure(request: DominatingPair, tail: float) -> bool:
    """Whether no upper quantile can be below the true one by rounding: exact doubles, and largest losses rounded up."""
    both = (upper_quantile(direction, tail) for direction in (request, request.swapped))
    return _losses_are_doubles(request) or all(
        bool(np.all(direction >= request.pure_epsilon)) for direction in both
    )


def _per_run(value: Real, n: int) -> NDArray[np.float64]:
    return np.full(n, value) if np.ndim(value) == 0 else np.asarray(value, dtype=np.float64)


def _largest_quantile(pairs: Iterable[DominatingPair], tail: float) -> float:
    return max(float(upper_quantile(pair, tail)) for pair in pairs)


def _largest_loss(pair: DominatingPair) -> float:
    """Return the largest finite loss of `pair`, at least zero, or inf."""
    largest = float(upper_quantile(pair, float(pair.infinite_mass)))
    return max(largest, 0.0)


def _rounded_split(dhat: float | None, theta: float | None, rounds: int, delta: float) -> tuple[float, float]:
    """Return (dhat, theta) with dhat + theta (1 - dhat) rounds <= delta in exact arithmetic."""

    def spent(first_share: float, per_release: float) -> Fraction:
        return Fraction(first_share) + Fraction(per_release) * (1 - Fraction(first_share)) * rounds

    if (dhat is None) != (theta is None):
        raise ValueError(
            f"dhat and theta must be given together, got dhat={dhat!r} theta={theta!r}; pass both or none"
        )
    if dhat is None or theta is None:
        if delta == 0:
            return 0.0, 0.0
        split = optimal_split(rounds, delta)
        d_hat, per_round = float(split.dhat), float(split.theta)
        while spent(d_hat, per_round) > Fraction(delta):  # optimal_split already rounds theta down
            per_round = next_below(per_round)
        return d_hat, per_round
    d_hat, per_round = float(check_probability("dhat", dhat)), float(check_probability("theta", theta))
    if spent(d_hat, per_round) > Fraction(delta):
        raise ValueError(
            f"dhat and theta must satisfy dhat + theta (1 - dhat) rounds <= delta, got dhat={d_hat!r} "
            f"theta={per_round!r} rounds={rounds} delta={delta!r}; lower theta or leave both out"
        )
    return d_hat, per_round
