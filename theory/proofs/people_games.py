"""What is compared in the finite games of people: who takes part, transcripts, moments, hockey-sticks, trackers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

from flint import ctx

from theory.proofs.engines import Inequality
from theory.proofs.formula import compile_formula
from theory.proofs.people import (
    PEOPLE,
    Accounting,
    Fits,
    Game,
    alone,
    alone_menu,
    counted,
    in_all,
    in_worst,
    laws,
    now,
    removals,
    told_if_any,
    within,
)
from theory.proofs.people_tally import Tally, check_both_ways
from theory.proofs.trees import Pair, Transcript, Tree, full_trees, hockey_stick, moment, play

__all__ = [
    "alone_rows",
    "gaussian_formulas",
    "leak_rows",
    "moment_rows",
    "pair_rows",
    "response_formulas",
    "same_rows",
    "tracker_rows",
    "who_rows",
]

#: The people 0 and 1 are told of, and everyone is counted.
_MENU = (told_if_any(0b011, Fraction(1, 4)), counted(Fraction(1, 5), Fraction(1, 5)))
_ROUNDS = 3
_TREES = cache(lambda: tuple(full_trees(len(_MENU), _ROUNDS)))


def _moment_of(order: int) -> Callable[[Pair], Fraction]:
    """e^{(order-1) rho} for the larger divergence of the two directions."""
    return lambda pair: max(pair.moment(order), pair.swapped.moment(order))


def _largest(order: int) -> tuple[Fraction, ...]:
    """The largest charge of each mechanism, over people and data sets."""
    charge = in_worst(_MENU, _moment_of(order))
    return tuple(max(charge(k, person, data) for data, person in removals()) for k in range(len(_MENU)))


def _budget(order: int) -> Fraction:
    """What pays for each mechanism once."""
    return in_all(_largest(order))


def same_rows(accounting: Accounting = in_worst) -> Callable[[], Iterator[Inequality]]:
    """The charge of each mechanism and person is the same on all data sets that hold the person."""

    def comparisons() -> Iterator[Inequality]:
        charge = accounting(_MENU, _moment_of(2))
        for k in range(len(_MENU)):
            for data, person in removals():
                yield charge(k, person, data), "=", charge(k, person, 1 << person)

    return comparisons


def pair_rows(
    declared: Callable[[Iterable[Fraction]], Fraction] = max,
) -> Callable[[], Iterator[Inequality]]:
    """The pair of those who take part costs at most what was declared, and the pair without the person nothing."""

    def comparisons() -> Iterator[Inequality]:
        for order in (2, 3):
            cost = _moment_of(order)
            for mechanism in _MENU:
                for data, person in removals():
                    costs = [cost(mechanism.removal(held, who)) for held, who in removals() if who == person]
                    yield cost(mechanism.removal(data, person)), "<=", declared(costs)
                    yield cost(mechanism.removal(data & ~(1 << person), person)), "=", 1

    return comparisons


def _late(fits: Fits) -> Fits:
    """The filter that decides after the release: it does not look at the next charge."""
    return lambda charges: fits(charges[:-1])


def _played(game: Game, tally: Tally) -> Iterator[list[Transcript]]:
    """The transcripts of every strategy on every data set that holds a person, with and without the person."""
    for data, person in removals():
        for tree in _TREES():
            ends = list(game.transcripts(tree, data, person))
            tally.played(data, person, tree, ends)
            yield ends


def _ways(games: Iterable[list[Transcript]], tally: Tally) -> Iterator[list[Transcript]]:
    """Both directions of each law that the games have."""
    for ends in laws(games):
        for way in (ends, [end.swapped for end in ends]):
            tally.compared(way)
            yield way


def _check_charges(order: int) -> None:
    pairs = [mechanism.removal(data, person) for mechanism in _MENU for data, person in removals()]
    check_both_ways(pairs, _moment_of(order), order)


def who_rows(accounting: Accounting = in_worst) -> Callable[[], Iterator[Inequality]]:
    """Who takes part at each node without the person: by the run on all, less the person, and by the run without."""

    def comparisons() -> Iterator[Inequality]:
        costs = {Fraction(1), *_largest(2)}
        budgets = sorted({in_all(some) for some in combinations_with_replacement(sorted(costs), _ROUNDS)})
        _check_charges(2)
        for budget in budgets:
            tally = Tally("the game of who takes part")
            game = Game(_MENU, accounting(_MENU, _moment_of(2)), within(budget))
            for data, person in removals():
                others = data & ~(1 << person)
                for tree in _TREES():
                    tally.played(data, person, tree)
                    yield _read(game, tree, data, others), "=", _read(game, tree, others, others)
            tally.check()

    return comparisons


def _read(game: Game, tree: Tree | None, data: int, among: int) -> int:
    """The active people `among` these at every node of a strategy, as the digits of one number."""

    def nodes(tree: Tree | None, asked: tuple[int, ...]) -> Iterator[int]:
        if tree is not None:
            asked = (*asked, tree.request)
            yield game.active(data, asked) & among
            for below in tree.after:
                yield from nodes(below, asked)

    return sum(active << PEOPLE * place for place, active in enumerate(nodes(tree, ())))


def alone_rows(
    accounting: Accounting = in_worst, pays_when_out: bool = False
) -> Callable[[], Iterator[Inequality]]:
    """Each transcript with and without the person, run apart, has the masses of the game of the person's filter."""

    def comparisons() -> Iterator[Inequality]:
        _check_charges(2)
        tally, charge = Tally("the game of the person's filter alone"), accounting(_MENU, _moment_of(2))
        game = Game(_MENU, charge, within(_budget(2)))
        for data, person in removals():
            menu = alone_menu(game, person)

            @cache
            def admits(released: tuple[int, ...], request: int, at: tuple[int, int] = (data, person)) -> bool:
                return game.fits(
                    tuple(
                        charge(k >> PEOPLE, at[1], at[0]) if pays_when_out or k >> at[1] & 1 else Fraction(1)
                        for k in (*released, request)
                    )
                )

            for tree in _TREES():
                ends = list(game.transcripts(tree, data, person))
                tally.played(data, person, tree)
                single = list(play(alone(game, tree, data), menu, admits))
                yield len(single), "=", len(ends)
                for one, end in zip(single, ends, strict=True):
                    yield one.p, "=", end.p
                    yield one.q, "=", end.q
        tally.check()

    return comparisons


def moment_rows(
    accounting: Accounting = in_worst, share: Fraction = Fraction(1), late: bool = False
) -> Callable[[], Iterator[Inequality]]:
    """Every data set, person and strategy, orders 2 and 3, both directions: the moment is at most the budget."""

    def comparisons() -> Iterator[Inequality]:
        for order in (2, 3):
            _check_charges(order)
            tally, budget = Tally("the game of moments"), _budget(order)
            fits = within(budget)
            game = Game(_MENU, accounting(_MENU, _moment_of(order)), _late(fits) if late else fits)
            for way in _ways(_played(game, tally), tally):
                yield moment(way, order), "<=", budget * share
            tally.check(ways=True)

    return comparisons


_WEIGHTS = (Fraction(2, 5), Fraction(1, 4))
_RESPONSES = (told_if_any(0b110, _WEIGHTS[0]), told_if_any(0b011, _WEIGHTS[1]))


def _mu(w: Fraction) -> str:
    """The GDP parameter of the response that errs with probability w."""
    return f"(2*quantile({w}))"


_GAUSSIAN_BUDGET = " + ".join(f"{_mu(w)}**2" for w in _WEIGHTS)


def response_formulas(factor: str = "1") -> Callable[[], Iterator[str]]:
    """For each response, that the Gaussian trade-off curve of `factor` times its parameter is w at w, within 10^-30."""

    def formulas() -> Iterator[str]:
        for w in _WEIGHTS:
            # the curve of mu at alpha is 1 - Phi(mu - quantile(alpha))
            gap = f"(tail({factor}*{_mu(w)} - quantile({w})) - {w})"
            yield from (f"1/10**30 {sign} {gap}" for sign in "+-")

    return formulas


def _distance(pair: Pair) -> Fraction:
    """1 - 2w, the total variation of randomised response of weight w, which is exactly (2 quantile(w))-GDP."""
    return abs(pair.p[0] - pair.q[0])


def _fits_gaussian(distances: tuple[Fraction, ...]) -> bool:
    return _in_gaussian_budget(tuple(sorted(distance for distance in distances if distance)))


@cache
def _in_gaussian_budget(distances: tuple[Fraction, ...]) -> bool:
    # a spend whose ball overlaps the budget is admitted; this can only raise the worst case
    spend = " + ".join(f"{_mu((1 - distance) / 2)}**2" for distance in distances) or "0"
    with ctx.workprec(128):
        return not compile_formula(f"{spend} - ({_GAUSSIAN_BUDGET})")({}) > 0


def gaussian_formulas(
    accounting: Accounting = in_worst, share: str = "1", late: bool = False
) -> Callable[[], Iterator[str]]:
    """A formula for each order g: `share` times delta_B(log g), less the largest H_g of all games."""

    def formulas() -> Iterator[str]:
        fits = _late(_fits_gaussian) if late else _fits_gaussian
        game = Game(_RESPONSES, accounting(_RESPONSES, _distance), fits)
        tally = Tally("the game of responses")
        games = list(_ways(_played(game, tally), tally))
        tally.check(ways=True)
        for g in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4)):
            worst, mean = max(hockey_stick(ends, g) for ends in games), f"sqrt({_GAUSSIAN_BUDGET})"
            yield (
                f"{share}*(tail(log({g})/{mean} - {mean}/2) - {g}*tail(log({g})/{mean} + {mean}/2)) - {worst}"
            )

    return formulas


_RATIO = Fraction(3)


def leak_rows(accounting: Accounting = now) -> Callable[[], Iterator[Inequality]]:
    """One question four times, of two people who are both told of: the first's charge, and H after each round."""
    menu = (told_if_any(0b011, Fraction(1, 4)),)
    charge = accounting(menu, lambda pair: max(*map(_odds, (pair, pair.swapped))))

    def comparisons() -> Iterator[Inequality]:
        game, tree = Game(menu, charge, within(_RATIO)), None
        expected = (Fraction(0), Fraction(0), Fraction(3, 8), Fraction(3, 8))
        yield charge(0, 0, 0b011), "=", 1
        for leaked in expected:
            tree = Tree(0, (tree, tree))
            yield hockey_stick(list(game.transcripts(tree, 0b011, 0)), _RATIO), "=", leaked

    return comparisons


def _odds(pair: Pair) -> Fraction:
    """e^epsilon of a pair that is epsilon-DP in its own direction."""
    return max(p / q for p, q in zip(pair.p, pair.q, strict=True))


def tracker_rows(first: int = 1, forgets: bool = False, most: int = 2) -> Callable[[], Iterator[Inequality]]:
    """Nobody sits out; a strategy stops before the person's tracker passes `most`: its moment is at most that."""

    def comparisons() -> Iterator[Inequality]:
        _check_charges(2)
        size = max(_largest(2))

        def level(charges: tuple[Fraction, ...]) -> int:
            at, spent = first, Fraction(1)
            for charge in charges:
                spent *= charge
                if spent > size:
                    at, spent = at + 1, Fraction(1) if forgets else charge
            return at

        for accounting in (in_worst, now):
            tally, charge = Tally("the game of trackers"), accounting(_MENU, _moment_of(2))
            for data, person in removals():
                costs = [charge(k, person, data) for k in range(len(_MENU))]

                @cache
                def admits(
                    released: tuple[int, ...], request: int, costs: tuple[Fraction, ...] = tuple(costs)
                ) -> bool:
                    return level(tuple(costs[k] for k in (*released, request))) <= most

                menu = [mechanism.removal(data, person) for mechanism in _MENU]
                games = []
                for tree in _TREES():
                    games.append(list(play(tree, menu, admits)))
                    tally.played(data, person, tree, games[-1])
                for way in _ways(games, tally):
                    yield moment(way, 2), "<=", size**most
            tally.check(ways=True)

    return comparisons
