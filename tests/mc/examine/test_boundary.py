"""The tester, tested at the exact boundary: where a promise is just kept, little is refuted, as was allowed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from filters.rules.composition import composed_hockey_stick
from mc.examine.measure import Measure, exceeds
from mc.examine.sequence import Sequence
from theory.pairs import KOV, DominatingPair, Erasure, RandomizedResponse


def drawn(rng: np.random.Generator) -> tuple[tuple[DominatingPair, int], ...]:
    """A few rational pairs, each so many times."""
    kinds: list[DominatingPair] = []
    for _ in range(int(rng.integers(1, 4))):
        ratio = 1 + Fraction(int(rng.integers(1, 40)), int(rng.integers(10, 90)))
        share = Fraction(1, int(rng.integers(2, 5000)))
        kinds.append(
            (RandomizedResponse.from_ratio(ratio), KOV.from_ratio(ratio, share), Erasure(share))[
                int(rng.integers(3))
            ]
        )
    return tuple((pair, int(rng.integers(1, 6))) for pair in dict.fromkeys(kinds))


def test_a_promise_that_a_sequence_meets_exactly_is_never_exceeded_and_a_little_less_is() -> None:
    rng = np.random.default_rng(12)
    told = 0
    for _ in range(150):
        steps = drawn(rng)
        ratio = 1 + Fraction(int(rng.integers(0, 30)), 16)
        exact = composed_hockey_stick(
            tuple(pair for pair, _ in steps), tuple(times for _, times in steps), ratio
        )
        # at the largest double below log(ratio) the divergence is no smaller: what is promised is certainly exceeded
        epsilon = math.nextafter(math.log(ratio), -math.inf) if ratio > 1 else 0.0
        less = float(exact) * (1 - 1e-6)
        low = max(Sequence(steps).low(Measure.hockey_stick(epsilon, way), less) for way in ("PQ", "QP"))
        above = Sequence(steps).low(Measure.hockey_stick(math.nextafter(math.log(ratio), math.inf)))
        assert not exceeds(above, float(exact))
        assert low <= float(exact) * (1 + 1e-12)
        if exact > Fraction(1, 10**6):
            told += 1
            assert exceeds(low, less)
    assert told > 80
