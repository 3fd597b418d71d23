"""What the rule "at some order" takes of its delta: by mpmath, by the inequality that it rests on, and by a game."""

import math

import mpmath
import pytest

import filterproof as fp
from theory.thresholds.some_order import share_at_some_order

WHOLE = tuple(map(float, range(2, 65)))
SETS = [
    ((2.0, 32.0), 0.01),
    (WHOLE, 0.01),
    (WHOLE[1:], 1e-5),
    ((1.1, 1.3), 0.01),
    (tuple(2.5 + j / 8 for j in range(40)), 1e-5),
    ((64.0, 1.5, 7.25), 1e-12),
]


def payments(alphas: tuple[float, ...], delta: float) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """(t, m) of each order, by the recursion of the docstring."""
    paid: list[tuple[mpmath.mpf, mpmath.mpf]] = []
    for alpha in sorted(alphas):
        u = mpmath.mpf(alpha) - 1
        paid.append((u, max(mpmath.mpf(0), 1 - sum(m * mpmath.mpf(delta) ** (1 - t / u) for t, m in paid))))
    return paid


def s(t: mpmath.mpf) -> mpmath.mpf:
    """The constant of an order 1 + t."""
    return (t / (1 + t)) ** t / (1 + t)


@pytest.mark.parametrize(("alphas", "delta"), SETS)
def test_the_share_is_that_of_the_payments_rounded_up(alphas: tuple[float, ...], delta: float) -> None:
    with mpmath.workdps(40):
        truth = sum(m * s(t) for t, m in payments(alphas, delta))
        share = share_at_some_order(alphas, delta)
        assert truth < share < truth * (1 + 2e-9)


def _play(filt: fp.PrivacyFilter, first: fp.FinitePair, second: list[fp.FinitePair]) -> float:
    """H of the first pair and then the second of its outcome, both granted."""
    state = filt.start(1)
    assert filt.admits(state, first)[0]
    state, total = filt.spend(state, first), 0.0
    epsilon = filt.promise.epsilon  # type: ignore[attr-defined]
    for p, q, pair in zip(first.p, first.q, second, strict=True):
        assert filt.admits(state, pair)[0]
        for a, b in zip(pair.p, pair.q, strict=True):
            total += max(float(p) * float(a) - math.exp(epsilon) * float(q) * float(b), 0.0)
    return total


def _best_second(filt: fp.SomeOrderMarkovFilter, first: fp.FinitePair, loss: float) -> fp.FinitePair:
    """Of the two-point pairs that the filter grants after `first`, about the one that costs most after this loss."""
    state, best = filt.spend(filt.start(1), first), (0.0, fp.FinitePair((0.5, 0.5), (0.5, 0.5)))
    for alpha in filt.usable:
        jump = filt.epsilon - loss + math.log(alpha / (alpha - 1))
        if jump <= 0:
            continue
        low, high = 0.0, 0.999
        for _ in range(20):
            mass = (low + high) / 2
            pair = fp.FinitePair((mass, 1 - mass), (mass * math.exp(-jump), 1 - mass * math.exp(-jump)))
            low, high = (mass, high) if filt.admits(state, pair)[0] else (low, mass)
        if low > 0:
            pair = fp.FinitePair((low, 1 - low), (low * math.exp(-jump), 1 - low * math.exp(-jump)))
            best = max(best, (low / alpha, pair), key=lambda found: found[0])
    return best[1]


@pytest.mark.parametrize("orders", [(2.0, 32.0), (2.0, 9.0, 33.0)])
def test_no_game_of_two_rounds_passes_the_share_of_the_promise(orders: tuple[float, ...]) -> None:
    filt, most = fp.SomeOrderMarkovFilter(6.0, 0.01, orders), 0.0
    for p in (0.9, 0.99):
        for jump in (1.0, 2.0, 4.0):
            q = (1 - p) * math.exp(-jump)
            first = fp.FinitePair((p, 1 - p), (1 - q, q))
            if filt.admits(filt.start(1), first)[0]:
                second = [
                    _best_second(filt, first, math.log(float(a) / float(b)))
                    for a, b in zip(first.p, first.q, strict=True)
                ]
                most = max(most, _play(filt, first, second))
    share = share_at_some_order(filt.usable, filt.delta)
    assert 0.6 * share * filt.delta < most <= share * filt.delta


def test_all_mechanisms_lose_at_most_the_share_from_epsilon_on() -> None:
    filt = fp.SomeOrderMarkovFilter(6.0, 0.01, (2.0, 32.0))
    with mpmath.workdps(40):
        share = float(sum(m * s(t) for t, m in payments((2.0, 32.0), 0.01)))
    for epsilon in (6.0, 7.5):
        found = fp.supremum(filt, epsilon)
        assert 0 < found.low < found.high == pytest.approx(share * 0.01, rel=1e-8)
    assert fp.supremum(filt, 5.0).high > 0.01


def test_where_no_worst_mechanism_is_found_the_promise_alone_is_said() -> None:
    found = fp.supremum(fp.SomeOrderMarkovFilter(1e300, 0.01, (1 + 1e-9,)), 1e300)
    assert (found.low, found.high) == (0.0, pytest.approx(0.01))
