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

import flint
import numpy as np
from numpy.typing import NDArray

from mc.losses.balls import BITS, down, up
from mc.losses.cells import Cells, cells, extent
from mc.losses.composition import Composition, inverted
from mc.losses.tails import has_tails, tails
from theory.pairs import DominatingPair

__all__ = ["BinnedLaw", "composed_low", "cut", "renyi_low"]

#: The most cells of a continuous law, their width in standard deviations of the loss, and the most bins of a product.
_MOST, _WIDTH, _KEPT = 1000, 1 / 120, 1000
#: Tilts under which cells are narrow, per standard deviation; the P-mass over the last cell; the finest cells.
_TILTS, _RARE, _HALVINGS = (0.0, 2.0, 4.0, 6.0, 8.0, 16.0, 32.0), 1e-299, 40
#: Products of at most so many bins are searched for equal losses first.
_FEW = 300_000
#: P-mass that the first and the last bin of a continuous law may hold, and the least Q-mass that is told from 0.
_ENDS, _LEAST = 2.0**-60, 1e-280
#: Beyond it no Q-mass that is a double leaves anything of a P-mass.
_FAR = 1400.0
#: Releases from which on the law of a sum may be so smooth that its characteristic function tells more than bins do,
#: and the relative width by which it is seen to.
_MANY, _CLOSE = 100, 1e-3
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
    released = {pair: times for pair, times in counts.items() if times and has_tails(pair)}
    if sum(released.values()) == 1:
        return Composition(released).delta(epsilon, direction="PQ").low
    if sum(released.values()) >= _MANY:
        bounds = inverted(tuple(released), tuple(released.values()), epsilon)
        if bounds is not None and bounds.relative_width < _CLOSE:
            return bounds.low
    law: BinnedLaw | None = None
    for pair, times in released.items():
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
    """A number not above D_order(P || Q) of one release, order > 1: that of what is reported of its loss.

    It is 0 of a pair whose tails are not known.
    """
    if not has_tails(pair):
        return 0.0
    with flint.ctx.workprec(BITS):
        if tails(pair).infinite > 0:
            return math.inf
        moment, less = flint.arb(0), flint.arb(order) - 1
        for p, q in _reported(pair, order):
            if p.lower() > 0:
                moment += (p.lower().log() * order - q.upper().log() * less).exp()
        return max(down(moment.log() / less), 0.0) if moment > 1 else 0.0


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
    masses, infinite = _reported(pair), tails(pair).infinite
    with flint.ctx.workprec(BITS):
        p = np.array([max(down(mass), 0.0) for mass, _ in masses])
        q = np.array([max(up(mass), _LEAST) for _, mass in masses])
        return BinnedLaw(p[p > 0], q[p > 0], max(down(infinite), 0.0), 0.0)


def _reported(pair: DominatingPair, order: float | None = None) -> list[tuple[flint.arb, flint.arb]]:
    """Balls that hold the P-mass and the Q-mass of each report of a finite loss.

    Of a finite pair every loss is reported, of any other one a cell of `cut`.
    """
    points = tails(pair).points
    return cut(pair, order).reported() if points is None else [(p, q) for _, p, q in points]


def cut(pair: DominatingPair, order: float | None = None) -> Cells:
    """Cells that are narrow where e^{(order - 1) L} has its mass, or for any epsilon where no order is asked for."""
    law, (low, high) = tails(pair), extent(pair, _RARE)
    entropy = float(pair.renyi(1 + 2.0**-10))  # about KL, half the variance of a small loss
    spread = math.sqrt(2 * entropy) if 0 < entropy < math.inf else (high - low) / 32
    step = Fraction(2.0 ** (math.floor(math.log2(high - low)) - _HALVINGS))
    atoms = [abs(loss) for loss, _ in law.atoms if loss]
    if atoms:  # a step that divides the least atom leaves it a report of its own
        step = min(atoms) / math.ceil(min(atoms) / step)
    tilts = tuple(tilt / spread for tilt in _TILTS) if order is None else (order - 1,)
    return cells(pair, step, tilts=tilts, variance=(spread * _WIDTH) ** 2, most=_MOST, above=_RARE)
