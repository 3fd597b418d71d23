"""Levels: a menu, which of its members dominate a request, and the cheapest of them, as which it is charged.

>>> import filterproof as fp
>>> menu = (fp.Gaussian(0.5), fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5))
>>> levels = MenuLevels.of(fp.ZCDPFilter(1.0), menu)
>>> [int(levels.places(request, n=1)[0]) for request in (fp.Gaussian(0.4), fp.Laplace(4.0), fp.Laplace(1.0))]
[0, 1, -1]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from filters.rules.additive import AdditiveFilter
from filters.rules.menu import positions
from theory.arguments import Real
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Selection,
    SubsampledGaussian,
)

__all__ = ["DOMINATION", "MenuLevels", "dominates"]

#: What is cited for "no larger at any epsilon, so a post-processing".
DOMINATION = (
    "Kairouz, Oh and Viswanath: randomised response dominates what is epsilon-DP",
    "Blackwell; Dong, Roth and Su: a mu-GDP mechanism is a post-processing of the Gaussian one",
)
#: What a pair of any family has, and a level dominates where it has no more of it than the level.
Size: TypeAlias = Callable[[DominatingPair], Real]


def _epsilon_of(pair: DominatingPair) -> Real:
    return pair.pure_epsilon


def _mu_of(pair: DominatingPair) -> Real:
    """The mu that the pair declares; 1 / sigma is rounded up where it is not exact."""
    if isinstance(pair, SubsampledGaussian):
        mu = np.broadcast_to(1 / np.asarray(pair.sigma), pair.shape)
        return np.where(np.frexp(pair.sigma)[0] == 0.5, mu, np.nextafter(mu, np.inf))
    return pair.gdp_mu


#: Families of which a level dominates what is no larger, whatever its family: their levels are a chain.
_CHAINS: dict[type[DominatingPair], Size] = {RandomizedResponse: _epsilon_of, Gaussian: _mu_of}

_UNITS = {RandomizedResponse: "epsilon-DP with epsilon", Gaussian: "mu-GDP with mu"}


def dominates(level: DominatingPair, request: DominatingPair) -> Any:
    """Whether `request` is a post-processing of `level`, by the numbers that they declare: of the request's shape.

    One map must take P' to P and Q' to Q, both from the level to the request. Then no hockey-stick divergence of the
    request, at any epsilon and in either direction, is larger than the level's, and an adversary who is handed the
    output of the level, and makes the request's of it, loses nothing. level is one pair; request is no Selection.

    - RandomizedResponse(e'): every e-DP pair with e <= e'. Gaussian(mu'): every mu-GDP pair with mu <= mu'.
    - SubsampledGaussian(q', s'), of one adjacency: q <= q' and s >= s'. Keep the output with probability q / q', else
      draw it from N(0, s'^2) anew: N(0, s'^2) stays as it is, and q' N(1, s'^2) + (1 - q') N(0, s'^2) becomes
      q N(1, s'^2) + (1 - q) N(0, s'^2). Then add N(0, s^2 - s'^2).
    - Laplace(b'): b >= b'. Add 0 with probability (b' / b)^2, else Lap(0, b): of the characteristic functions,
      ((b' / b)^2 + (1 - (b' / b)^2) / (1 + (b t)^2)) / (1 + (b' t)^2) = 1 / (1 + (b t)^2).
    - Erasure(p'): p <= p'. Erase what was revealed with probability 1 - p / p'.
    - KOV(e', d'): every e-DP pair with e <= e', KOV(e, d) with d <= d' too, Erasure(p) with p <= d'.
    - Any other pair: itself.

    Source: Blackwell; Kairouz, Oh and Viswanath; Dong, Roth and Su; the maps are written out above.
    """
    kind = type(level)
    if kind in _CHAINS:
        return np.less_equal(_CHAINS[kind](request), _CHAINS[kind](level))
    if isinstance(level, SubsampledGaussian) and isinstance(request, SubsampledGaussian):
        same = level.adjacency == request.adjacency
        return np.less_equal(request.q, level.q) & np.greater_equal(request.sigma, level.sigma) & same
    if isinstance(level, Laplace) and isinstance(request, Laplace):
        return np.greater_equal(request.b, level.b)
    if isinstance(level, Erasure) and isinstance(request, Erasure):
        return np.less_equal(request.p, level.p)
    if isinstance(level, KOV):
        if isinstance(request, KOV):
            return np.less_equal(request.epsilon, level.epsilon) & np.less_equal(request.delta, level.delta)
        if isinstance(request, Erasure):
            return np.less_equal(request.p, level.delta)
        return np.less_equal(request.pure_epsilon, level.epsilon)
    return positions((level,), request, int(np.prod(request.shape))).reshape(request.shape) == 0


@dataclass(frozen=True, slots=True)
class MenuLevels:
    """A menu, ready for the question which of its members each request is charged as.

    chains: for each family in which size decides, the sizes of its members, ascending, and their places in the menu,
    with a last place -1. others: the places of all other members. ranks: the members from the cheapest on, and at the
    end that of no member.
    """

    menu: tuple[DominatingPair, ...]
    ranks: NDArray[np.intp]
    chains: tuple[tuple[type[DominatingPair], NDArray[np.float64], NDArray[np.intp]], ...]
    others: tuple[int, ...]

    @classmethod
    def of(cls, filt: PrivacyFilter, menu: tuple[DominatingPair, ...]) -> MenuLevels:
        """The levels of `menu`, single pairs, at the charges of an additive `filt`, else at their zCDP rho.

        Of members that cost the same the one that dominates fewer members is the cheaper, and then the first.
        """
        chains = []
        for family, size in _CHAINS.items():
            found = sorted(
                (float(size(pair)), place) for place, pair in enumerate(menu) if type(pair) is family
            )
            if found:
                sizes, places = zip(*found, strict=True)
                chains.append((family, np.array(sizes), np.array([*places, -1], dtype=np.intp)))
        others = tuple(place for place, pair in enumerate(menu) if type(pair) not in _CHAINS)
        keys = [(_cost(filt, pair), sum(bool(dominates(pair, other)) for other in menu)) for pair in menu]
        ranks = np.empty(len(menu) + 1, dtype=np.intp)
        ranks[[*sorted(range(len(menu)), key=keys.__getitem__), -1]] = range(len(menu) + 1)
        return cls(menu, ranks, tuple(chains), others)

    def places(self, request: DominatingPair, n: int) -> NDArray[np.intp]:
        """The place of the cheapest level that dominates each run's request, -1 where none does: shape (n,).

        Of a chain the least such level counts, since a filter charges no more for less. Whichever dominating level is
        charged, the worst case over the menu covers the request.
        """
        if isinstance(request, Selection):
            table = np.stack([self.places(pair, n) for pair in request.pairs])
            return np.asarray(table[request.index, np.arange(n)])
        best = np.full(n, -1, dtype=np.intp)
        for family, sizes, members in self.chains:
            asked = np.asarray(_CHAINS[family](request), dtype=np.float64)
            self._improve(best, members[np.searchsorted(sizes, asked)])  # NaN sorts beyond all
        for place in self.others:
            self._improve(best, np.where(dominates(self.menu[place], request), place, -1))
        return best

    def _improve(self, best: NDArray[np.intp], offered: NDArray[np.intp]) -> None:
        """`offered`, shape (n,) or (), into `best` where it is cheaper."""
        np.copyto(best, offered, where=self.ranks[offered] < self.ranks[best])

    @property
    def classes(self) -> str:
        """The mechanisms that some level dominates, in words that follow "every mechanism that is"."""
        words = [
            f"{_UNITS[family]} <= {sizes[-1]:.6g}, charged as the next of {len(sizes)} levels, the least being "
            f"{sizes[0]:.6g}"
            for family, sizes, _ in self.chains
        ]
        for kind, count in Counter(type(self.menu[place]).__name__ for place in self.others).items():
            words.append(f"a post-processing of one of {count} levels {kind}, charged as that level")
        return ", or ".join(words)


def _cost(filt: PrivacyFilter, pair: DominatingPair) -> float:
    if isinstance(filt, AdditiveFilter):
        return float(np.max(filt.charge(pair).exact(1.0)[0]))
    return float(pair.zcdp_rho)
