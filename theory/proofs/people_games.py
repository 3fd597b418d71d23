"""What is compared in the finite games of people: who takes part, transcripts, moments, hockey-sticks, trackers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from theory.proofs.trees import Pair, Transcript, Tree, full_trees, hockey_stick, moment, play

__all__ = ["alone_rows", "gaussian_formulas", "leak_rows", "moment_rows", "tracker_rows", "who_rows"]

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


def _late(fits: Fits) -> Fits:
    """The filter that decides after the release: it does not look at the next charge."""
    return lambda charges: fits(charges[:-1])


def _played(game: Game) -> Iterator[list[Transcript]]:
    """The transcripts of every strategy on every data set that holds a person, with and without the person."""
    for data, person in removals():
        for tree in _TREES():
            yield list(game.transcripts(tree, data, person))


def who_rows(accounting: Accounting = in_worst) -> Callable[[], Iterator[Inequality]]:
    """Who takes part at each node without the person: by the run on all, less the person, and by the run without."""

    def comparisons() -> Iterator[Inequality]:
        costs = {Fraction(1), *_largest(2)}
        budgets = sorted({in_all(some) for some in combinations_with_replacement(sorted(costs), _ROUNDS)})
        for budget in budgets:
            game = Game(_MENU, accounting(_MENU, _moment_of(2)), within(budget))
            for data, person in removals():
                others = data & ~(1 << person)
                for tree in _TREES():
                    yield _read(game, tree, data, others), "=", _read(game, tree, others, others)

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
        charge = accounting(_MENU, _moment_of(2))
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
                single = list(play(alone(game, tree, data), menu, admits))
                yield len(single), "=", len(ends)
                for one, end in zip(single, ends, strict=True):
                    yield one.p, "=", end.p
                    yield one.q, "=", end.q

    return comparisons


def moment_rows(
    accounting: Accounting = in_worst, share: Fraction = Fraction(1), late: bool = False
) -> Callable[[], Iterator[Inequality]]:
    """Every data set, person and strategy, orders 2 and 3, both directions: the moment is at most the budget."""

    def comparisons() -> Iterator[Inequality]:
        for order in (2, 3):
            budget = _budget(order)
            fits = within(budget)
            game = Game(_MENU, accounting(_MENU, _moment_of(order)), _late(fits) if late else fits)
            for ends in laws(_played(game)):
                for way in (ends, [end.swapped for end in ends]):
                    yield moment(way, order), "<=", budget * share

    return comparisons


_WEIGHTS = (Fraction(2, 5), Fraction(1, 4))
_RESPONSES = (told_if_any(0b110, _WEIGHTS[0]), told_if_any(0b011, _WEIGHTS[1]))
_GAUSSIAN_BUDGET = " + ".join(f"(2*quantile({w}))**2" for w in _WEIGHTS)


def _distance(pair: Pair) -> Fraction:
    """1 - 2w, the total variation of randomised response of weight w, which is exactly (2 quantile(w))-GDP."""
    return abs(pair.p[0] - pair.q[0])


def _fits_gaussian(distances: tuple[Fraction, ...]) -> bool:
    return _in_gaussian_budget(tuple(sorted(distance for distance in distances if distance)))


@cache
def _in_gaussian_budget(distances: tuple[Fraction, ...]) -> bool:
    # a spend whose ball overlaps the budget is admitted; this can only raise the worst case
    spend = " + ".join(f"(2*quantile({(1 - distance) / 2}))**2" for distance in distances) or "0"
    with ctx.workprec(128):
        return not compile_formula(f"{spend} - ({_GAUSSIAN_BUDGET})")({}) > 0


def gaussian_formulas(
    accounting: Accounting = in_worst, share: str = "1", late: bool = False
) -> Callable[[], Iterator[str]]:
    """A formula for each order g: `share` times delta_B(log g), less the largest H_g of all games."""

    def formulas() -> Iterator[str]:
        fits = _late(_fits_gaussian) if late else _fits_gaussian
        game = Game(_RESPONSES, accounting(_RESPONSES, _distance), fits)
        games = [way for ends in laws(_played(game)) for way in (ends, [end.swapped for end in ends])]
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
        size = max(_largest(2))

        def level(charges: tuple[Fraction, ...]) -> int:
            at, spent = first, Fraction(1)
            for charge in charges:
                spent *= charge
                if spent > size:
                    at, spent = at + 1, Fraction(1) if forgets else charge
            return at

        for accounting in (in_worst, now):
            charge = accounting(_MENU, _moment_of(2))
            for data, person in removals():
                costs = [charge(k, person, data) for k in range(len(_MENU))]

                @cache
                def admits(
                    released: tuple[int, ...], request: int, costs: tuple[Fraction, ...] = tuple(costs)
                ) -> bool:
                    return level(tuple(costs[k] for k in (*released, request))) <= most

                menu = [mechanism.removal(data, person) for mechanism in _MENU]
                for ends in laws(list(play(tree, menu, admits)) for tree in _TREES()):
                    for way in (ends, [end.swapped for end in ends]):
                        yield moment(way, 2), "<=", size**most

    return comparisons
