"""Paper 004, Section V-A: pure DP by realised losses, against the printed rule in integers and its exact game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

import filterproof as fp

UNIT = 0.25
ROUNDS = 5
PATHS = tuple(product((1, -1), repeat=ROUNDS))


def response(level: int) -> fp.DominatingPair:
    """Randomised response whose loss is so many quarters of a nat: sums of them are doubles."""
    return fp.RandomizedResponse(level * UNIT)


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


def value(limit: int, beyond: int, sets: dict[int, tuple[int, ...]], rounds: int) -> Fraction:
    """H at `beyond` units of the best strategy under (15), one unit of loss being log 2: by enumeration, in fractions.

    `sets` are the levels that may be asked after each level, at 0 those of the first request.
    """

    @cache
    def best(t: int, past: int, level: int, loss: int) -> Fraction:
        now = past + loss
        found = max(Fraction(0), 1 - Fraction(2) ** (beyond - now))
        if t < rounds and abs(past) + level + max(sets[level]) <= limit:
            for k in sets[level]:
                keep = Fraction(2**k, 1 + 2**k)
                ends = keep * best(t + 1, now, k, k) + (1 - keep) * best(t + 1, now, k, -k)
                found = max(found, ends)
        return found

    return best(0, 0, 0, 0)


def test_the_game_solved_through_the_filter_is_the_enumerated_one() -> None:
    unit = fp.RandomizedResponse.from_ratio(2)
    filt = fp.RealisationFilter(3.5 * math.log(2), 0, 9, (unit,))  # between three steps and four
    solved = fp.worst_case(filt, [unit], rounds=9, epsilon=math.log(2))
    truth = float(value(3, 1, {0: (1,), 1: (1,)}, 9))
    assert solved.low - 1e-12 <= truth <= solved.high + 1e-12
    assert solved.high - solved.low < 1e-9


def test_plays_stay_within_epsilon_where_sums_are_rounded() -> None:
    """Levels whose sums are no doubles, exact sums of the losses told: none leaves epsilon, in either direction."""
    rng = np.random.default_rng(2)
    menu = (fp.RandomizedResponse(0.1), fp.RandomizedResponse(0.3))
    filt = fp.RealisationFilter(1.1, 0, 1000, menu)
    n = 4000
    state, total, alive = filt.start(n), [Fraction(0)] * n, np.ones(n, dtype=bool)
    for _ in range(8):
        pair = menu[int(rng.integers(2))]
        alive &= filt.admits(state, pair)
        state = filt.spend(state, pair)
        loss = np.where(rng.random(n) < 0.6, 1.0, -1.0) * float(pair.pure_epsilon)
        state = filt.observe(state, loss)
        total = [
            one + Fraction(x) if go else one for one, x, go in zip(total, loss.tolist(), alive, strict=True)
        ]
        assert max(map(abs, total)) <= Fraction(1.1)
    assert 0 < alive.sum() < n


def test_what_is_no_pure_mechanism_is_denied() -> None:
    filt = fp.RealisationFilter(1.0, 0, 5, (response(1),))
    assert filt.promise == fp.PureDP(1.0)
    assert not filt.admits(filt.start(1), fp.Erasure(1e-300))[0]


def test_theorem_and_examination_agree_on_the_pure_filter() -> None:
    filt = fp.RealisationFilter(1.0, 0, 5, (response(1), response(2)), after={response(2): (response(1),)})
    certified = fp.certify(filt)
    assert certified.evidence is fp.Evidence.CERTIFIED
    assert {number.found.name for number in certified.numbers} == {"FITS"}  # the limit itself, exactly
    found = filt.extremal(0.5)
    steps = [pair for pair, times in found.steps for _ in range(times)]
    state = filt.start(1)
    for pair in steps:
        assert filt.admits(state, pair)[0]
        state = filt.observe(filt.spend(state, pair), np.array([float(pair.pure_epsilon)]))
    assert 0 < found.low <= found.high
    laws = fp.laws(filt, examples=10)
    laws().test_saving_is_invisible()
