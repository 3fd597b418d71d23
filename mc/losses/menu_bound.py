"""Upper bounds on how private many uses of a menu are, at one epsilon: one grid and one transform for all counts.

>>> from theory.pairs import SubsampledGaussian
>>> menu = (SubsampledGaussian(q=0.05, sigma=1.0), SubsampledGaussian(q=0.1, sigma=1.0))
>>> high = menu_bound(menu, 2.0, 1e-5, relative=2e-3)
>>> high((10, 2)) < high((11, 2)) < 2e-5
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from mc.losses.cells import cells, rough_cells
from mc.losses.composition import Composition, inverted
from mc.losses.lattice_law import LatticeLaw
from mc.losses.powers import ELEMENTARY, transform_error
from mc.losses.tails import has_tails, tails
from mc.losses.two_laws import TwoLaws
from theory.pairs import DominatingPair

__all__ = ["menu_bound"]

#: Uses of a mechanism beyond which nobody counts, and how many are tried first.
_USES, _FEW = 2**24, 32
#: Leans that are tried for the mass outside of the window, per standard deviation.
_LEANS = 2.0 ** np.arange(-6.0, 3.0, 0.5)
#: More than all that underflows may add up to.
_UNDERFLOW = 2.0**-1000
#: Half of the window, in standard deviations of the largest sum that reaches delta.
_DEVIATIONS = 16.0
#: The most cells of a law, the longest window, and the logarithm of a Fourier coefficient that is called 0.
_MOST, _LONGEST, _NOTHING = 1 << 14, 1 << 22, 60.0


def menu_bound(
    menu: Sequence[DominatingPair], epsilon: float, delta: float, *, relative: float
) -> Callable[[Sequence[int]], float] | None:
    """n -> a number >= H_{e^epsilon}(P || Q) of the composition of n[m] independent uses of each pair m of a menu.

    It is about `relative` above the divergence where that is `delta`. The laws are those of `Cells.split`, the sum that
    of `mc.losses.powers`, with its errors: tilted shares of places in a window, times what they are worth. By Parseval
    that is a sum over frequencies of a product of powers with the transform of the worth, which is the same for all n:
    nothing is transformed back. None for losses with a mass of their own.
    """
    if not all(has_tails(pair) and not tails(pair).atoms for pair in menu):
        return None
    counts, tilts = zip(*(_reaching(pair, epsilon, delta) for pair in menu), strict=True)
    tilt = math.exp(sum(map(math.log, tilts)) / len(tilts))
    # as `Composition`: a loss more uncertain by v, of equal E[e^-L], has E[e^{tL}] larger by e^{t(t+1)v/2}
    steep = max(tilts) + 1
    allowed = relative / (steep * (steep + 1) / 12)
    shares = [allowed / max(count, 1.0) for count in counts]
    step = Fraction(2.0 ** math.floor(math.log2((min(shares) / 2) ** 0.5)))
    laws = [
        cells(pair, step, tilts=(tilt,), variance=share, most=_MOST).split()
        for pair, share in zip(menu, shares, strict=True)
    ]
    return _on(laws, counts, float(step), epsilon, tilt)


def _on(
    laws: Sequence[LatticeLaw], reaching: Sequence[float], step: float, epsilon: float, tilt: float
) -> Callable[[Sequence[int]], float] | None:
    """The bound from laws on a lattice, in a window as wide as the largest sum that reaches delta needs."""
    lean, unit = tilt * step, 2.0**-53
    own = [law.mean_and_variance(lean)[1] for law in laws]
    wanted = 2 * _DEVIATIONS * math.sqrt(max(n * v for n, v in zip(reaching, own, strict=True))) + 64
    size = 1 << math.ceil(math.log2(wanted))
    if size > _LONGEST:
        return None
    first, each = math.floor(epsilon / step) - size // 2, transform_error(size)
    losses = np.arange(first, first + size) * step
    above = losses - epsilon + 2.0**-50 * (abs(epsilon) + np.abs(losses))
    paid = np.where(above > 0, np.exp(-tilt * np.maximum(above, 0)) * -np.expm1(-np.maximum(above, 0)), 0)
    transformed = np.fft.rfft(np.roll(paid, first % size)).conj()
    weight, far = float(paid.sum()) * (1 + 2.0**-30), float(np.abs(losses).max())
    # of each law: the logarithm of its transform, of the most that its modulus is, and the relative error of that
    share = [law.tilted(lean) for law in laws]
    off = np.array([each + len(part) * unit for part in share])[:, None]
    spectra = np.array(
        [
            np.fft.rfft(np.bincount(law.places % size, weights=part, minlength=size))
            for law, part in zip(laws, share, strict=True)
        ]
    )
    modulus = np.abs(spectra) * (1 + 2.0**-50) + off
    logs, moduli = np.log(np.where(spectra == 0, 1e-300, spectra)), np.log(modulus) + ELEMENTARY
    slopes = off / modulus + 4 * unit
    moments = np.array([law.log_moment(lean) for law in laws])
    factors = np.array(
        [
            2 * ELEMENTARY
            + (len(law.places) + 16) * 2 * unit
            + 4 * unit * lean * float(np.abs(law.places).max())
            for law in laws
        ]
    )
    revealed = np.array([law.revealed for law in laws])
    totals = np.log([float(law.masses.sum()) + law.revealed for law in laws])
    # what lies outside of the window, by Markov's inequality
    leans = np.concatenate([-_LEANS, _LEANS]) / math.sqrt(wanted)
    raised = np.array([[law.log_moment(lean + more) for more in leans] for law in laws]) - moments[:, None]
    edges = leans * np.where(leans < 0, first - 1, first + size)

    def high(counts: Sequence[int]) -> float:
        n = np.array(counts, dtype=np.float64)
        moment, factor = float(n @ moments), float(n @ factors)
        outside = np.split(n @ raised - edges, 2)
        tail = math.fsum(math.exp(min(float(side.min()), 0.0)) for side in outside)
        # frequencies from which on all are called 0 are most of them
        reach = n @ moduli
        kept = np.flatnonzero(reach > -_NOTHING)
        log, slope = n @ logs[:, kept], n @ slopes[:, kept]
        slope += (np.abs(log) + 8) * 2.0**-50 + float(n.sum()) * ELEMENTARY
        twice = np.where((kept == 0) | (kept == size // 2), 1.0, 2.0)
        bound, worth = np.exp(reach[kept]) * (1 + ELEMENTARY) * twice, transformed[kept]
        error = bound @ (np.minimum(2 * slope, 2.0) * (np.abs(worth) + each * weight))
        error += each * weight * bound.sum() + 2.0**-52 * (len(kept) + 8) * (bound @ np.abs(worth))
        value = float(((twice * np.exp(log)) @ worth).real) + float(error) * (1 + 2.0**-20)
        value = max(value, 0.0) / size + 2 * math.exp(-_NOTHING) * weight
        slack = 2 * factor + ELEMENTARY * 8 + 2.0**-48 * abs(moment) + size * 2.0**-52
        slack += 2.0**-48 * (1 + tilt) * (1 + abs(epsilon) + far)
        exponent = moment - tilt * epsilon + slack
        if exponent > 600.0 or factor > 0.1:
            return 1.0
        infinite = float(n @ revealed) * math.exp(float(n @ np.maximum(totals, 0.0)) + 2 * factor)
        # both moments of a tail err by a factor each; what underflows is told before it is multiplied
        tail *= math.exp(min(8 * factor, 1.0)) * (1 + 1e-6)
        total = (value + tail + _UNDERFLOW) * math.exp(exponent) + infinite * (1 + 1e-6)
        return min(total * (1 + 2.0**-40) + _UNDERFLOW, 1.0)

    return high


def _reaching(pair: DominatingPair, epsilon: float, delta: float) -> tuple[float, float]:
    """About how many uses of one pair reach delta, and the tilt there: how close bounds come rests on them, no more."""

    def passed(count: int) -> bool:
        bounds = inverted((pair,), (count,), epsilon)
        bounds = bounds or Composition({pair: count}).delta(epsilon, relative=0.1, direction="PQ")
        return bounds.high > delta

    count = _FEW
    if passed(count):  # most laws of fewer uses are far from smooth, and take longer
        while count > 1 and passed(count // 2):
            count //= 2
    else:
        while count < _USES and not passed(count):
            count *= 2
    tilt = 0.0
    for _ in range(2):
        cut = rough_cells(pair, tilt)
        tilt = Composition({pair: count}).tilt([(TwoLaws.of_cells(cut).p, float(cut.step))], epsilon)[0]
    return float(count), max(tilt, 1.0)
