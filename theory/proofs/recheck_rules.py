"""Finite games of further rules for `recheck.py`, on menus of a leak and a coin, or of two coins.

As in `recheck_games.py` nothing is shared with the games of the theorems. Stand-alone: the standard library only.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import Any

if __package__:
    from .recheck_games import TWO, F, Pair, Row, charge, coins, directions, ends, power, sticks, strategies
else:  # beside recheck.py, which is run as a script
    from recheck_games import (  # type: ignore[import-not-found,no-redef]
        TWO,
        F,
        Pair,
        Row,
        charge,
        coins,
        directions,
        ends,
        power,
        sticks,
        strategies,
    )

LEAKY = (coins("1/10", "0"), coins("2/3", "1/3"))


def two_and_one(released: tuple[int, ...]) -> bool:
    return released.count(0) < 3 and released.count(1) < 2


def paths_of(
    tree: Any, admits: Callable[[tuple[int, ...]], bool]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(requests, outcomes) of every transcript against a filter that halts."""
    found, waiting = [], [(tree, (), ())]
    while waiting:
        node, asked, told = waiting.pop()
        if node is None or not admits((*asked, node[0])):
            found.append((asked, told))
        else:
            waiting += [(node[1 + y], (*asked, node[0]), (*told, y)) for y in (0, 1)]
    return found


def chance(menu: Sequence[Pair], world: int, path: tuple[tuple[int, ...], tuple[int, ...]]) -> F:
    return prod((menu[i][world][y] for i, y in zip(*path, strict=True)), start=F(1))


def basic() -> Iterator[Row]:
    def admits(released: tuple[int, ...]) -> bool:
        leaks, tossed = released.count(0), released.count(1)
        return F(3, 2) ** tossed <= F(3, 2) and F(9, 10) ** leaks * F(5, 6) ** tossed >= F(3, 4)

    for menu, tree in product(directions(LEAKY), strategies(2, 3)):
        yield sticks([e[:2] for e in ends(tree, menu, admits)], F(3, 2)), "<=", F(1, 4)


def good_parts() -> Iterator[Row]:
    for menu, tree in product(directions(LEAKY), strategies(2, 3)):
        good = [((F(0), F(1)), (F(0), F(1))), menu[1]]
        all_paths = paths_of(tree, two_and_one)
        yield F(81, 100), "<=", min(F(9, 10) ** path[0].count(0) for path in all_paths)
        parts = [(chance(good, 0, path), chance(good, 1, path)) for path in all_paths]
        parts = [(p, q) for p, q in parts if p or q]
        yield power(parts, 2), "<=", F(3, 2)
        whole = [(chance(menu, 0, path), chance(menu, 1, path)) for path in all_paths]
        yield sticks(whole, F(1)), "<=", 1 - F(81, 100) * (1 - sticks(parts, F(1)))


def weighed() -> Iterator[Row]:
    at_three = power(list(zip(*LEAKY[1], strict=True)), 3)
    for tree in strategies(2, 3):
        total = F(0)
        all_paths = paths_of(tree, two_and_one)
        for path in all_paths:
            leaks = path[0].count(0)
            if any(i == 0 and y == 0 for i, y in zip(*path, strict=True)):
                continue
            p, q = chance(LEAKY, 0, path), chance(LEAKY, 1, path)
            kept = F(9, 10) ** leaks
            drawn = p / kept
            yield 1 - kept, "<=", F(19, 100)
            mean = kept**2 * at_three ** path[0].count(1)  # of e^{2L} over finite losses
            tilted = drawn * (p / q) ** 2 / mean
            gain = kept * drawn / tilted * max(1 - F(3, 2) * q / p, F(0))
            yield gain, "<=", at_three / F(9, 4) * F(2, 3) ** 3 / 2
            total += drawn * (1 - kept) + tilted * gain
        whole = [(chance(LEAKY, 0, path), chance(LEAKY, 1, path)) for path in all_paths]
        yield total, "=", sticks(whole, F(3, 2))


def at_all_times() -> Iterator[Row]:
    for k, tree in product((1, 2), strategies(2, 3)):
        cost = [power(list(zip(*pair, strict=True)), k + 1) for pair in TWO]
        highest = []
        for asked, told in paths_of(tree, lambda _: True):
            values = [F(1)]
            for i, y in zip(asked, told, strict=True):
                values.append(values[-1] * (TWO[i][0][y] / TWO[i][1][y]) ** k / cost[i])
            highest.append((max(values), chance(TWO, 0, (asked, told))))
        for x in {value for value, _ in highest}:
            yield x * sum((p for value, p in highest if value >= x), F(0)), "<=", 1


def orders() -> Iterator[Row]:
    menu = (coins("2/3", "1/3"), coins("1/20", "1/100"))
    cost = {order: [charge(pair, order) for pair in menu] for order in (2, 4)}
    budget = {2: cost[2][0] * cost[2][0], 4: cost[4][0] * cost[4][1]}

    def admits(released: tuple[int, ...]) -> bool:
        return all(prod((cost[a][i] for i in released), start=F(1)) <= budget[a] for a in (2, 4))

    for way, tree in product(directions(menu), strategies(2, 3)):
        found = [e[:2] for e in ends(tree, way, admits)]
        for a in (2, 4):
            yield power(found, a), "<=", budget[a]
            yield sticks(found, F(3)), "<=", budget[a] * F(a - 1, a) ** a / (a - 1) / F(3) ** (a - 1)


def blackwell() -> Iterator[Row]:
    # two coins of ratio 2: the ratios of what is admitted stay within 4, which two of request 0, or one with one of
    # request 1, or three of request 1 do; and their hockey-sticks at 1/4, 1 and 4 are below those of two coins
    def fixed(released: tuple[int, ...]) -> list[tuple[F, F]]:
        menu = list(TWO)
        told = product((0, 1), repeat=len(released))
        return [(chance(menu, 0, (released, ys)), chance(menu, 1, (released, ys))) for ys in told]

    @cache
    def admits(released: tuple[int, ...]) -> bool:
        some, most = fixed(released), fixed((0, 0))
        turned = [[(q, p) for p, q in law] for law in (some, most)]
        return all(
            sticks(a, g) <= sticks(b, g) for a, b in ((some, most), turned) for g in (F(1, 4), F(1), F(4))
        )

    for way, tree in product(directions(TWO), strategies(2, 3)):
        found = [e[:2] for e in ends(tree, way, admits)]
        for order in (2, 3):
            yield power(found, order), "<=", power(list(zip(*way[0], strict=True)), order) ** 2


#: By theorem: games whose rows a step of comparisons may hold.
MORE_GAMES: Mapping[str, tuple[Callable[[], Iterator[Row]], ...]] = {
    "basic composition": (basic,),
    "approximate zCDP filter": (good_parts,),
    "infinite losses": (weighed,),
    "loss supermartingale": (at_all_times,),
    "all orders": (orders,),
    "Blackwell filter": (blackwell,),
}
