"""The levels of a menu: which of its pairs a calibrated filter charges for a request.

>>> import filterproof as fp
>>> menu = (fp.Gaussian(0.5), fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5))
>>> levels = DominatingLevels.of(fp.ZCDPFilter(1.0), menu)
>>> [int(levels.places(request, n=1)[0]) for request in (fp.Gaussian(0.4), fp.Laplace(4.0), fp.Laplace(1.0))]
[0, 1, -1]
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.theory.pairs import DominatingPair

#: The sources for "no larger at any epsilon, so a post-processing".
DOMINATION_THEOREMS = (
    "Kairouz, Oh and Viswanath: randomised response dominates what is epsilon-DP",
    "Blackwell; Dong, Roth and Su: a mu-GDP mechanism is a post-processing of the Gaussian one",
)
_UNIT_TEXTS = {"pure_epsilon": "epsilon-DP with epsilon", "gdp_mu": "mu-GDP with mu"}


@dataclass(frozen=True, slots=True)
class DominatingLevels:
    """A menu's levels, sorted to find the cheapest one that dominates a request.

    `chains` has, for each family that is ordered by size, the ascending sizes of its members and their places in the
    menu, with a last place -1. `others` has the places of all other members. `ranks` has the members from the cheapest
    on, and finally no member.
    """

    menu: tuple[DominatingPair, ...]
    ranks: NDArray[np.intp]
    chains: tuple[tuple[str, NDArray[np.float64], NDArray[np.intp]], ...]
    others: tuple[int, ...]

    @classmethod
    def of(cls, filt: PrivacyFilter, menu: tuple[DominatingPair, ...]) -> DominatingLevels:
        """Return the levels of `menu`, single pairs, with the charges of an additive `filt`, else with their zCDP rho.

        Among members of equal cost, the one that dominates fewer members is the cheaper, then the first.
        """
        chains = []
        for size in _UNIT_TEXTS:
            members = sorted(
                (float(getattr(pair, size)), place)
                for place, pair in enumerate(menu)
                if pair.domination_parameter == size
            )
            if members:
                sizes, places = zip(*members, strict=True)
                chains.append((size, np.array(sizes), np.array([*places, -1], dtype=np.intp)))
        others = tuple(place for place, pair in enumerate(menu) if pair.domination_parameter is None)
        keys = [
            (_charge_cost(filt, pair), sum(bool(pair.dominates(other)) for other in menu)) for pair in menu
        ]
        ranks = np.empty(len(menu) + 1, dtype=np.intp)
        ranks[[*sorted(range(len(menu)), key=keys.__getitem__), -1]] = range(len(menu) + 1)
        return cls(menu, ranks, tuple(chains), others)

    def places(self, request: DominatingPair, n: int) -> NDArray[np.intp]:
        """Return the place of the cheapest level that dominates each run's request, or -1: shape (n,).

        In a chain, the smallest dominating level counts, because a filter charges no more for less. The worst case over
        the menu covers the request for every choice of a dominating level.
        """
        if (index := request.member_index) is not None:
            table = np.stack([self.places(pair, n) for pair in request.members])
            return np.asarray(table[index, np.arange(n)])
        best = np.full(n, -1, dtype=np.intp)
        for size, sizes, members in self.chains:
            requested_size = np.asarray(getattr(request, size), dtype=np.float64)
            self._merge_cheaper_levels(
                best, members[np.searchsorted(sizes, requested_size)]
            )  # NaN sorts after everything
        for place in self.others:
            self._merge_cheaper_levels(best, np.where(self.menu[place].dominates(request), place, -1))
        return best

    def _merge_cheaper_levels(self, best: NDArray[np.intp], offered: NDArray[np.intp]) -> None:
        """Replace the levels in `best` by those in `offered` where these are cheaper."""
        np.copyto(best, offered, where=self.ranks[offered] < self.ranks[best])

    @property
    def covered_mechanisms_text(self) -> str:
        """The covered mechanisms in words that follow "every mechanism that is"."""
        words = [
            f"{_UNIT_TEXTS[size]} <= {sizes[-1]:.6g}, charged as the next of {len(sizes)} levels, the smallest being "
            f"{sizes[0]:.6g}"
            for size, sizes, _ in self.chains
        ]
        for kind, count in Counter(type(self.menu[place]).__name__ for place in self.others).items():
            words.append(f"a post-processing of one of {count} levels {kind}, charged as that level")
        return ", or ".join(words)


def _charge_cost(filt: PrivacyFilter, pair: DominatingPair) -> float:
    """Return the filter's charge for a pair if it is additive, else the pair's zCDP rho."""
    if isinstance(filt, AdditiveFilter):
        return float(np.max(filt.charge(pair).exact(1.0)[0]))
    return float(pair.zcdp_rho)
