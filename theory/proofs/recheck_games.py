"""Finite games for `recheck.py`: every strategy and every transcript, enumerated in rational arithmetic.

A game yields the comparisons that a theorem's step makes over all strategies, as rows (left, relation, right) in
any order. This is a second implementation that shares no code with the games of the theorems. Stand-alone: the
standard library only.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import prod
from typing import Any

F = Fraction
Law = tuple[F, ...]
Pair = tuple[Law, Law]
Row = tuple[F | int, str, F | int]
#: One transcript: its probability under P, under Q, and the requests released.
End = tuple[F, F, tuple[int, ...]]


def coins(p: str, q: str) -> Pair:
    return (F(p), 1 - F(p)), (F(q), 1 - F(q))


def strategies(requests: int, rounds: int, stop: bool = True) -> Iterator[Any]:
    """None stops; (request, tree after outcome 0, tree after outcome 1) goes on."""
    if stop or rounds == 0:
        yield None
    if rounds:
        for request, first in product(range(requests), list(strategies(requests, rounds - 1, stop))):
            for second in strategies(requests, rounds - 1, stop):
                yield request, first, second


def ends(tree: Any, menu: Sequence[Pair], admits: Callable[[tuple[int, ...]], bool]) -> list[End]:
    """All transcripts against a filter that halts at the first request with which `admits` is false."""
    found: list[End] = []
    open_ends: list[tuple[Any, F, F, tuple[int, ...]]] = [(tree, F(1), F(1), ())]
    while open_ends:
        node, p, q, released = open_ends.pop()
        if node is None or not admits((*released, node[0])):
            found.append((p, q, released))
            continue
        law_p, law_q = menu[node[0]]
        open_ends += [(node[1 + y], p * law_p[y], q * law_q[y], (*released, node[0])) for y in (0, 1)]
    return found


def power(pairs: Sequence[tuple[F, F]], order: int) -> F:
    return sum((p**order / q ** (order - 1) for p, q in pairs), F(0))


def charge(pair: Pair, order: int) -> F:
    p, q = pair
    return max(power(list(zip(p, q, strict=True)), order), power(list(zip(q, p, strict=True)), order))


TWO = (coins("2/3", "1/3"), coins("1/2", "1/3"))


def directions(menu: Sequence[Pair]) -> list[Sequence[Pair]]:
    return [menu, [(q, p) for p, q in menu]]


def renyi() -> Iterator[Row]:
    for order in (2, 3, 5):
        cost = [charge(pair, order) for pair in TWO]
        budget = prod(cost, start=F(1))
        for menu, tree in product(directions(TWO), strategies(2, 3)):
            found = ends(tree, menu, lambda r, c=cost, b=budget: prod((c[i] for i in r), start=F(1)) <= b)  # type: ignore[misc]
            yield power([(p, q) for p, q, _ in found], order), "<=", budget
            scaled = (
                p**order / q ** (order - 1) / prod((cost[i] for i in r), start=F(1)) for p, q, r in found
            )
            yield sum(scaled, F(0)), "<=", 1


def trackers() -> Iterator[Row]:
    cost = [charge(pair, 2) for pair in TWO]

    def admits(released: tuple[int, ...]) -> bool:
        level, spent = 1, F(1)
        for i in released:
            over = spent * cost[i] > max(cost)
            level, spent = level + over, cost[i] if over else spent * cost[i]
        return level <= 2

    for menu, tree in product(directions(TWO), strategies(2, 3)):
        yield power([(p, q) for p, q, _ in ends(tree, menu, admits)], 2), "<=", max(cost) ** 2


def tilted() -> Iterator[Row]:
    cost = [power(list(zip(*pair, strict=True)), 3) for pair in TWO]
    most = cost[0] ** 2 / 9 * F(2, 3) ** 3 / 2
    for tree in strategies(2, 3):
        mean = stick = F(0)
        for p, q, released in ends(
            tree, TWO, lambda r: prod((cost[i] for i in r), start=F(1)) <= cost[0] ** 2
        ):
            tilt = p**3 / q**2 / prod((cost[i] for i in released), start=F(1))
            gain = p / tilt * max(1 - 3 * q / p, F(0))
            yield gain, "<=", most
            mean, stick = mean + tilt * gain, stick + max(p - 3 * q, F(0))
        yield mean, "=", stick


def sticks(found: Sequence[tuple[F, F]], ratio: F) -> F:
    return sum((max(p - ratio * q, F(0)) for p, q in found), F(0))


def natural() -> Iterator[Row]:
    menu = [((k / (1 + k), 1 / (1 + k)), (1 / (1 + k), k / (1 + k))) for k in (F(3, 2), F(9, 4), F(27, 8))]

    @cache
    def admits(released: tuple[int, ...]) -> bool:
        outcomes = product((0, 1), repeat=len(released))
        fixed = [
            (
                prod((menu[i][0][y] for i, y in zip(released, ys, strict=True)), start=F(1)),
                prod((menu[i][1][y] for i, y in zip(released, ys, strict=True)), start=F(1)),
            )
            for ys in outcomes
        ]
        return sticks(fixed, F(9, 4)) <= F(45, 169)

    reached = [sticks([e[:2] for e in ends(tree, menu, admits)], F(9, 4)) for tree in strategies(3, 3)]
    yield from ((value, "<=", F(1899, 5915)) for value in reached)
    yield max(reached), "=", F(1899, 5915)
    yield F(45, 169), "<", max(reached)


def realisation() -> Iterator[Row]:
    theta, dhat, menu = F(1, 50), F(1, 20), (coins("1/50", "0"), coins("1/20", "0"), coins("3/5", "2/5"))

    def likely(p: F, q: F, pair: Pair) -> bool:
        return sum((x for x, y in zip(*pair, strict=True) if p * x > 2 * q * y), F(0)) <= dhat

    @cache
    def goes_on(p: F, q: F, now: Pair) -> bool:
        both = ((p, q, now, menu), (q, p, now[::-1], tuple(pair[::-1] for pair in menu)))
        return all(
            sum((x for x, y in zip(*law, strict=True) if likely(a * x, b * y, nxt)), F(0)) >= 1 - theta
            for a, b, law, nexts in both
            for nxt in nexts
        )

    def stopped(tree: Any, p: F, q: F, at: int) -> Iterator[tuple[F, F, int]]:
        request, *after = tree
        pair = menu[request]
        for y in (0, 1):
            a, b = p * pair[0][y], q * pair[1][y]
            if after[y] is not None and goes_on(p, q, pair):
                yield from stopped(after[y], a, b, at + 1)
            else:
                yield a, b, at

    if not goes_on(F(1), F(1), ((F(1),), (F(1),))):
        return
    for tree in strategies(3, 3, stop=False):
        found = list(stopped(tree, F(1), F(1), 1))
        for way in (found, [(q, p, at) for p, q, at in found]):
            for i in (1, 2, 3):
                here = [(p, q) for p, q, at in way if at == i]
                safe = sum((p for p, q in here if p <= 2 * q), F(0))
                yield (1 - dhat) * (sum((p for p, _ in here), F(0)) - (theta if i > 1 else 0)), "<=", safe
            unsafe = sum((p for p, q, _ in way if p > 2 * q), F(0))
            yield unsafe, "<=", dhat + theta * (1 - dhat) * 2
            yield sticks([(p, q) for p, q, _ in way], F(2)), "<=", unsafe


def gdp_worst() -> list[F]:
    """The largest hockey-stick of all strategies at each order; the budget pays for both responses once."""
    weights = (F(2, 5), F(1, 4))
    menu = [((1 - w, w), (w, 1 - w)) for w in weights]

    def admits(released: tuple[int, ...]) -> bool:
        # (mu/2)^2 is quantile(2/5)^2 = 0.0642 and quantile(1/4)^2 = 0.4549; the budget, their sum 0.5191, pays
        # for one of the larger with at most one of the smaller, or for three of the smaller
        return released.count(1) == 0 or (released.count(1) == 1 and released.count(0) <= 1)

    games = [[e[:2] for e in ends(tree, menu, admits)] for tree in strategies(2, 3)]
    orders = (F(1, 2), F(1), F(3, 2), F(2), F(3), F(4))
    return [max(sticks(found, g) for found in games) for g in orders]


def divergence(law: Sequence[tuple[F, F]]) -> str:
    """The KL divergence as a formula, terms sorted by their masses; outcomes with p = q are left out."""
    return " + ".join(f"{p}*log({p / q})" for p, q in sorted(law) if p != q) or "0"


def kullback() -> set[str]:
    """Order 1: formulas of each charge minus KL of its request, and of the budget minus KL of each transcript."""
    charges, budget = (F(6, 25), F(3, 50)), F(3, 10)
    found = set()
    for menu in directions(TWO):
        for cost, pair in zip(charges, menu, strict=True):
            found.add(f"{cost} - ({divergence(list(zip(*pair, strict=True)))})")
        for tree in strategies(2, 3):
            law = ends(tree, menu, lambda r: sum((charges[i] for i in r), F(0)) <= budget)
            found.add(f"{budget} - ({divergence([(p, q) for p, q, _ in law])})")
    return found


# -- people, each with a filter: 0, 1 and 2, of whom a data set holds some ------------------------------------

Crowd = frozenset[int]
CROWDS = [frozenset(some) for size in range(4) for some in combinations(range(3), size)]
MEMBERS = [(crowd, person) for crowd in CROWDS for person in sorted(crowd)]


def told(group: set[int], w: F) -> Mapping[Crowd, Law]:
    return {crowd: (1 - w, w) if crowd & group else (w, 1 - w) for crowd in CROWDS}


ASKED = (told({0, 1}, F(1, 4)), {crowd: (F(1 + len(crowd), 5), F(4 - len(crowd), 5)) for crowd in CROWDS})


def removed(asked: Mapping[Crowd, Law], crowd: Crowd, person: int) -> Pair:
    return asked[crowd], asked[crowd - {person}]


def dearest(menu: Sequence[Mapping[Crowd, Law]], cost: Callable[[Pair], F]) -> list[list[F]]:
    """By request and person: the largest cost of the person's removal over the data sets that hold the person."""
    return [
        [max(cost(removed(asked, crowd, i)) for crowd, member in MEMBERS if member == i) for i in range(3)]
        for asked in menu
    ]


class Rounds:
    """Who takes part in each round of a sequence of requests."""

    def __init__(self, costs: list[list[F]], fits: Callable[[list[F]], bool]) -> None:
        self.costs, self.fits = costs, fits
        self.known: dict[tuple[Crowd, tuple[int, ...]], list[Crowd]] = {}

    def __call__(self, crowd: Crowd, requests: tuple[int, ...]) -> list[Crowd]:
        if (crowd, requests) not in self.known:
            going: list[set[int]] = [set() for _ in requests]
            for person in crowd:
                paid: list[F] = []
                for request, here in zip(requests, going, strict=True):
                    price = self.costs[request][person]
                    if self.fits([*paid, price]):
                        paid.append(price)
                        here.add(person)
            self.known[crowd, requests] = [frozenset(here) for here in going]
        return self.known[crowd, requests]


def paths(tree: Any, requests: tuple[int, ...] = (), outcomes: tuple[int, ...] = ()) -> Iterator[Any]:
    """The requests and outcomes of each full transcript."""
    if tree is None:
        yield requests, outcomes
        return
    for y in (0, 1):
        yield from paths(tree[1 + y], (*requests, tree[0]), (*outcomes, y))


PATHS = cache(lambda: [list(paths(tree)) for tree in strategies(2, 3, stop=False)])


def mass(menu: Sequence[Mapping[Crowd, Law]], path: Any, going: list[Crowd]) -> F:
    found = F(1)
    for request, y, here in zip(*path, going, strict=True):
        found *= menu[request][here][y]
    return found


def with_and_without(menu: Sequence[Mapping[Crowd, Law]], rounds: Rounds) -> list[list[tuple[F, F]]]:
    """The masses of the transcripts of each game, with and without the person, once for each law."""
    found: dict[Any, list[tuple[F, F]]] = {}
    for (crowd, person), leaves in product(MEMBERS, PATHS()):
        pairs = [
            (
                mass(menu, path, rounds(crowd, path[0])),
                mass(menu, path, rounds(crowd - {person}, path[0])),
            )
            for path in leaves
        ]
        found.setdefault(frozenset(Counter(pairs).items()), pairs)
    return list(found.values())


def both_ways(games: list[list[tuple[F, F]]]) -> Iterator[list[tuple[F, F]]]:
    for pairs in games:
        yield pairs
        yield [(q, p) for p, q in pairs]


def spending(order: int) -> tuple[list[list[F]], F]:
    """The charges of an order, and the budget that pays for each of the two requests once."""
    costs = dearest(ASKED, lambda pair: charge(pair, order))
    return costs, max(costs[0]) * max(costs[1])


def who_takes_part() -> Iterator[Row]:
    costs, _ = spending(2)
    some = {F(1), max(costs[0]), max(costs[1])}
    for most in {x * y * z for x, y, z in product(some, repeat=3)}:
        rounds = Rounds(costs, lambda paid, most=most: prod(paid, start=F(1)) <= most)  # type: ignore[misc]

        def digits(
            tree: Any, crowd: Crowd, others: Crowd, past: tuple[int, ...], rounds: Rounds
        ) -> list[int]:
            if tree is None:
                return []
            now = (*past, tree[0])
            here = sum(2**person for person in rounds(crowd, now)[-1] & others)
            return [here] + [d for below in tree[1:] for d in digits(below, crowd, others, now, rounds)]

        for (crowd, person), tree in product(MEMBERS, strategies(2, 3, stop=False)):
            others = crowd - {person}
            sides = [digits(tree, data, others, (), rounds) for data in (crowd, others)]
            left, right = (sum(digit * 8**k for k, digit in enumerate(side)) for side in sides)
            yield left, "=", right


def one_person() -> Iterator[Row]:
    costs, budget = spending(2)
    rounds = Rounds(costs, lambda paid: prod(paid, start=F(1)) <= budget)
    for (crowd, person), leaves in product(MEMBERS, PATHS()):
        whole = 0
        for path in leaves:
            going = rounds(crowd, path[0])
            paid = [
                costs[request][person] for request, here in zip(path[0], going, strict=True) if person in here
            ]
            whole += prod(paid, start=F(1)) <= budget
            yield mass(ASKED, path, going), "=", mass(ASKED, path, rounds(crowd, path[0]))
            alone = [here - {person} for here in going]
            yield mass(ASKED, path, alone), "=", mass(ASKED, path, rounds(crowd - {person}, path[0]))
        yield whole, "=", len(leaves)


def people() -> Iterator[Row]:
    for order in (2, 3):
        costs, budget = spending(order)
        rounds = Rounds(costs, lambda paid, most=budget: prod(paid, start=F(1)) <= most)  # type: ignore[misc]
        for pairs in both_ways(with_and_without(ASKED, rounds)):
            yield power(pairs, order), "<=", budget


def each_tracker() -> Iterator[Row]:
    worst, _ = spending(2)
    size = max(max(row) for row in worst)
    for definition, (crowd, person) in product((5, 6), MEMBERS):
        menu = [removed(asked, crowd, person) for asked in ASKED]
        costs = [worst[k][person] if definition == 5 else charge(menu[k], 2) for k in (0, 1)]

        def admits(released: tuple[int, ...], costs: list[F] = costs) -> bool:
            blocks, used = 1, F(1)
            for cost in (costs[k] for k in released):
                blocks, used = (blocks, used * cost) if used * cost <= size else (blocks + 1, cost)
            return blocks < 3

        found: dict[Any, list[tuple[F, F]]] = {}
        for tree in strategies(2, 3, stop=False):
            pairs = [(p, q) for p, q, _ in ends(tree, menu, admits)]
            found.setdefault(frozenset(Counter(pairs).items()), pairs)
        for pairs in both_ways(list(found.values())):
            yield power(pairs, 2), "<=", size**2


def people_worst() -> list[F]:
    """The largest hockey-stick at each order, in either direction; who pays is as in `gdp_worst`."""
    menu = (told({1, 2}, F(2, 5)), told({0, 1}, F(1, 4)))

    def fits(paid: list[F]) -> bool:
        dear, cheap = paid.count(F(1, 2)), paid.count(F(1, 5))
        return dear == 0 or (dear == 1 and cheap <= 1)

    rounds = Rounds(dearest(menu, lambda pair: abs(pair[0][0] - pair[1][0])), fits)
    games = list(both_ways(with_and_without(menu, rounds)))
    return [max(sticks(pairs, g) for pairs in games) for g in (F(1, 2), F(1), F(3, 2), F(2), F(3), F(4))]


#: By theorem: games whose rows a step of comparisons may hold.
GAMES: Mapping[str, tuple[Callable[[], Iterator[Row]], ...]] = {
    "RDP filter": (renyi,),
    "trackers": (trackers,),
    "tilted weights": (tilted,),
    "natural filter": (natural,),
    "realisation filter": (realisation,),
    "individual filter": (who_takes_part, one_person, people, each_tracker),
}
#: By theorem: games that write all the formulas of a step.
FORMULAS: Mapping[str, Callable[[], set[str]]] = {"RDP filter": kullback}
#: By theorem: games whose worst cases end the formulas of a step.
WORST: Mapping[str, Callable[[], list[F]]] = {"GDP filter": gdp_worst, "individual filter": people_worst}
