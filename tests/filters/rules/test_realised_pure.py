"""Paper 004, Section V-A: pure DP by realised losses, against the printed rule in integers on every path."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import filterproof as fp

UNIT = 0.25
ROUNDS = 5
PATHS = tuple(product((1, -1), repeat=ROUNDS))


def response(level: int) -> fp.DominatingPair:
    """Randomised response whose loss is so many quarters of a nat: sums of them are doubles."""
    return fp.RandomizedResponse(level * UNIT)


class DeniesAll(fp.RealisationFilter):
    """A filter that gives everything away."""

    def admits(self, state: Any, request: fp.DominatingPair) -> np.ndarray:
        return fp.RealisationFilter.admits(self, state, request) & False


def printed(limit: int, levels: Sequence[int], signs: Sequence[int], largest: Sequence[int]) -> int:
    """How many outputs (15) releases: losses in units, `largest` of each allowable set."""
    for t in range(1, len(levels) + 1):
        past = sum(level * sign for level, sign in zip(levels[: max(t - 2, 0)], signs, strict=False))
        last = levels[t - 2] if t > 1 else 0
        for loss in (past, -past):
            if loss + last + largest[t - 1] > limit:
                return t - 1
    return len(levels)


def released(filt: fp.PrivacyFilter, levels: Sequence[int], paths: Sequence[Sequence[int]]) -> list[int]:
    """The same, of each path of signs, by the filter."""
    n = len(paths)
    state, alive, count = filt.start(n), np.ones(n, dtype=bool), np.zeros(n, dtype=int)
    for level, signs in zip(levels, np.array(paths).T, strict=True):
        alive &= filt.admits(state, response(level))
        count += alive
        state = filt.observe(filt.spend(state, response(level)), level * signs * UNIT)
    return count.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("limit", [3, 4, 5, 7])
def test_exactly_what_15_allows_is_released(limit: int) -> None:
    """All requests of two levels and all outputs: no sum here is rounded, so that the limit itself is reached."""
    fixed = fp.RealisationFilter(limit * UNIT, 0, 40, (response(1), response(2)))
    follows = {1: 1, 2: 2}  # after a request, no dearer one
    chosen = fp.RealisationFilter(
        limit * UNIT,
        0,
        40,
        (response(1), response(2)),
        after={
            response(one): tuple(response(k) for k in range(1, most + 1)) for one, most in follows.items()
        },
    )
    more = 0
    for levels in product((1, 2), repeat=ROUNDS):
        allowed = all(after <= follows[one] for one, after in pairwise(levels))
        sets = [2, *(follows[level] for level in levels[:-1])]
        counts = [printed(limit, levels, signs, [2] * ROUNDS) for signs in PATHS]
        assert released(fixed, levels, PATHS) == counts
        # (13), classical composition, adds up the largest of each set: it releases the fewest
        assert min(counts) >= sum(2 * t <= limit for t in range(1, ROUNDS + 1))
        if allowed:
            further = [printed(limit, levels, signs, sets) for signs in PATHS]
            assert released(chosen, levels, PATHS) == further
            assert all(one >= other for one, other in zip(further, counts, strict=True))
            more += further != counts
    assert more


def test_what_is_no_pure_mechanism_is_denied() -> None:
    filt = fp.RealisationFilter(1.0, 0, 5, (response(1),))
    assert filt.promise == fp.PureDP(1.0)
    assert not filt.admits(filt.start(1), fp.Erasure(1e-300))[0]


def test_theorem_and_examination_agree_on_the_pure_filter() -> None:
    filt = fp.RealisationFilter(1.0, 0, 5, (response(1), response(2)), after={response(2): (response(1),)})
    certified = fp.certify(filt)
    assert certified.evidence is fp.Evidence.CERTIFIED
    assert {number.found.name for number in certified.numbers} == {"FITS"}  # the limit itself, exactly
    # of these the theorem lets no second release be made, and no first
    short = (
        fp.RealisationFilter(1 / 3, 0, 5, (fp.Laplace(3.0),)),
        fp.RealisationFilter(2.0, 1e-3, 5, (fp.Gaussian(1.0),)),
        fp.RealisationFilter(0.6, 0, 5, (fp.RandomizedResponse(0.5),)),
    )
    assert [fp.certify(one).refused for one in short] == [()] * 3
    denied = fp.certify(DeniesAll(1.0, 0, 5, (response(1),))).refused
    assert [one.found.name for one in denied] == ["LOOSE"] * 3
    found = filt.extremal(0.5)
    steps = [pair for pair, times in found.steps for _ in range(times)]
    state = filt.start(1)
    for pair in steps:
        assert filt.admits(state, pair)[0]
        state = filt.observe(filt.spend(state, pair), np.array([float(pair.pure_epsilon)]))
    assert 0 < found.low <= found.high
    laws = fp.laws(filt, examples=10)
    laws().test_saving_is_invisible()
