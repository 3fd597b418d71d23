"""A finite pair that is at most as revealing as the distribution that doubles state: masses, or the cdfs of a class.

The losses are cut into cells by the cdfs of both directions. The report of a cell is a post-processing, so that no
divergence of the finite pair exceeds that of the stated distribution, whose cdfs may err by `STATED_ERROR`.

>>> import filterproof as fp
>>> low, true = (float(pair.hockey_stick(1.0)) for pair in (_finite_pair_of_cells(fp.Gaussian(1.0)), fp.Gaussian(1.0)))
>>> 0.99 * true < low < true
True
"""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from filterproof.mc.losses.tails import has_tails
from filterproof.theory.pairs import DominatingPair, FinitePair, library_class
from filterproof.theory.rounding import next_below

#: The error of a `loss_cdf` that the contract of a pair allows.
STATED_ERROR = 1e-12
#: The number of cells, and the P-mass beyond the last one on each side.
_CELLS, _TAIL = 128, 1e-9


@lru_cache(maxsize=4096)
def pair_with_known_tails(pair: DominatingPair) -> DominatingPair | None:
    """Return the pair, or a less revealing finite pair by its stated cdfs; None if none is known.

    It is the pair itself if its tails are known, and else a finite pair by the cdfs that its class states. A
    `FinitePair` of doubles whose sums are exactly 1 is the pair of these rational numbers.
    """
    if has_tails(pair):
        return pair
    doubles = has_double_masses(pair)
    if pair.shape != () or pair.member_index is not None:
        return None
    if library_class(pair.unlabelled) is not None and not doubles:
        return None
    if doubles and pair.masses_as_fractions is not None:
        p, q = zip(*pair.masses_as_fractions, strict=True)
        if sum(p) == sum(q) == 1:
            return FinitePair(p, q)
    with suppress(Exception):  # code of a user's class, whatever it raises: then nothing is known of the pair
        return _finite_pair_of_cells(pair)
    return None


def has_double_masses(pair: DominatingPair) -> bool:
    """Whether the pair is a `FinitePair` of doubles, whose sums may miss 1 by `STATED_ERROR`."""
    return isinstance(pair.unlabelled, FinitePair) and pair.exact_masses is None


def _finite_pair_of_cells(pair: DominatingPair) -> FinitePair:
    """Return the finite pair whose outcomes are cells of the loss, by the stated cdfs.

    What rounding takes from P goes to the cell with the smallest losses, where it hides under Q.
    """
    swapped, infinite = pair.swapped, _checked_probability(pair.infinite_mass)
    low, high = float(pair.loss_isf(1 - _TAIL)), float(pair.loss_isf(_upper_tail(float(infinite))))
    if not -math.inf < low <= high < math.inf:
        raise ValueError(f"loss_isf must return finite losses, got {low!r} and {high!r}; correct it")
    width = (high - low) / _CELLS
    edges = sorted({next_below(low), *(low + width * k for k in range(1, _CELLS)), high})
    under_p = [Fraction(0), *(_checked_probability(pair.loss_cdf(x)) for x in edges), 1 - infinite]
    # Q(L <= x) = Q(-L >= -x)
    under_q = [
        Fraction(0),
        *(1 - _checked_probability(swapped.loss_cdf(next_below(-x))) for x in edges),
        Fraction(1),
    ]
    error, scale = 2 * Fraction(STATED_ERROR), 1 / (1 + 2 * (len(edges) + 2) * Fraction(STATED_ERROR))
    p = [max(b - a - error, Fraction(0)) * scale for a, b in pairwise(under_p)]
    q = [max(b - a, Fraction(0)) + error for a, b in pairwise(under_q)]
    p.append(max(infinite - error, Fraction(0)) * scale)
    q.append(error)
    total = sum(q)
    q = [mass / total for mass in q]
    rest = 1 - sum(p)
    hidden = max(range(len(p)), key=lambda i: q[i] - p[i])
    if not 0 <= rest <= q[hidden] - p[hidden]:
        raise ValueError("loss_cdf must state two distributions with different masses")
    p[hidden] += rest
    return FinitePair(tuple(p), tuple(q))


def _upper_tail(infinite: float) -> float:
    """Return the P-mass above the last edge: more than the infinite mass, and less than 1."""
    return max(_TAIL, min(2 * infinite, (1 + infinite) / 2))


def _checked_probability(value: object) -> Fraction:
    """Return a stated probability as a Fraction; raise ValueError unless it lies in [0, 1]."""
    number = float(value)  # type: ignore[arg-type]
    if not 0 <= number <= 1:
        raise ValueError(f"loss_cdf must return a probability, got {number!r}; correct it")
    return Fraction(number)
