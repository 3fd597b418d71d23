"""Routes to the true values that dp-accounting was held against."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from filters.rules.unsound import NaturalFilter, knowingly
from mc.worst_case.solve import worst_case
from theory.pairs import RandomizedResponse

from ..shared.mixtures import delta_by_cut


def responses_delta_by_paths() -> float:
    """delta(2) of 20 responses of truth probability 3/4, the privacy loss composed step by step in fractions."""
    losses = {0: Fraction(1)}
    for _ in range(20):
        after: dict[int, Fraction] = defaultdict(Fraction)
        for loss, mass in losses.items():
            after[loss + 1] += mass * Fraction(3, 4)
            after[loss - 1] += mass * Fraction(1, 4)
        losses = after
    return sum(float(mass) * max(0.0, -math.expm1(2.0 - loss * math.log(3))) for loss, mass in losses.items())


def order_two() -> float:
    """The Renyi divergence of order 2 of 0.5 N(10, 1) + 0.5 N(0, 1) from N(0, 1) in closed form."""
    return math.log1p(0.25 * math.expm1(100.0))


def truncated_delta() -> float:
    """delta(3) of a record 1 added to three records -1: rate 0.99, batches of at most 3, noise 0.5, by its subsets."""
    x = np.linspace(-12.0, 12.0, 400_001)

    def density(records: tuple[int, ...]) -> np.ndarray:
        total = np.zeros_like(x)
        for drawn in product((0, 1), repeat=len(records)):
            batch = [record for record, taken in zip(records, drawn, strict=True) if taken]
            kept = list(combinations(batch, min(3, len(batch))))
            weight = math.prod(0.99 if taken else 0.01 for taken in drawn) / len(kept)
            for chosen in kept:
                total += weight * np.exp(-2 * (x - sum(chosen)) ** 2)
        return total * math.sqrt(2 / math.pi)

    excess = density((1, -1, -1, -1)) - math.exp(3.0) * density((-1, -1, -1))
    return float(np.maximum(excess, 0.0).sum() * (x[1] - x[0]))


def truncated_delta_by_counts() -> float:
    """The same by how many of the three are drawn: in closed form above the one loss of 3 on the line."""
    counts = [math.comb(3, k) * 0.99**k * 0.01 ** (3 - k) for k in range(4)]
    without = {-k: counts[k] for k in range(4)}
    drawn = {1: counts[0], 0: counts[1], -1: counts[2] + 0.75 * counts[3], -3: 0.25 * counts[3]}
    added = {mean: 0.01 * without.get(mean, 0.0) + 0.99 * drawn.get(mean, 0.0) for mean in (1, *without)}
    # the loss grows with x: the means of `added` are those of `without` moved up
    return delta_by_cut((list(added.items()), list(without.items())), 3.0, (-4.0, 4.0), 1, 0.5)


def adaptive_delta() -> float:
    """The delta at epsilon = log(9/4) of the best three responses that the exact rule grants, in fractions.

    The rule allows 0.2664, a little more than 45/169, which the composition of three of the least responses reaches.
    """
    chances = {k: (Fraction(3**k, 3**k + 2**k), Fraction(2**k, 3**k + 2**k)) for k in (1, 2, 3)}

    def excess(p: Fraction, q: Fraction) -> Fraction:
        return max(p - Fraction(9, 4) * q, Fraction(0))

    def composed(past: tuple[int, ...], p: Fraction = Fraction(1), q: Fraction = Fraction(1)) -> Fraction:
        if not past:
            return excess(p, q)
        true, false = chances[past[0]]
        return composed(past[1:], p * true, q * false) + composed(past[1:], p * false, q * true)

    def best(past: tuple[int, ...], p: Fraction, q: Fraction) -> Fraction:
        worth = excess(p, q)
        for after in ((*past, k) for k in chances if len(past) < 3):
            if composed(after) <= Fraction("0.2664"):
                true, false = chances[after[-1]]
                worth = max(worth, best(after, p * true, q * false) + best(after, p * false, q * true))
        return worth

    return float(best((), Fraction(1), Fraction(1)))


def adaptive_delta_of_the_game() -> float:
    """The same delta as the certified worst case of the natural filter over the same responses."""
    step = math.log(1.5)
    menu = tuple(RandomizedResponse(k * step) for k in (1, 2, 3))
    with knowingly():
        natural = NaturalFilter(math.log(9 / 4), 0.2664, menu)
    return worst_case(natural, menu, epsilon=math.log(9 / 4), rounds=3).low
