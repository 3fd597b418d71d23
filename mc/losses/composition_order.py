"""Whether a menu is totally ordered under composition: of any two compositions, does one dominate the other?

>>> from theory.pairs import RandomizedResponse
>>> found = composition_order([RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2)], rounds=3)
>>> found.crossing.one, found.crossing.other
((3, 0), (0, 1))
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

from filters.rules.composition import composed_ratios, is_exact
from filters.rules.menu import checked_menu
from theory.arguments import check_count
from theory.pairs import DominatingPair
from theory.shown import one_line
from theory.too_large import check_size

Counts = tuple[int, ...]
#: The most outcomes that all compositions may have together, one each for those of Gaussians.
_OUTCOMES = 1 << 20


@dataclass(frozen=True, slots=True)
class CompositionCrossing:
    """Two compositions of which neither dominates: counts of each member, and where either one's divergence is larger.

    At e^epsilon = `larger_at` the hockey-stick divergence of `one` is above that of `other`, at `smaller_at` below.
    """

    one: Counts
    other: Counts
    larger_at: Fraction
    smaller_at: Fraction

    def divergences(self, menu: Sequence[DominatingPair]) -> tuple[tuple[Fraction, Fraction], ...]:
        """(that of `one`, that of `other`) at `larger_at` and at `smaller_at`, composed again."""
        laws = [composed_ratios(tuple(menu), counts) for counts in (self.one, self.other)]
        return tuple(
            (_stick(laws[0], ratio), _stick(laws[1], ratio)) for ratio in (self.larger_at, self.smaller_at)
        )


@dataclass(frozen=True, slots=True, repr=False)
class CompositionOrder:
    """Either a chain of all compositions of at most `rounds` members, least first, or a crossing of two of them.

    In the chain each composition is dominated at every epsilon, both ways, by the next, in fractions. It says nothing
    of more rounds, save for menus of Gaussians, which are ordered by the sum of mu^2 at any number.
    """

    menu: tuple[DominatingPair, ...]
    rounds: int
    chain: tuple[Counts, ...]
    crossing: CompositionCrossing | None

    __repr__ = one_line


def composition_order(menu: Sequence[DominatingPair], rounds: int) -> CompositionOrder:
    """The order of all compositions of 1 to `rounds` members of `menu` by domination, or two that it does not order.

    Menus are of finite pairs whose masses are rationals, or of Gaussians. Both ways are compared, as one way at every
    e^epsilon > 0 is. A natural filter may be sound for every budget only where the order is total, by the abstract of
    arXiv 2602.15815; of a crossing it does not follow here that it fails for one budget that is given.
    Raises ValueError for other pairs, and for compositions of more than 2^20 outcomes together.
    """
    pairs, rounds = checked_menu(menu), check_count("rounds", rounds)
    _check(sum(len(masses.p) if (masses := pair.exact_masses) else 1 for pair in pairs), rounds)
    if all(pair.normal_mu is not None for pair in pairs):
        squares = [Fraction(float(mu)) ** 2 for pair in pairs if (mu := pair.normal_mu) is not None]

        def total(counts: Counts) -> Fraction:
            return sum((n * square for n, square in zip(counts, squares, strict=True)), Fraction(0))

        return CompositionOrder(pairs, rounds, tuple(sorted(_counts(len(pairs), rounds), key=total)), None)
    for pair in pairs:
        if not is_exact(pair):
            raise ValueError(
                f"menu must hold finite pairs with rational masses, or Gaussians alone, got {pair!r}; "
                "pass RandomizedResponse.from_ratio(Fraction(3, 2)), say"
            )
    laws = {counts: composed_ratios(pairs, counts) for counts in _counts(len(pairs), rounds)}

    def compared(one: Counts, other: Counts) -> int:
        above, below = _beyond(laws[one], laws[other]), _beyond(laws[other], laws[one])
        if above is not None and below is not None:
            raise _CrossedError(CompositionCrossing(one, other, above, below))
        return (above is not None) - (below is not None)

    try:  # whatever sorts compares neighbours
        chain = sorted(laws, key=cmp_to_key(compared))
    except _CrossedError as crossed:
        return CompositionOrder(pairs, rounds, (), crossed.crossing)
    return CompositionOrder(pairs, rounds, tuple(chain), None)


def _check(outcomes: int, rounds: int) -> None:
    """TooLargeError where `rounds` or fewer of these outcomes, in any order, are more than can be held."""
    # one more outcome stands for the rounds that are not used
    several = min(outcomes, rounds)
    found = math.comb(outcomes + rounds, several) - 1 if several < 64 else _OUTCOMES + 1
    check_size("rounds", found, _OUTCOMES, "outcomes of compositions", "pass fewer rounds or a smaller menu")


class _CrossedError(Exception):
    def __init__(self, crossing: CompositionCrossing) -> None:
        self.crossing = crossing


def _counts(members: int, rounds: int) -> Iterator[Counts]:
    """How often each member is used, fewest rounds first."""
    for n in range(1, rounds + 1):
        for chosen in itertools.combinations_with_replacement(range(members), n):
            yield tuple(chosen.count(place) for place in range(members))


def _stick(law: dict[Fraction | None, Fraction], ratio: Fraction) -> Fraction:
    """E_P[(1 - ratio q/p)_+]."""
    return sum(
        (p * (1 - ratio / r if r else 1) for r, p in law.items() if r is None or r > ratio), Fraction(0)
    )


def _beyond(one: dict[Fraction | None, Fraction], other: dict[Fraction | None, Fraction]) -> Fraction | None:
    """Where the divergence of `one` is above that of `other`, None where it is nowhere.

    Both are 1 at e^epsilon = 0 and convex, that of `other` is linear between its own ratios, and past them constant.
    """
    return next((r for r in other if r is not None and _stick(one, r) > _stick(other, r)), None)
