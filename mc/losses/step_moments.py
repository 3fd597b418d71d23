"""Moments E[e^{zL}] of the loss of one step of DP-SGD, at real and complex z, with a bound on every error.

The output of a step is u ~ N(0, 1) without the person. With the person, whose share of the noise is m = share / sigma,
its density is larger by the ratio r(u) = 1 - q + q e^{mu - m^2/2}. Then E[e^{zL}] = G(1 + z) for removal ("PQ") and
G(-z) for addition ("QP"), where G(a) = E[r(u)^a]. The trapezoidal rule of width h gives G. By Poisson's summation its
error is the sum over j != 0 of F(2 pi j / h), F being the Fourier transform of the integrand, which is analytic for
|Im u| < pi / m. Moved to the line Im u = b or -b, the integral of F(x) carries e^{-b|x|}: an integrand whose modulus
has an integral of at most B over either line is integrated within 2 B / (e^{2 pi b / h} - 1). Losses at the nodes are
balls.

>>> distribution = StepMoments(q=0.005, share=1.0, sigma=2.0)
>>> moments = distribution.real(np.array([2.0, 3.0]))
>>> bool(abs(np.expm1(moments.logs[0]) - 0.005**2 * np.expm1(0.25)) < 1e-15)  # E[r^2] = 1 + q^2 (e^{m^2} - 1)
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses.balls import to_ball
from filterproof.mc.losses.fourier_sums import ELEMENTARY_ERROR
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down_to_bits

Array = NDArray[np.float64]

#: Twice the logarithm of the omitted part outside the nodes, and the logarithm of the error of the rule.
_TAIL, _RULE = 74.0, 36.0
#: Of at most 2^20 nodes, those with a share below e^-48 of the largest are omitted.
_NEGLIGIBLE = 48.0
#: Everything omitted, and the error of the rule, relative to G(a) >= 1: 2 e^-37 + 2.1 e^-36 + 2^20 e^-48.
_TRUNCATION_ERROR = 2.0**-48
#: The heights of the strip that are tried, and the largest turn of the phase e^{mu} there.
_HEIGHTS = np.array([0.25, 0.5, 1.0, 2.0, 4.0, 8.0])
_PHASE_LIMIT = 1.5
#: The cells on which the integrand is bounded on the edge of the strip.
_CELLS = 128
#: Frequencies are e^{i theta l} = e^{i (32 j) theta_1 l} e^{i k theta_1 l}: few exponentials for many products.
_BLOCK = 32
#: The most nodes, and the most products of nodes and blocks of frequencies in memory: 256 MiB. Beyond, there is no
#: bound at the frequencies.
_MAX_NODES, _MAX_HELD = 1 << 20, 1 << 24
#: The share, of the frequency where four moments bound the modulus best, up to which they are used; the modulus below
#: which no further frequencies are computed; the fewest and the most of them.
_CLOSE, _LOW, _MIN_FREQUENCIES, _MAX_FREQUENCIES = 0.7, 0.7, 70, 4096
#: 4 log(1/q) at the smallest rate, and more.
_LOG_RATE_BOUND = 64.0
#: Bits of the balls of losses.
_BITS = 96
#: The smallest rate, and the smallest and largest sensitivity over noise, that were tested.
_RAREST, _SMALLEST, _STEEPEST = 1e-6, 1e-9, 5.0
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True, slots=True)
class RealLogMoments:
    """Log moments log G(a) of the loss at real a, each within `errors`, and log C of a decay bound.

    The modulus of E[e^{(z + i theta) L}] / E[e^{zL}] is at most C / theta for every theta > 0.
    """

    logs: Array
    errors: Array
    decay: Array


@dataclass(frozen=True, slots=True)
class LogCharacteristicFunction:
    """Logarithms of a tilted loss's characteristic function at 0, theta, ..., (n - 1) theta.

    Each logarithm has an error of at most `errors`, infinite if only the bound e^most on the modulus is known.
    """

    logs: NDArray[np.complex128]
    errors: Array
    most: Array


@dataclass(frozen=True, slots=True)
class CharacteristicFunctionBound:
    """Bounds on the modulus of a characteristic function at all frequencies from theta on."""

    variance: float
    fourth: float
    close: float
    later: float
    log_decay: float

    def log_modulus(self, theta: Array | float) -> Array:
        """Return an upper bound on the log modulus at every frequency >= theta: shape of theta.

        |E e^{i theta L}|^2 = E cos(theta D) <= 1 - theta^2 E[D^2] / 2 + theta^4 E[D^4] / 24, where D is the difference
        of two losses; this decreases up to `close`, beyond which the modulus is at most e^later.
        """
        square = np.minimum(theta, self.close) ** 2
        near = 0.5 * np.log1p(square * (self.fourth * square / 24 - self.variance))
        bound: Array = np.minimum(np.maximum(near, self.later), self.log_decay - np.log(theta))
        return np.minimum(bound, 0.0)


@dataclass(frozen=True, slots=True)
class _QuadratureNodes:
    """Nodes with log r, the error of each, and the posterior probability w that the person is present."""

    outputs: Array
    losses: Array
    off: Array
    present: Array


@dataclass(frozen=True, slots=True)
class StepMoments:
    """The moments of one step at sampling rate q: noise sigma, of which the person has `share` of the sensitivity.

    If `swapped`, P has the output without the person.
    """

    q: float
    share: float
    sigma: float
    swapped: bool = False

    @classmethod
    def of(cls, pair: DominatingPair) -> Self | None:
        """Return the moments of a Gaussian pair, sampled or not; None for others, and for untested sizes."""
        if (mu := pair.normal_mu) is not None:
            step = cls(1.0, float(mu), 1.0)
        elif (sampled := pair.subsampled_gaussian_parameters) is not None:
            step = cls(float(sampled[0]), 1.0, float(sampled[1]), sampled[2] == "addition")
        else:
            return None
        return step if step.q >= _RAREST and _SMALLEST <= step.standardised_shift <= _STEEPEST else None

    @property
    def standardised_shift(self) -> float:
        """Return m = share / sigma, the person's shift of the output in standard deviations."""
        return self.share / self.sigma

    def power(self, tilt: Array, direction: Direction) -> Array:
        """Return the a at which G(a) = E[e^{tL}]."""
        return 1 + tilt if (direction == "PQ") != self.swapped else -tilt

    def real(self, a: Array) -> RealLogMoments:
        """Return log G(a) for all a >= 1, or for all a <= 0: an array of shape (n,)."""
        m = self.standardised_shift
        low, high = self._output_range(float(np.min(a)), float(np.max(a)), 0.0)
        width = min(self._rule_width(power) for power in (float(np.min(a)), float(np.max(a))))
        nodes = self._rule_nodes(low, high, width)
        u = nodes.outputs
        exponents = np.multiply.outer(a, nodes.losses) - u * u / 2
        top = exponents.max(axis=1)
        weights = np.exp(exponents - top[:, None])
        sums = weights.sum(axis=1)
        logs = top + np.log(sums) + (math.log(width) - _HALF_LOG_TAU)
        errors = self._summed_weight_errors(a, weights, nodes) / sums
        errors += ELEMENTARY_ERROR * (4 + np.abs(logs) + np.abs(top)) + len(u) * 2.0**-52 + _TRUNCATION_ERROR
        # E[e^{i theta l}] = int h d(e^{i theta l}) / (i theta), h = density / l': at most the variation of h over theta
        with np.errstate(divide="ignore"):
            peak = (exponents - np.log(nodes.present)).max(axis=1) - math.log(m)
        # (log h)' = -u + m (a + 1) w(u) - m is zero once, or three times: w is a sigmoid of u
        maxima = np.where((a + 1) * m * m <= 4, 1.0, 2.0)
        # a maximum lies within half a width of a node
        peak += width * width / 8 * (1 + np.maximum(-(a + 1), 0.0) * m * m / 4)
        return RealLogMoments(logs, errors, peak + np.log(2 * maxima) - _HALF_LOG_TAU - logs + 2.0**-20)

    def transforms(self, a: float, log_moment: float, theta: float, count: int) -> LogCharacteristicFunction:
        """Return the transforms of the distribution with density e^{zL}: a = 1 + z or -z, log_moment = log G(a)."""
        growth, height = self._neg_log_error_and_strip_height(a, theta * count, log_moment)
        width = round_down_to_bits(2 * math.pi * height / growth, 10)  # few bits, so that multiples are exact
        low, high = self._output_range(a, a, 0.0)
        if not (high - low) < _MAX_NODES * width:
            return _transforms_bounded_by_one(count)
        nodes = self._rule_nodes(low, high, width, a)
        exponents = a * nodes.losses - nodes.outputs**2 / 2
        weights = np.exp(exponents - exponents.max())
        total = weights.sum()
        spread = self._summed_weight_errors(np.array([a]), weights[None, :], nodes)[0] / total
        weights = weights / total
        # addition's loss is -l
        losses = nodes.losses if a > 0 else -nodes.losses
        blocks = -(-count // _BLOCK)
        if len(losses) * max(blocks, _BLOCK) > _MAX_HELD:
            return _transforms_bounded_by_one(count)
        leaps, steps = (
            np.exp(1j * theta * np.multiply.outer(np.arange(0, n * size, size), losses))
            for n, size in ((blocks, _BLOCK), (min(count, _BLOCK), 1))
        )
        # plain loops: threads cost more than products of this size
        values = np.einsum("jn,kn->jk", leaps * weights, steps).ravel()[:count]
        # errors of the weights and their sum, of two exponentials and their product, of the sums of these; and of the
        # phases
        fixed = 2 * spread + ELEMENTARY_ERROR * 4 + len(weights) * 2.0**-50 + 2 * _TRUNCATION_ERROR
        turning = float(weights @ (nodes.off + 2.0**-49 * np.abs(losses)))
        off = fixed + theta * np.arange(count) * turning
        return _transforms_from_values(values, off)

    def envelope(self, a: float, log_moment: float, log_decay: float) -> CharacteristicFunctionBound:
        """Return bounds on the modulus at all high frequencies, for the distribution of `transforms`."""
        # |L| / qm <= |u| + m / 2 for u < 0, and <= u min(e^{mu}, 1/q) elsewhere: fourth powers beyond are negligible
        low, high = self._output_range(a, a, _LOG_RATE_BOUND)
        outputs = _grid_around_range(low, high, self._rule_width(a))
        losses, present = self._loss_and_posterior(outputs)
        exponents = a * losses - outputs**2 / 2
        weights = np.exp(exponents - exponents.max())
        weights /= weights.sum()
        losses = losses - float(weights @ losses)
        # on the edge of the strip |l'| <= m w / cos(mb/2), so that the loss moves by at most 2.1 w if mb <= 1.5
        edge = np.abs(losses) + 2.1 * present
        # far more than all rounding errors; and the error of the rule and the omitted nodes
        variance = float(weights @ losses**2) * (1 - 2.0**-20) - 2 * _TRUNCATION_ERROR * float(
            weights @ edge**2
        )
        fourth = 2 * float(weights @ losses**4) * (1 + 2.0**-20) + 6 * variance**2 * (1 + 2.0**-18)
        fourth += 4 * _TRUNCATION_ERROR * float(weights @ edge**4)
        if variance <= 0:
            return CharacteristicFunctionBound(0.0, 0.0, 0.0, 0.0, log_decay)
        close = _CLOSE * math.sqrt(12 * variance / fourth)
        spread = math.sqrt(variance) * (1 + 2.0**-18)
        # steps in which the modulus moves by a fourth of its decrease
        fallen = -math.expm1(
            CharacteristicFunctionBound(variance, fourth, close, -math.inf, math.inf).log_modulus(close)
        )
        parts = math.ceil(close * spread * 2 / fallen)
        step = close / parts
        times = min(max(math.exp(log_decay) / (_LOW * step), _MIN_FREQUENCIES), _MAX_FREQUENCIES)
        seen = self.transforms(a, log_moment, step, parts + math.ceil(times))
        # between two frequencies the modulus moves by at most E|L - E L| of half of the step
        moved = math.exp(float(seen.most[parts:].max())) + step / 2 * spread
        last = log_decay - math.log(step * (len(seen.most) - 1)) + 2.0**-40
        return CharacteristicFunctionBound(
            variance, fourth, close, min(max(math.log(moved), last), 0.0), log_decay
        )

    # -- nodes and their errors ------------------------------------------------------------------------------------

    def _rule_nodes(self, low: float, high: float, width: float, a: float | None = None) -> _QuadratureNodes:
        """Return the nodes of the rule, each loss from a ball: all, or those that matter for G(a)."""
        u = _grid_around_range(low, high, width)
        rough, present = self._loss_and_posterior(u)
        if a is not None:
            exponents = a * rough - u * u / 2
            heavy = exponents > exponents.max() - _NEGLIGIBLE
            u, present = u[heavy], present[heavy]
        with PRECISION_LOCK, flint.ctx.workprec(_BITS):
            m, q = to_ball(self.share) / to_ball(self.sigma), to_ball(self.q)
            half = m * m / 2
            if self.q == 1:
                balls = [m * x - half for x in u.tolist()]
            else:
                balls = [((m * x - half).expm1() * q).log1p() for x in u.tolist()]
        losses = np.array([float(loss) for loss in balls])
        # a double is next to the middle of its ball
        off = 2.0**-52 * np.abs(losses) + 2 * np.array([float(loss.rad()) for loss in balls])
        return _QuadratureNodes(u, losses, off, present)

    def _loss_and_posterior(self, u: Array) -> tuple[Array, Array]:
        """Return the approximate loss at outputs, and the posterior probability that the person is present."""
        y = self.standardised_shift * u - self.standardised_shift**2 / 2
        if self.q == 1:
            return y, np.ones_like(u)
        log_q, grown = math.log(self.q), np.expm1(np.clip(y, -1.0, 1.0))
        far = np.logaddexp(math.log1p(-self.q), log_q + y)
        losses = np.where(np.abs(y) <= 1, np.log1p(self.q * grown), far)
        return losses, np.minimum(np.exp(log_q + y - losses), 1.0)

    def _summed_weight_errors(self, a: Array, weights: Array, nodes: _QuadratureNodes) -> Array:
        """Return bounds on the summed errors of the weights e^{a l - u^2/2}, one for each a."""
        of_losses = weights @ (nodes.off + 2.0**-51 * np.abs(nodes.losses))
        each = np.abs(a) * of_losses + weights @ (2.0**-51 * nodes.outputs**2)
        summed: Array = 1.01 * (each + 4 * ELEMENTARY_ERROR * weights.sum(axis=1))
        return summed

    # -- the range of the nodes --------------------------------------------------------------------------------------

    def _output_range(self, least: float, most: float, more: float) -> tuple[float, float]:
        """Return outputs beyond which the integrand, times e^{more}, has less than e^-37.

        For a >= 1: r <= e^{mu} if u > 0 and r <= 1 if u < 0. For a <= 0: r >= e^{q(mu - m^2/2)}. Both make the
        integrand at most a Gaussian one. An additional m covers the maxima of h, see `real`.
        """
        m, room = self.standardised_shift, _TAIL + 2 * more
        if least > 0:
            shift = most * m
            return -(math.sqrt(room) + m), shift + math.sqrt(shift * shift + room)
        shift = -least * self.q * m
        return (
            -(shift + math.sqrt(shift * shift + shift * m + room) + m),
            math.sqrt(shift * m + room),
        )

    def _rule_width(self, a: float) -> float:
        """Return a width of the rule for G(a), a real: on the line Im u = b the integral grows by at most e^{b^2/2}.

        There |r| lies between cos(mb/2) r and r, so that a < 0 adds the power of a cosine.
        """
        heights = self._strip_heights()
        growth = _RULE + heights**2 / 2 - max(-a, 0.0) * np.log(np.cos(self.standardised_shift * heights / 2))
        return round_down_to_bits(float((2 * math.pi * heights / growth).max()), 10)

    def _strip_heights(self) -> Array:
        """Return strips in which the phase mb stays below 1.5."""
        least = _PHASE_LIMIT / self.standardised_shift
        heights = _HEIGHTS[_HEIGHTS * self.standardised_shift <= _PHASE_LIMIT]
        return heights if len(heights) else np.array([least])

    def _neg_log_error_and_strip_height(
        self, a: float, theta: float, log_moment: float
    ) -> tuple[float, float]:
        """Return -log of the error at frequencies up to theta, and the height of the strip for it.

        On Im u = b, |r^{i theta}| = e^{theta arg r}, and arg r <= wmb if w <= 1/2, arg r <= mb elsewhere. The integral
        over each line is bounded by its largest values on cells, and tails.
        """
        heights = self._strip_heights()[:, None]
        rotation = self.standardised_shift * heights
        cosine = -max(-a, 0.0) * np.log(np.cos(rotation / 2))
        low, high = self._output_range(a, a, float((heights**2 / 2 + cosine + theta * rotation).max()))
        edges = np.linspace(low, high, _CELLS + 1)
        losses, present = self._loss_and_posterior(edges)
        closest = np.where(edges[:-1] > 0, edges[:-1], np.where(edges[1:] < 0, edges[1:], 0.0))
        largest = a * (losses[1:] if a > 0 else losses[:-1])
        there = present[1:]
        argument = rotation * np.where(there <= 0.5, there, 1.0)
        exponents = largest - closest**2 / 2 + heights**2 / 2 + cosine + theta * argument
        top = exponents.max(axis=1)
        sizes = top + np.log(np.exp(exponents - top[:, None]).sum(axis=1)) + math.log((high - low) / _CELLS)
        # up to the rounding of the exponents; below, relative to G(a)
        growth = _RULE + np.maximum(sizes - log_moment, 0.0) + 1e-6 * np.abs(sizes) + 1
        best = int(np.argmax(heights[:, 0] / growth))
        return float(growth[best]), float(heights[best, 0])


def _grid_around_range(low: float, high: float, width: float) -> Array:
    """Return the multiples of `width` from the last one <= low to the first one >= high."""
    multiples: Array = np.arange(math.floor(low / width), math.ceil(high / width) + 1.0) * width
    return multiples


def _transforms_bounded_by_one(count: int) -> LogCharacteristicFunction:
    """Return transforms of which only the bound |E e^{i theta L}| <= 1 is known."""
    return LogCharacteristicFunction(
        np.zeros(count, dtype=np.complex128), np.full(count, np.inf), np.zeros(count)
    )


def _transforms_from_values(values: NDArray[np.complex128], off: Array) -> LogCharacteristicFunction:
    """Return the logarithms of complex values with errors `off`, and bounds on their errors."""
    modulus = np.abs(values)
    reliable = off < modulus / 4
    with np.errstate(divide="ignore"):
        size = np.log(np.where(reliable, modulus, off))
        most = np.minimum(np.log(modulus + off) + ELEMENTARY_ERROR * (1 + np.abs(size)), 0.0)
        errors = np.where(reliable, 1.2 * off / modulus + ELEMENTARY_ERROR * (1 + np.abs(size)), np.inf)
    return LogCharacteristicFunction(size + 1j * np.angle(values), errors, most)
