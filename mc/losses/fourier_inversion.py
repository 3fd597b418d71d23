"""Epsilon and delta from the characteristic functions of losses, with a bound on every error.

Let M(z) = E[e^{zL}] be the moment of the total loss L of a person. For any t > 0 and period W,

    D(epsilon) = (1/W) sum_k M(t + i theta_k) e^{-(t + i theta_k) epsilon} / ((t + i theta_k)(t + 1 + i theta_k)),

theta_k = 2 pi k / W, is exactly the sum of e^{-tjW} delta(epsilon - jW) over all integers j (Poisson's summation of the
tilted payoff e^{-tx} (1 - e^{-x})+). So it is at least delta. Because delta <= 1 and delta(x) <= M(s) e^{-sx}, it is at
most

    delta + 1 / (e^{tW} - 1) + M(s) e^{-s epsilon} / (e^{(s-t)W} - 1)   for every s > t.

No grid of losses is needed. The formula is Lemma D.1 of Koskela, Tobaben & Honkela (2023), by Plancherel, with the
payoff transformed in closed form. It is also the integral of the saddle-point accountant (Alghamdi et al.), with an
error bound for the quadrature rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses.fourier_sums import ELEMENTARY_ERROR
from filterproof.mc.losses.step_moments import (
    CharacteristicFunctionBound,
    LogCharacteristicFunction,
    RealLogMoments,
    StepMoments,
)
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down_to_bits

Array = NDArray[np.float64]

#: The tilts at which moments are known, of twelve bits, eight per octave; a tilt groups people.
TILTS: Array = np.array([round(2.0 ** (j / 8 % 1) * 2048) / 2048 * 2.0 ** (j // 8) for j in range(-48, 161)])
_TILTS_PER_OCTAVE = 8
#: Levels whose tilted outputs lie further out than this are not computed: their losses alone are huge.
_MAX_OUTPUT = 64.0
#: The logarithm of a moment that was not computed.
_UNKNOWN_LOG_MOMENT = 1e9
#: The contribution of other periods, as a power of e relative to delta.
_PERIOD_EXPONENT = 30.0
#: The contribution beyond the last frequency, relative to frequency 0; the fewest and the most frequencies; the most
#: numbers in memory.
_TRUNCATION, _MIN_FREQUENCIES, _MAX_FREQUENCIES, _MAX_HELD = 1e-10, 16, 4096, 1 << 21
#: The number of characteristic functions of steps in the cache.
_CACHE_SIZE = 2048
#: The logarithm of a divergence that need not be precise.
_LOG_NEGLIGIBLE = -650.0
#: The tilts above t among which the bound on other periods is chosen.
_BOUND_TILTS = 32
#: The longest period, times the tilt; and the power of e by which a tilt may be worse than the best.
_MAX_PERIOD, _TILT_TOLERANCE = 2.0**12, 6.0


# The results for one step are cached by the step, independent of people and counts.


@lru_cache(maxsize=1 << 15)
def _tilted_moments(distribution: StepMoments, direction: Direction) -> RealLogMoments:
    """Return the logarithms, errors and decays at all tilts."""
    near = (1 + TILTS) * distribution.standardised_shift <= _MAX_OUTPUT
    moments = distribution.real(distribution.power(TILTS[near], direction))
    logs, errors, decay = np.full(len(TILTS), _UNKNOWN_LOG_MOMENT), np.zeros(len(TILTS)), np.zeros(len(TILTS))
    logs[near], errors[near], decay[near] = moments.logs, moments.errors, moments.decay
    return RealLogMoments(logs, errors, decay)


@lru_cache(maxsize=1 << 15)
def _modulus_envelope(
    distribution: StepMoments, direction: Direction, tilt: int
) -> CharacteristicFunctionBound:
    """Return the bounds at high frequencies."""
    moments, a = _tilted_moments(distribution, direction), float(distribution.power(TILTS[tilt], direction))
    return distribution.envelope(a, float(moments.logs[tilt]), float(moments.decay[tilt]))


@lru_cache(maxsize=_CACHE_SIZE)
def _characteristic_functions(
    distribution: StepMoments, direction: Direction, tilt: int, step: float, size: int
) -> LogCharacteristicFunction:
    """Return the characteristic function at `size` frequencies, a power of two.

    The number computed at once changes the last bit, and no answer may depend on earlier calls.
    """
    a = float(distribution.power(TILTS[tilt], direction))
    return distribution.transforms(a, float(_tilted_moments(distribution, direction).logs[tilt]), step, size)


def bounds_of_worse_direction(
    distributions: Sequence[StepMoments],
    counts: NDArray[np.uint32],
    bounds: Callable[[FourierInversion], tuple[Array, Array]],
) -> tuple[Array, Array]:
    """Return bounds for each person, the larger ones of removal (PQ) and addition (QP)."""
    removal, addition = (
        bounds(FourierInversion(distributions, counts, "PQ")),
        bounds(FourierInversion(distributions, counts, "QP")),
    )
    return np.maximum(removal[0], addition[0]), np.maximum(removal[1], addition[1])


class FourierInversion:
    """Fourier inversion in one direction: people's counts, and moments of shape (people, tilts)."""

    def __init__(
        self, distributions: Sequence[StepMoments], counts: NDArray[np.uint32], direction: Direction
    ) -> None:
        self.people = len(counts)
        self.some = np.flatnonzero(counts.any(axis=1))
        self.used = np.flatnonzero(counts.any(axis=0))
        self.distributions, self.direction = [distributions[k] for k in self.used.tolist()], direction
        self.counts = counts[np.ix_(self.some, self.used)].astype(np.float64)
        if len(self.some):
            each = [_tilted_moments(distribution, direction) for distribution in self.distributions]
            self.logs = self.counts @ np.array([moments.logs for moments in each])
            rounding = (len(self.used) + 8) * 2.0**-52
            errors = np.array([moments.errors for moments in each])
            self.errors = self.counts @ errors + rounding * np.abs(self.logs)

    def epsilon(self, delta: float) -> tuple[Array, Array]:
        """Return bounds on the smallest epsilon >= 0 at which each person has delta."""
        low, high = np.zeros(self.people), np.zeros(self.people)
        if len(self.some):
            goal = -math.log(delta)
            # CKS: delta <= M(t) e^{-t epsilon} t^t / (t + 1)^{t + 1}
            bounds = (self.logs + self.errors + goal - _cks_exponent_gain(TILTS)) / TILTS
            sure = np.maximum(bounds.min(axis=1) * (1 + 2.0**-40) + 2.0**-40, 0.0)
            for group, rows in self._people_by_tilt(sure, np.full(len(sure), goal)):
                low[self.some[group]], high[self.some[group]] = rows.epsilon(delta, sure[group])
        return low, high

    def delta(self, epsilon: float) -> tuple[Array, Array]:
        """Return bounds on each person's divergence at epsilon >= 0."""
        low, high = np.zeros(self.people), np.zeros(self.people)
        if len(self.some):
            far = TILTS * epsilon
            exponents = (
                self.logs
                + self.errors
                - far
                + 2.0**-46 * (1 + np.abs(self.logs) + far)
                - _cks_exponent_gain(TILTS)
            )
            sure = exponents.min(axis=1)
            # a number below the doubles is not 0
            high[self.some] = np.exp(np.minimum(sure, 0.0)) * (1 + 2.0**-40) + 2.0**-1074
            # a delta that is almost 0 in doubles has only an upper bound
            for group, rows in self._people_by_tilt(
                np.full(len(sure), epsilon), -sure, sure > _LOG_NEGLIGIBLE
            ):
                who, there = self.some[group], np.full(len(group), epsilon)
                low[who] = np.minimum(rows.low(there), 1.0)
                high[who] = np.minimum(np.exp(np.minimum(rows.log_delta_upper_bound(there), 0.0)), high[who])
        return low, high

    def _people_by_tilt(
        self, epsilon: Array, log_inverse: Array, wanted: NDArray[np.bool_] | None = None
    ) -> Iterator[tuple[NDArray[np.int64], _TiltedPeople]]:
        """Yield the people `wanted`, in groups of one tilt, period and number of frequencies.

        The tilt is that of the saddle point of e^{K(t) - t epsilon} / (t (t + 1)), which minimises the loss of
        precision, where epsilon is about the point at which the delta of each person is e^-log_inverse.
        """
        exponents = self.logs - np.multiply.outer(epsilon, TILTS)
        tilts, turns = self._chosen_tilts_and_periods(exponents, log_inverse)
        # rounded up to a power of 2, so that many people share a period
        log2_period = np.ceil(np.log2(np.minimum(turns, _MAX_PERIOD))).astype(np.int64)
        steps = 2 * math.pi * TILTS[tilts] / 2.0**log2_period
        steps = round_down_to_bits(steps, 30)  # so that multiples are doubles
        sizes, beyond = self._frequency_counts_and_tails(tilts, steps)
        keys = np.stack([tilts, log2_period, sizes], axis=1)
        chosen = np.arange(len(keys)) if wanted is None else np.flatnonzero(wanted)
        different, which = np.unique(keys[chosen], axis=0, return_inverse=True)
        for number, (tilt, _, size) in reversed(list(enumerate(different.tolist()))):
            group = chosen[which.ravel() == number]
            for part in np.array_split(group, -(-len(group) * size // _MAX_HELD)):
                yield part, self._people_at_tilt(part, tilt, float(steps[part[0]]), size, beyond[part])

    def _chosen_tilts_and_periods(
        self, exponents: Array, log_inverse: Array
    ) -> tuple[NDArray[np.int64], Array]:
        """Return the tilt of each person, and t W such that the other periods add e^-30 of delta."""
        people = np.arange(len(exponents))
        coarse = np.arange(0, len(TILTS), _TILTS_PER_OCTAVE)
        scales = exponents[:, coarse] - np.log(TILTS * (TILTS + 1))[coarse]
        turns = np.full(scales.shape, np.inf)
        for column, tilt in enumerate(coarse.tolist()):
            near = np.flatnonzero(scales[:, column] <= scales.min(axis=1) + _TILT_TOLERANCE)
            others = slice(tilt + 1, tilt + 1 + _BOUND_TILTS)
            if len(near) and len(TILTS[others]):
                room = (exponents[near, others] + log_inverse[near, None] + _PERIOD_EXPONENT) / (
                    TILTS[others] / TILTS[tilt] - 1
                )
                turns[near, column] = np.maximum(
                    room.min(axis=1), np.maximum(log_inverse[near], 1.0) + _PERIOD_EXPONENT
                )
        # the shortest period, for the fewest frequencies
        best = (turns / TILTS[coarse]).argmin(axis=1)
        return coarse[best], turns[people, best]

    def _frequency_counts_and_tails(
        self, tilts: NDArray[np.int64], steps: Array
    ) -> tuple[NDArray[np.int64], Array]:
        """Return how many frequencies each person needs, and a bound on the sum of all others.

        That is the sum over k >= n of 2 |M| / (W theta_k^2), both signs.
        """
        sizes, beyond = np.zeros(len(tilts), dtype=np.int64), np.zeros(len(tilts))
        for tilt in np.unique(tilts).tolist():
            left = np.flatnonzero(tilts == tilt)
            used = np.flatnonzero(self.counts[left].any(axis=0))
            each = [_modulus_envelope(self.distributions[k], self.direction, tilt) for k in used.tolist()]
            size = _MIN_FREQUENCIES
            while len(left):
                step = steps[left]
                falls = np.array([envelope.log_modulus(step * size) for envelope in each])
                log_moduli = np.einsum("pl,lp->p", self.counts[np.ix_(left, used)], falls)
                outside = np.exp(log_moduli) / (math.pi * step * (size - 1)) * (1 + 2.0**-20)
                enough = outside * TILTS[tilt] * (TILTS[tilt] + 1) * 2 * math.pi / step <= _TRUNCATION
                sizes[left], beyond[left] = size, outside
                left = left[~enough]
                if size >= _MAX_FREQUENCIES:
                    break
                size *= 2
        return sizes, beyond

    def _people_at_tilt(
        self, group: NDArray[np.int64], tilt: int, step: float, size: int, beyond: Array
    ) -> _TiltedPeople:
        """Return the people `group` at one tilt, with this many frequencies."""
        t, period = float(TILTS[tilt]), 2 * math.pi / step
        counts = self.counts[group]
        used = np.flatnonzero(counts.any(axis=0))
        counts = counts[:, used]
        padded_size = 1 << (size - 1).bit_length()
        each = [
            _characteristic_functions(self.distributions[k], self.direction, tilt, step, padded_size)
            for k in used.tolist()
        ]
        logs, off, largest = (
            np.array([getattr(transforms, name)[:size] for transforms in each])
            for name in ("logs", "errors", "most")
        )
        moduli, angles = counts @ logs.real, counts @ logs.imag
        most = np.exp(counts @ largest * (1 - 2.0**-40))
        unknown = (counts > 0).astype(np.float64) @ np.isinf(off) > 0
        off = counts @ np.where(np.isinf(off), 0.0, off)
        off += (len(each) + 8) * 2.0**-52 * (
            counts @ np.abs(logs.imag) + np.abs(moduli)
        ) + ELEMENTARY_ERROR * 4
        line = t + 1j * step * np.arange(size)
        weights = np.where(np.arange(size) > 0, 2.0, 1.0) / (period * line * (line + 1))
        sizes = np.exp(moduli)
        # |e^x - 1| <= e^|x| - 1; a size that vanished is below the smallest double, and far out only `most` is known
        close = (sizes + 2.0**-1074) * np.expm1(np.minimum(off, 600.0))
        close[unknown | (off > 600.0)] = np.inf
        errors = np.minimum(close, most + sizes) @ np.abs(weights)
        terms = weights * sizes * np.exp(1j * angles)
        # unnecessary frequencies count as errors
        need = np.flatnonzero((np.abs(terms) > 1e-16 * np.abs(terms[:, :1])).any(axis=0))[-1] + 1
        errors += np.abs(terms[:, need:]).sum(axis=1) + beyond
        others = slice(tilt + 1, tilt + 1 + _BOUND_TILTS)
        return _TiltedPeople(
            t,
            step,
            self.logs[group, tilt],
            self.errors[group, tilt],
            terms[:, :need],
            errors * (1 + 2.0**-20),
            TILTS[others],
            (self.logs + self.errors)[group, others],
        )


def _cks_exponent_gain(t: Array) -> Array:
    """Return (t + 1) log(t + 1) - t log t, rounded down."""
    gain: Array = (t * np.log1p(1 / t) + np.log1p(t)) * (1 - 2.0**-40)
    return gain


@dataclass(frozen=True, slots=True)
class _TiltedPeople:
    """People at one tilt: log M(t) within `off`, and the terms of D without M(t) e^{-(t + i theta) epsilon}.

    The sum of terms[person, k] e^{-i theta_k epsilon} has a real part with an error of at most `errors` and a rounding.
    `others` are larger tilts s and `moments` are log M(s), rounded up.
    """

    tilt: float
    step: float
    logs: Array
    off: Array
    terms: NDArray[np.complex128]
    errors: Array
    others: Array
    moments: Array

    def _sum_and_derivative(self, epsilon: Array) -> tuple[Array, Array]:
        """Return the sum, and its derivative."""
        frequencies = self.step * np.arange(self.terms.shape[1])
        turned = self.terms * np.exp(-1j * np.multiply.outer(epsilon, frequencies))
        return turned.real.sum(axis=1), turned.imag @ frequencies

    def _sum_errors(self, epsilon: Array) -> Array:
        """Return the errors of `_sum_and_derivative`."""
        sizes = np.abs(self.terms)
        frequencies = self.step * np.arange(sizes.shape[1])
        rounding = (ELEMENTARY_ERROR * 4 + sizes.shape[1] * 2.0**-52) * sizes.sum(axis=1)
        slack: Array = self.errors + rounding + 2.0**-50 * epsilon * (sizes @ frequencies)
        return slack

    def _log_factor_bound(self, epsilon: Array, sign: int) -> Array:
        """Return a bound on log of M(t) e^{-t epsilon}: upper for sign 1, lower for sign -1."""
        scale = self.logs - self.tilt * epsilon
        size = np.abs(self.logs) + self.tilt * epsilon
        exponent: Array = scale + sign * (self.off + 2.0**-46 * (1 + size))
        return exponent

    def log_delta_upper_bound(self, epsilon: Array) -> Array:
        """Return an upper bound on log delta."""
        value, _ = self._sum_and_derivative(epsilon)
        most = np.maximum(value + self._sum_errors(epsilon), 5e-324)
        high: Array = (
            self._log_factor_bound(epsilon, 1) + np.log(most) + ELEMENTARY_ERROR * (2 + np.abs(np.log(most)))
        )
        return high

    def low(self, epsilon: Array) -> Array:
        """Return a lower bound on delta."""
        value, _ = self._sum_and_derivative(epsilon)
        least = value - self._sum_errors(epsilon)
        gap = 2 * math.pi / self.step * (1 - 2.0**-40)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            bound = np.exp(
                np.minimum(self._log_factor_bound(epsilon, -1) + np.log(np.maximum(least, 0.0)), 700.0)
            )
            separation = 1 / math.expm1(min(self.tilt * gap, 700.0))
            if len(self.others):
                above = self.moments - np.multiply.outer(epsilon, self.others)
                above += 2.0**-46 * (1 + np.abs(self.moments) + np.multiply.outer(epsilon, self.others))
                above -= np.log(np.expm1(np.minimum((self.others - self.tilt) * gap, 700.0)))
                separation = separation + np.exp(np.minimum(above.min(axis=1), 700.0))
            else:
                separation = np.inf
        return np.where(least > 0, np.maximum(bound * (1 - 2.0**-40) - separation * (1 + 2.0**-40), 0.0), 0.0)

    def epsilon(self, delta: float, sure: Array) -> tuple[Array, Array]:
        """Return bounds on the epsilon at which delta is reached; `sure` is an upper one up to rounding."""
        target, zero = math.log(delta), np.zeros(len(self.logs))
        sure = np.maximum(sure * (1 + 2.0**-40) + 2.0**-40 * (1 - target) / self.tilt, 0.0)
        nothing = self.log_delta_upper_bound(zero) <= target
        near = self._newton_root(target, sure)
        # errors of log delta, divided by its slope, which is at least the tilt's order
        value, _ = self._sum_and_derivative(near)
        with np.errstate(divide="ignore", invalid="ignore"):
            first = np.clip(2 * self._sum_errors(near) / np.abs(value), 0.0, 1.0) + 4 * self.off + 2.0**-40
        step = first / self.tilt
        low, high = zero.copy(), sure.copy()
        up, down = ~nothing, ~nothing
        for _ in range(24):
            if not (up.any() or down.any()):
                break
            beyond, before = np.minimum(near + step, sure), np.maximum(near - step, 0.0)
            reached = up & (self.log_delta_upper_bound(beyond) <= target)
            high[reached] = beyond[reached]
            passed = down & (self.low(before) >= delta * (1 + 2.0**-40))
            low[passed] = before[passed]
            up, down, step = up & ~reached, down & ~passed, step * 4
        high[nothing] = 0.0
        return low, high

    def _newton_root(self, target: float, sure: Array) -> Array:
        """Return about where the sum gives e^target: Newton's method on log delta, between 0 and `sure`."""
        low, high = np.zeros(len(sure)), sure.copy()
        x = sure * 0.9
        for _ in range(60):
            value, slope = self._sum_and_derivative(x)
            with np.errstate(divide="ignore", invalid="ignore"):
                excess = np.where(value > 0, np.log(value), -np.inf) + self.logs - self.tilt * x - target
                move = excess / (self.tilt - slope / value)
            low, high = np.where(excess > 0, x, low), np.where(excess > 0, high, x)
            after = x + move
            inside = np.isfinite(after) & (after >= low) & (after <= high)
            after = np.where(inside, after, (low + high) / 2)
            done = np.abs(after - x) <= 2.0**-46 * (1 / self.tilt + x)
            x = after
            if done.all():
                break
        return x
