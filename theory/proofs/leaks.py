"""Finite games with a leak: a request whose outcome 0 tells P from Q, and a coin that keeps its bit but now and then.

>>> LEAK.p[0], LEAK.q[0], COIN.p[0] / COIN.q[0]
(Fraction(1, 10), Fraction(0, 1), Fraction(2, 1))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import prod

from theory.proofs.engines import Inequality
from theory.proofs.trees import Pair, Transcript, all_trees, bernoulli, hockey_stick, play

__all__ = ["COIN", "LEAK", "basic_rows", "good_rows", "weighed_rows"]

#: (0, 1/10)-DP: its loss is infinite with probability 1/10, otherwise 0 after taking the leak away.
LEAK = bernoulli("1/10", "0")
#: (log 2)-DP, and (log 3/2, 1/6)-DP.
COIN = bernoulli("2/3", "1/3")
_MENU = (LEAK, COIN)
_ONE = Fraction(1)
#: What each request leaves of 1 after its own delta, for basic composition at ratios 1 and 3/2.
_KEPT, _RATIO = (Fraction(9, 10), Fraction(5, 6)), (_ONE, Fraction(3, 2))
#: The mass of the good part of each request, and the laws of the good part in the two worlds.
_GOOD_MASS = (Fraction(9, 10), _ONE)
_SURE = (Fraction(0), _ONE)
_ORDER = 2
#: Two leaks, one coin.
_MOST_LEAKS, _MOST_COINS = 2, 1


def _both(menu: tuple[Pair, ...]) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    return menu, tuple(pair.swapped for pair in menu)


def basic_rows(share: Fraction = _ONE, late: bool = False) -> Callable[[], Iterator[Inequality]]:
    """Every strategy of three rounds, both directions: the hockey-stick at ratio 3/2 is at most `share` of 1/4.

    The filter admits while the ratios multiply to at most 3/2 and what the deltas leave to at least 9/10 times 5/6.
    With `late` it checks what was released only.
    """
    ratio, least = _RATIO[0] * _RATIO[1], _KEPT[0] * _KEPT[1]

    @cache
    def admits(released: tuple[int, ...], request: int) -> bool:
        asked = released if late else (*released, request)
        ratios = prod((_RATIO[i] for i in asked), start=_ONE)
        return ratios <= ratio and prod((_KEPT[i] for i in asked), start=_ONE) >= least

    def comparisons() -> Iterator[Inequality]:
        for menu in _both(_MENU):
            for tree in all_trees(len(menu), 3):
                yield hockey_stick(list(play(tree, menu, admits)), ratio), "<=", (1 - least) * share

    return comparisons


def _goods(menu: tuple[Pair, ...], end: Transcript) -> tuple[Fraction, Fraction, Fraction]:
    """(mass of the good parts along a path, the path's probability under the good parts of P, of Q)."""
    mass = p = q = _ONE
    for request, y in zip(end.released, end.outcomes, strict=True):
        mass *= _GOOD_MASS[request]
        p *= menu[request].p[y] if request else _SURE[y]
        q *= menu[request].q[y] if request else _SURE[y]
    return mass, p, q


def _fits(late: bool) -> Callable[[tuple[int, ...], int], bool]:
    @cache
    def admits(released: tuple[int, ...], request: int) -> bool:
        asked = released if late else (*released, request)
        return asked.count(0) <= _MOST_LEAKS and asked.count(1) <= _MOST_COINS

    return admits


def good_rows(share: Fraction = _ONE, late: bool = False) -> Callable[[], Iterator[Inequality]]:
    """Approximate zCDP, every strategy of three rounds, both directions.

    The good parts have at least the mass 81/100 on every path, their moment of order 2 is at most that of one coin,
    and at ratio 1 the hockey-stick is at most 1 - 81/100 (1 - that of the good parts), less `share`.
    """
    kept, moment = _GOOD_MASS[0] ** _MOST_LEAKS, COIN.moment(_ORDER) ** _MOST_COINS

    def comparisons() -> Iterator[Inequality]:
        for menu in _both(_MENU):
            for tree in all_trees(len(menu), 3):
                ends = list(play(tree, menu, _fits(late)))
                goods = [_goods(menu, end) for end in ends]
                yield kept, "<=", min(mass for mass, _, _ in goods)
                yield sum((p**_ORDER / q for _, p, q in goods if p), Fraction(0)), "<=", moment * share
                good = sum((max(p - q, Fraction(0)) for _, p, q in goods), Fraction(0))
                yield hockey_stick(ends, _ONE), "<=", (1 - kept * (1 - good)) * share

    return comparisons


def weighed_rows(
    share: Fraction = _ONE, late: bool = False, forgets: bool = False
) -> Callable[[], Iterator[Inequality]]:
    """Infinite losses never drawn but weighed, every strategy of three rounds, tilted at order 3 and e^epsilon = 3/2.

    K is the mass of the finite losses along a path. 1 - K is at most 19/100, each weighted value at most `share` of
    M_s, and the means of the two add to the hockey-stick. With `forgets` the second has no factor K.
    """
    ratio, order, power = Fraction(3, 2), 3, 2
    # moments of the finite losses: E_P[e^{2L}; L finite] given that L is finite
    moments = (_GOOD_MASS[0] ** power, COIN.moment(order))
    budget = moments[1]  # the factors of the leaks are below 1
    most = budget / ratio**power * Fraction(power, order) ** order / power

    def comparisons() -> Iterator[Inequality]:
        for tree in all_trees(len(_MENU), 3):
            met = weighed = stick = Fraction(0)
            ends = list(play(tree, _MENU, _fits(late)))
            for end in ends:
                stick += max(end.p - ratio * end.q, Fraction(0))
                kept, p, _ = _goods(_MENU, end)  # p: drawn with every infinite loss left out
                if not p:
                    continue
                yield 1 - kept, "<=", 1 - _GOOD_MASS[0] ** _MOST_LEAKS
                loss = end.p / end.q
                spent = prod((moments[i] for i in end.released), start=_ONE)
                tilted = p * loss**power / spent  # its probability under R
                gain = (_ONE if forgets else kept) * p / tilted * max(1 - ratio / loss, Fraction(0))
                yield gain, "<=", most * share
                met += p * (1 - kept)
                weighed += tilted * gain
            yield met + weighed, "=", stick

    return comparisons
