"""Sums of many independent losses on a lattice, by one Fourier transform each, with a bound on every error.

A distribution with masses m_j at multiples j of a step is tilted: a_j = m_j e^{tilt j} / M, M = sum_j m_j e^{tilt j}.
In the Fourier domain, the tilted distribution of a sum of independent losses is a product. The tilt makes sums near
the payoff likely, so that the absolute errors of the transform are small compared with the payoff, even a tiny one.

>>> coin = LatticePLD(np.array([-1, 1]), np.array([0.5, 0.5]))
>>> total = tilted_power([coin], [10], tilt=0.0)
>>> bool(abs(total.shares[total.first % 2 :: 2].sum() - 1) < 1e-12), total.tail
(True, 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses.lattice_pld import LatticePLD

#: A bound on the relative error of `np.exp` and the absolute error of `np.log` near 1, far above their design.
ELEMENTARY_ERROR = 2.0**-44
#: Unit roundoff.
_UNIT = 2.0**-53
#: The relative error of one path through one level of a fast Fourier transform, in unit roundoffs: an addition, a
#: product of complex numbers and a tabulated root of unity have less than 5.
_FFT_LEVEL_ERROR = 8
#: Fourier coefficients below e^-60 count as 0.
_NEGLIGIBLE_EXPONENT = 60.0
#: The most places that are stored completely.
_WHOLE_PLACES = 4096
#: The number of halvings of a tilt below that of a normal distribution: distributions with far places need a small one.
_HALVINGS = 60
#: A sufficiently small tilted mass outside the window, and the longest window.
_TAIL, _MAX_WINDOW = 1e-10, 1 << 22
#: The largest logarithm with a double exponential; and more than the loss of an exponential below the normal doubles.
_LARGEST, _UNDERFLOW = 700.0, 2.0**-1000


@dataclass(frozen=True, slots=True)
class TiltedPower:
    """The exponentially tilted distribution of a sum: shares[i] at place first + i, within `error`.

    log_moment is log sum_J m_J e^{tilt J}, with an error of at most `factor`. At most `tail` of the tilted mass lies
    outside the window and is folded into it.
    """

    first: int
    shares: NDArray[np.float64]
    log_moment: float
    error: float
    factor: float
    tail: float

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each share."""
        return np.arange(self.first, self.first + len(self.shares))


@dataclass(frozen=True, slots=True)
class TiltedSum:
    """The distribution of a sum of losses, stored as the one tilted by e^{tilt (loss - cut)}.

    Losses on the side of the cut towards which the tilt points have factors below 1, so that errors there are small.
    """

    distribution: TiltedPower
    step: float
    tilt: float
    cut: float

    @property
    def excess(self) -> NDArray[np.float64]:
        """The distance of each place's loss beyond the cut."""
        return self.distribution.places.astype(np.float64) * self.step - self.cut

    def log_scale_bound(self, sign: int) -> float:
        """Return an upper (sign 1) or lower (-1) bound on log sum_J m_J e^{tilt (loss - cut)}.

        These are the errors of the sum itself and of its factors: shares, and their payoffs. Shares were divided by the
        sum whose logarithm is stored, so that its error cancels, and one `factor` suffices. Losses are within 3 u and
        the cut within 2 u, tilt times their difference within 6 u (loss + cut), u = 2^-53.
        """
        distribution = self.distribution
        far = self.step * float(np.abs(distribution.places[[0, -1]]).max())
        slack = distribution.factor + ELEMENTARY_ERROR * 8 + 2.0**-48 * abs(distribution.log_moment)
        slack += len(distribution.shares) * 2.0**-52  # sums of that many shares
        slack += 2.0**-49 * (1 + abs(self.tilt) * (abs(self.cut) + far))
        return distribution.log_moment - self.tilt * self.cut + sign * slack

    def masses(
        self, sign: int, where: NDArray[np.bool_] | slice, log_factor: float = 0.0
    ) -> NDArray[np.float64]:
        """Return bounds with that sign on the mass of each place, outside mass included, times e^log_factor."""
        grown = log_factor + sign * 2.0**-50 * abs(log_factor)
        shares: NDArray[np.float64] = np.maximum(
            self.distribution.shares[where] + sign * self.distribution.error, 0.0
        )
        with np.errstate(over="ignore", invalid="ignore"):
            exponents = self.log_scale_bound(sign) + grown - self.tilt * self.excess[where]
            factors = np.exp(exponents if sign > 0 else np.minimum(exponents, _LARGEST))
            masses: NDArray[np.float64] = factors * shares + (_UNDERFLOW if sign > 0 else 0.0)
        return masses

    def above(self, payoff: NDArray[np.float64]) -> float:
        """Return an upper bound on the mean payoff, in [0, 1], of places above the cut; inf beyond doubles."""
        scale, counts = self.log_scale_bound(1), payoff > 0
        if scale > _LARGEST:
            return math.inf
        lost = _UNDERFLOW if counts.any() else 0.0  # by products below the normal doubles
        return (
            float(payoff[counts] @ self.masses(1, counts)) + lost + self.distribution.tail * math.exp(scale)
        )


def tilted_power(distributions: Sequence[LatticePLD], counts: Sequence[int], *, tilt: float) -> TiltedPower:
    """Return the distribution of the sum of counts[i] losses of each PLD i, tilted by e^{tilt J}."""
    each = [distribution.tilted_mean_and_variance(tilt) for distribution in distributions]
    mean = sum(k * m for k, (m, _) in zip(counts, each, strict=True))
    spread = math.sqrt(sum(k * v for k, (_, v) in zip(counts, each, strict=True)))
    moments = [distribution.log_moment(tilt) for distribution in distributions]
    least = sum(
        k * int(distribution.places.min()) for k, distribution in zip(counts, distributions, strict=True)
    )
    most = sum(
        k * int(distribution.places.max()) for k, distribution in zip(counts, distributions, strict=True)
    )
    # 16 standard deviations, or all places if they are few
    wanted = max(16 * spread + 2, min(most - least + 1, _WHOLE_PLACES))
    size = min(1 << max(math.ceil(math.log2(wanted)), 4), _MAX_WINDOW)
    while True:
        # a window below every sum would waste that part
        first = max(math.floor(mean) - size // 2, least)
        if most - least < size:
            first, tail = least, 0.0
            break
        below, beyond = _mass_outside_window(distributions, counts, moments, tilt, spread, first, size)
        tail = beyond if first == least else below + beyond
        if tail <= _TAIL or size >= _MAX_WINDOW:
            break
        size *= 2
    factor = sum(
        k
        * (
            2 * ELEMENTARY_ERROR
            + (len(distribution.places) + 16) * 2 * _UNIT
            + 4 * _UNIT * abs(tilt) * float(np.abs(distribution.places).max())
        )
        for k, distribution in zip(counts, distributions, strict=True)
    )
    window, error = _circular_convolution_and_error(distributions, counts, tilt, size)
    return TiltedPower(
        first,
        np.maximum(np.roll(window, -(first % size)), 0.0),
        sum(k * m for k, m in zip(counts, moments, strict=True)),
        error,
        2 * factor,
        tail,
    )


def _circular_convolution_and_error(
    distributions: Sequence[LatticePLD], counts: Sequence[int], tilt: float, size: int
) -> tuple[NDArray[np.float64], float]:
    """Return the circular convolution at places 0 ... size - 1, and a bound on each entry's error.

    A computed transform is a sum in which every input is multiplied by one rounded root of unity and 1 + d per level,
    so that its error is at most the levels' errors times the sum of the inputs, which is 1. Powers of numbers of
    modulus <= 1 multiply that by the derivative, and the inverse transform averages over the frequencies.
    """
    each = fft_rounding_error(size)
    there = np.arange(size // 2 + 1)
    total: NDArray[np.complex128] = np.ones(len(there), dtype=np.complex128)
    bound, slope = np.ones(len(there)), np.zeros(len(there))
    for distribution, count in zip(distributions, counts, strict=True):
        share = distribution.tilted_probabilities(tilt)
        wrapped = np.bincount(distribution.places % size, weights=share, minlength=size)
        frequencies = np.fft.rfft(wrapped)[there]
        modulus = np.abs(frequencies) * (1 + 2.0**-50) + each + len(share) * _UNIT
        # if a factor is this small, the product counts as 0
        large = modulus > math.exp(-_NEGLIGIBLE_EXPONENT / count)
        there, modulus = there[large], modulus[large]
        total = total[large] * integer_power(frequencies[large], count)
        bound = bound[large] * modulus**count * (1 + ELEMENTARY_ERROR)
        # k |error| / |f| from the transform and the wrapping, 4 rounding errors per product from the power
        slope = slope[large] + count * ((each + len(share) * _UNIT) / modulus + 4 * _UNIT)
    weights = np.where((there == 0) | (there == size // 2), 1.0, 2.0)
    off = float(weights @ (bound * np.minimum(2 * slope, 2.0))) / size
    off += float(weights @ bound) / size * each + 2 * math.exp(-_NEGLIGIBLE_EXPONENT) * (1 + each)
    spectrum = np.zeros(size // 2 + 1, dtype=np.complex128)
    spectrum[there] = total
    return np.fft.irfft(spectrum, size), off * (1 + 2.0**-20)


def fft_rounding_error(size: int) -> float:
    """Return a bound on the error of a transform of this size, and of its inverse.

    It is relative to the sum of the moduli of the inputs for each entry, and relative to the Euclidean norm for the
    whole. Source: Higham, Theorem 24.2.
    """
    return (math.log2(size) + 4) * _FFT_LEVEL_ERROR * _UNIT


def integer_power(base: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """Return base^count elementwise by squaring, with at most `count` - 1 rounded products."""
    result: NDArray[np.complex128] | None = None
    while count:
        if count & 1:
            result = base if result is None else result * base
        count >>= 1
        if count:
            base = base * base
    assert result is not None
    return result


def _mass_outside_window(
    distributions: Sequence[LatticePLD],
    counts: Sequence[int],
    moments: Sequence[float],
    tilt: float,
    spread: float,
    first: int,
    size: int,
) -> tuple[float, float]:
    """Return upper bounds on the tilted mass below and above the window, by Markov's inequality."""

    def bound(lean: float, edge: int) -> float:
        raised = [distribution.log_moment(tilt + lean) for distribution in distributions]
        exponent = sum(k * (r - m) for k, r, m in zip(counts, raised, moments, strict=True)) - lean * edge
        # both moments have an error of at most the factor of a power, far below this
        return math.exp(min(exponent, 0.0)) * (1 + 1e-6)

    def least(sign: int, edge: int) -> float:
        # the exponent is convex in the tilt: search between a small one and that of a normal distribution
        low, high = 0.0, min(2 * size / max(spread, 1e-100) ** 2, 2.0**20)
        for _ in range(_HALVINGS):  # it is 0 at 0: if it is no less here, the minimum is before
            if bound(sign * high, edge) < 1:
                break
            high /= 2
        for _ in range(24):
            third = (high - low) / 3
            less, more = bound(sign * (low + third), edge), bound(sign * (high - third), edge)
            low, high = (low, high - third) if less <= more else (low + third, high)
        # a bound that is 0 in doubles is a rounded positive number
        return min(bound(sign * low, edge), bound(sign * high, edge))

    return least(-1, first - 1), least(1, first + size)
