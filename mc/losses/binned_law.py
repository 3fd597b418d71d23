"""A loss law in bins: lower bounds on divergences of compositions, rounding errors included.

To report only the bin of a loss is post-processing, which raises no divergence. A bin holds a P-mass, rounded down, and
a Q-mass, rounded up; laws multiply bin by bin, and bins of nearly the same ratio are joined whenever there are
too many. So every number here is below the true one, whatever the widths.

>>> from theory.pairs import RandomizedResponse
>>> low = composed_low({RandomizedResponse(1.0): 2}, 1.0)
>>> 0.3378 < low < 0.3379  # expit(1)^2 (1 - 1/e)
True
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import flint
import numpy as np
from numpy.typing import NDArray

from mc.losses.balls import BITS, ball, down, up
from mc.losses.outputs import exact_outputs
from mc.losses.tails import tails
from theory.pairs import KOV, DominatingPair, Erasure, RandomizedResponse

__all__ = ["BinnedLaw", "composed_low", "renyi_low"]

#: Bins of a continuous law, and the most that a product keeps.
_BASE, _KEPT = 400, 1000
#: Products of at most so many bins are searched for equal losses first.
_FEW = 300_000
#: P-mass that the first and the last bin of a continuous law may hold, and the least Q-mass that is told from 0.
_ENDS, _LEAST = 2.0**-60, 1e-280
#: Beyond it no Q-mass that is a double leaves anything of a P-mass.
_FAR = 1400.0
#: Losses nearer than this, relative to 1, are one loss before anything else is joined.
_SAME = 2.0**-34


@dataclass(frozen=True, slots=True)
class BinnedLaw:
    """P-masses and Q-masses of bins, off by at most the relative `error`; P(L = inf) is `infinite`, off by the same.

    Outcomes that P cannot produce are left out.
    """

    p: NDArray[np.float64]
    q: NDArray[np.float64]
    infinite: float
    error: float

    def times(self, other: BinnedLaw) -> BinnedLaw:
        """The law of two independent releases."""
        p = np.multiply.outer(self.p, other.p).ravel()
        q = np.multiply.outer(self.q, other.q).ravel()
        # underflow must not make a Q-mass too small
        np.maximum(q, _LEAST, out=q)
        loss = np.add.outer(self.loss, other.loss).ravel()
        infinite = self.infinite + other.infinite - self.infinite * other.infinite
        error = self.error + other.error + self.error * other.error
        return _joined(p, q, loss, max(infinite, 0.0), error + 2.0**-50)

    @property
    def loss(self) -> NDArray[np.float64]:
        """The loss of each bin, log P/Q of its masses; it only decides which bins are joined."""
        loss: NDArray[np.float64] = np.log(np.maximum(self.p, _LEAST)) - np.log(self.q)
        return loss

    def low(self, epsilon: float) -> float:
        """A number not above H_{e^epsilon}(P || Q)."""
        # in two factors, so that no growth of a Q-mass is cut off: 2^-1074 e^1400 is more than any P-mass
        root = math.exp(min(epsilon, _FAR) / 2)
        with np.errstate(over="ignore"):
            grown = root * (self.q * root * ((1 + 2.0**-49) * (1 + self.error)))
        gain = self.p * (1 - self.error) - grown
        slack = (len(gain) + 4) * 2.0**-52 + self.error
        low = (float(gain[gain > 0].sum()) + self.infinite) * (1 - slack)
        return low if low > _LEAST else 0.0  # numbers this small have fewer bits than `error` counts on


def composed_low(counts: Mapping[DominatingPair, int], epsilon: float) -> float:
    """A number not above H_{e^epsilon}(P || Q) of each pair released so often, all independent.

    A pair whose tails are not known (`mc.losses.tails`) counts as one that reveals nothing.
    """
    law: BinnedLaw | None = None
    for pair, times in counts.items():
        if times:
            power = _power(pair, times)
            law = power if law is None else law.times(power)
    return 0.0 if law is None else law.low(epsilon)


@lru_cache(maxsize=4096)
def _power(pair: DominatingPair, times: int) -> BinnedLaw:
    """The law of so many independent releases, by squaring."""
    if times == 1:
        return _base(pair)
    half = _power(pair, times // 2)
    both = half.times(half)
    return both.times(_base(pair)) if times % 2 else both


@lru_cache(maxsize=4096)
def renyi_low(pair: DominatingPair, order: float) -> float:
    """A number not above D_order(P || Q) of one release, order > 1, from the law in bins."""
    law = _base(pair)
    if law.infinite > 0:
        return math.inf
    b = order - 1
    there = law.p > 0  # else less than any double
    p, logs, log_q = law.p[there], np.log(law.p[there]), np.log(law.q[there])
    loss = logs - log_q
    wrong = (np.abs(logs) + np.abs(log_q) + 1) * 2.0**-51  # by which a loss may be too large
    if b * float(loss.max(initial=0.0)) > 600:  # e^{bL} may be no double; -1 does not matter
        exponents = logs * (1 + 2.0**-51) + b * (loss - wrong)
        top = float(exponents.max())
        total = top + math.log(math.fsum(np.exp(exponents - top)) * (1 - 1e-12))
        return max(total / b * (1 - 1e-12), 0.0)
    # E_P[e^{bL} - 1] without cancellation; what the rounding of masses can take away is subtracted
    terms, tilted = p * np.expm1(b * loss), p * np.exp(b * loss)
    missing = math.fsum([1.0, *(-p)])
    slack = (law.error + 2.0**-48) * math.fsum(np.abs(terms)) + math.fsum(b * tilted * wrong) * (1 + 2.0**-20)
    moment = math.fsum(terms) - max(missing, 0.0) * (1 + 2.0**-50) - slack
    return max(math.log1p(moment) / b * (1 - 1e-12), 0.0) if moment > 0 else 0.0


def _joined(
    p: NDArray[np.float64],
    q: NDArray[np.float64],
    loss: NDArray[np.float64],
    infinite: float,
    error: float,
) -> BinnedLaw:
    """The law with equal ratios joined, and with neighbours joined as well where more than `_KEPT` are left."""
    if len(loss) <= _FEW:
        _, place = np.unique(np.round(loss / _SAME), return_inverse=True)
        place = place.reshape(-1)
    if len(loss) > _FEW or place.max(initial=0) >= _KEPT:
        low, high = _bulk(p, loss)
        width = max((high - low) / (_KEPT - 2), _SAME)
        place = np.clip((loss - low) / width, -1, _KEPT - 2).astype(np.int64) + 1
    terms = np.bincount(place)
    met = terms > 0
    return BinnedLaw(
        np.bincount(place, weights=p).astype(np.float64)[met],
        np.bincount(place, weights=q).astype(np.float64)[met],
        infinite,
        error + float(terms.max(initial=1)) * 2.0**-52,
    )


def _bulk(p: NDArray[np.float64], loss: NDArray[np.float64]) -> tuple[float, float]:
    """The losses between which all P-mass lies but for little, found twice on a grid."""
    low, high = float(loss.min()), float(loss.max())
    for _ in range(2):
        width = max((high - low) / 2048, 1e-300)
        mass = np.bincount(np.clip((loss - low) / width, 0, 2047).astype(np.int64), weights=p, minlength=2048)
        above = np.cumsum(mass[::-1])[::-1]
        total = above[0]
        last = int(np.flatnonzero(above > _ENDS * total)[-1])
        first = int(np.flatnonzero(np.cumsum(mass) > 2.0**-40 * total)[0])
        low, high = low + first * width, low + (last + 1) * width
    return low, high


@lru_cache(maxsize=2048)
def _base(pair: DominatingPair) -> BinnedLaw:
    atoms = _atoms(pair)
    with flint.ctx.workprec(BITS):
        if atoms is not None:
            kept = [(p, q) for p, q in atoms if p > 0]
            infinite = max((down(p) for p, q in kept if not q > 0), default=0.0)
            finite = [(down(p), up(q)) for p, q in kept if q > 0]
            masses = np.array(finite, dtype=np.float64).reshape(-1, 2)
            return BinnedLaw(masses[:, 0], masses[:, 1], infinite, 0.0)
        try:
            law = tails(pair)
        except (
            TypeError
        ):  # of a pair of somebody's own nothing is known, and to release nothing is post-processing
            return BinnedLaw(np.ones(1), np.ones(1), 0.0, 0.0)
        edges = [Fraction(float(x)) for x in _edges(pair)]
        points = [law.above(x) for x in edges]
        p = [max(down(a[0] - b[0]), 0.0) for a, b in pairwise(points)]
        q = [up(a[1] - b[1]) for a, b in pairwise(points)]
        p.append(max(down(points[-1][0]), 0.0))
        q.append(up(points[-1][1]))
        masses_p, masses_q = np.array(p), np.array(q)
        kept_bins = masses_p > 0
        infinite = max(down(law.infinite), 0.0)
        return BinnedLaw(masses_p[kept_bins], np.maximum(masses_q[kept_bins], _LEAST), infinite, 0.0)


def _atoms(pair: DominatingPair) -> list[tuple[flint.arb, flint.arb]] | None:
    """(P-mass, Q-mass) of each outcome that P can produce, as balls; None for a pair that is not finite."""
    outputs = exact_outputs(pair, "PQ")
    with flint.ctx.workprec(BITS):
        if outputs is not None:
            return [(ball(one.mass), ball(one.mass * one.tilt)) for one in outputs]
        zero = flint.arb(0)
        if isinstance(pair, RandomizedResponse | KOV):
            growth = ball(float(pair.epsilon)).exp()
            delta = ball(float(pair.delta)) if isinstance(pair, KOV) else zero
            more, less = (1 - delta) * growth / (1 + growth), (1 - delta) / (1 + growth)
            return [(delta, zero), (more, less), (less, more)] if delta > 0 else [(more, less), (less, more)]
        if isinstance(pair, Erasure):
            p = ball(float(pair.p))
            return [(p, zero), (1 - p, 1 - p)]
    return None


def _edges(pair: DominatingPair) -> NDArray[np.float64]:
    """The lower ends of the bins, ascending: equal widths between far quantiles, quantiles, and a bin for each atom."""
    high, low = float(pair.loss_quantile(_ENDS)), float(pair.loss_quantile(1 - 2.0**-50))
    far = [float(pair.loss_quantile(10.0**-k)) for k in range(20, 300, 3)]  # high orders live there
    # the losses of a subsampled pair pile up below its largest, where equal widths do not tell them apart
    piled = [float(pair.loss_quantile(t)) for t in (*np.arange(1, 10) / 10, *10.0 ** (-np.arange(2, 17) / 2))]
    edges = np.append(np.linspace(low, high, _BASE + 1), [x for x in far if high < x < math.inf])
    edges = np.append(edges, [x for x in piled if low < x < high])
    # a bin about each atom: its ratio is that of the atom
    for atom, _ in tails(pair).atoms:
        slack = 1e-9 * max(abs(float(atom)), 1e-3)
        edges = np.append(edges, [float(atom) - slack, float(atom) + slack])
    return np.unique(edges)
