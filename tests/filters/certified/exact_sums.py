"""The arithmetic below every budget, held against fractions: charges, budgets, roundings that have a direction."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Mixed, Plain, Square
from filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.accounting.declared import proper, unvanished
from filters.accounting.ledger import Budget, is_sum
from filters.certified.decisions import is_refused
from filters.certified.running_number import Claims, RunningNumber
from filters.certified.two_doubles import both, sum_of
from filters.contract.state import copied
from theory.numerics.error_free import Exact, add_up, quotient_beyond, round_up, square, two_product, two_sum
from theory.pairs import Laplace, RandomizedResponse
from theory.rounding import away_from_zero

_CLAIMS = Claims("exact sums")
#: Doubles of many bits, of few, and of very different sizes.
_DOUBLES = (0.1, 1 / 3, 1.0, 2.0**-30, 1e-9, 0.7071067811865476, 12345.678, 1 + 2.0**-52, 3e-17, 1e9)
#: What two doubles may lack of a sum of numbers from zero up, and one addition, by which a sum is rounded up.
_LOST, _ADDED = Fraction(1, 2**100), 2.0**-90
#: Charges, and what they are.
_CHARGES: tuple[tuple[Charge, Fraction], ...] = (
    *(
        (Square(x, scale), Fraction(scale) * Fraction(x) ** 2)
        for x, scale in ((0.1, 1.0), (1 / 3, 0.5), (1e-7, 4.1))
    ),
    *((Plain(x), Fraction(x)) for x in (0.07, 1e-9)),
    (Square(0.9999999999999999), Fraction(0.9999999999999999) ** 2),
)


def exact_sums() -> Iterator[RunningNumber]:
    """Sums without error, ledgers, charges, directed roundings, budgets, what sums bound, and the ways of adding up."""
    yield from _parts()
    yield from _ledgers()
    yield from _charges()
    yield from _declared()
    yield from _directed()
    yield from _budgets()
    yield from _ways()
    yield from _bounds()


def _parts() -> Iterator[RunningNumber]:
    """Sums and products of two doubles lose nothing, or are rounded up; limits compare sums part by part."""
    for a, b in product(_DOUBLES, repeat=2):
        x, y, tiny = Fraction(a), Fraction(b), b * 2.0**-55
        yield _CLAIMS.equal(f"two_sum({a!r}, {b!r})", both(two_sum(a, b)), x + y)
        yield _CLAIMS.equal(f"two_product({a!r}, {b!r})", both(two_product(a, b)), x * y)
        says = f"round_up({b!r}, {tiny!r})"
        yield _CLAIMS.at_least(says, float(round_up(b, tiny)), y + Fraction(tiny), slack=2.0**-50)
        sums, exact = add_up(square(a), two_product(b, 1 / 3)), x**2 + y * Fraction(1 / 3)
        yield _CLAIMS.at_least(f"add_up of {a!r}^2 and {b!r}/3", both(sums), exact, slack=2.0**-100)
        rest = add_up((a, a * 2.0**-54), (b, -tiny))
        exact = x + Fraction(a * 2.0**-54) + y - Fraction(tiny)
        yield _CLAIMS.at_least(f"add_up of {a!r} and {b!r}", both(rest), exact, slack=2.0**-100)
        says = f"add_up of {a!r}^2 and {b!r}/3: whether high is the double next to high + low"
        yield _CLAIMS.equal(says, int(bool(is_sum(sums))), 1)


def _ledgers() -> Iterator[RunningNumber]:
    """Ledgers after many charges: never below the exact sum, and hardly above it."""
    for runs in (1, 3):
        budget = Budget.of(1e3)
        state, exact = budget.start(runs), Fraction(0)
        for round_ in range(1, 41):
            for charge, due in _CHARGES:
                state, exact = budget.add(state, charge), exact + due
            if round_ in (1, 7, 40):
                says = f"a ledger of {runs} after {round_} rounds of six charges"
                yield _CLAIMS.at_least(says, sum_of(budget, state, runs - 1), exact, slack=_ADDED)
                left, value = (float(of(state)[-1]) for of in (budget.left, budget.value))
                yield _CLAIMS.at_most(f"{says}: what is left", left, 1000 - exact, slack=2.0**-46)
                yield _CLAIMS.near(f"{says}: its value", value, exact, slack=2.0**-50)
    budget, many = Budget.of(1.0), Plain(np.full(5, 0.1))
    state = copied(budget.start(5))
    took = [int(np.count_nonzero(budget.charge(state, many))) for _ in range(10)]
    yield _CLAIMS.near("how many of five take 0.1 for the tenth time within 1.0", took[-1], 0)


def _charges() -> Iterator[RunningNumber]:
    for x in (*_DOUBLES, 0.0):
        for root in (1.0, 2.0**20, 2.0**-20):
            unit = Fraction(root) ** 2
            says = f"at {x!r} in units of {1 / root!r}^2"
            yield _CLAIMS.equal(f"Plain {says}", both(Plain(x).exact(root)), Fraction(x) * unit)
            for scale in (1.0, 0.5, 4.0, 0.3, 1.55):
                value, truth = both(Square(x, scale).exact(root)), Fraction(scale) * Fraction(x) ** 2 * unit
                yield _CLAIMS.at_least(f"Square, scale {scale!r}, {says}", value, truth, slack=_LOST)
    tiny: tuple[tuple[Charge, float, Fraction], ...] = (
        (Plain(1e-300), 2.0**-200, Fraction(1e-300)),
        (Plain(np.array([1e-300])), 2.0**-200, Fraction(1e-300)),
        (Square(1e-200), 1.0, Fraction(1e-200) ** 2),
        (Square(np.array([1e-200]), 0.3), 1.0, Fraction(0.3) * Fraction(1e-200) ** 2),
    )
    for charge, root, truth in tiny:
        says, due = f"{charge!r} in units of {1 / root!r}^2", truth * Fraction(root) ** 2
        yield _CLAIMS.at_least(says, both(charge.exact(root)), due, slack=None)
    for declared in (Fraction(1, 10), Fraction(2, 3), Fraction(10**20 + 1)):  # no doubles
        yield _CLAIMS.at_least(f"the charge {declared}", float(Plain(declared).x), declared, slack=2.0**-51)  # type: ignore[arg-type]
    for scale, may in ((2.0**-8, 1), (2.0**-9, 0), (2.0**-100, 0), (math.inf, 0)):
        made = not is_refused(partial(Square, 1.0, scale))
        yield _CLAIMS.equal(f"whether a square may have the scale {scale!r}", made, may)
    own = _Own(2.0)
    for name, charge, truth in (
        ("zcdp_charge", zcdp_charge(own), Fraction(1, 8)),
        ("pure_charge", pure_charge(own), Fraction(1, 2)),
        ("gdp_charge", gdp_charge(own), Fraction(float(own.gdp_mu)) ** 2),
        ("renyi_charge", renyi_charge(own, 3.0), Fraction(float(own.renyi(3.0)))),
    ):
        says = f"{name} of a pair of one's own, as it declares it"
        yield _CLAIMS.at_least(says, both(charge.exact(1.0)), truth, slack=2.0**-45)
    wide: Any = np.array([2**53 + 1], dtype=np.int64)
    yield _CLAIMS.at_least("Plain of the integer 2^53 + 1", both(Plain(wide).exact(1.0)), 2**53 + 1)
    yield _CLAIMS.at_least("Square of the integer 2^53 + 1", both(Square(wide).exact(1.0)), (2**53 + 1) ** 2)
    mixed = Mixed((Plain(0.25), Square(0.1)), np.array([1, 0])).exact(1.0)
    for run, truth in enumerate((Fraction(0.1) ** 2, Fraction(1, 4))):
        yield _CLAIMS.equal(f"Mixed: run {run}", both(mixed, run), truth)


class _Own(Laplace):
    """A pair that is none of the library's."""

    __slots__ = ()


def _declared() -> Iterator[RunningNumber]:
    """What no mechanism has counts as infinite, one number or one of many; what is positive is never nothing."""
    tiny = RandomizedResponse(1e-200)
    for word, read in (("proper", proper), ("unvanished", partial(unvanished, request=tiny))):
        for bad in (-1e-9, -0.5, -math.inf, math.nan):
            yield _CLAIMS.infinite(f"{word}({bad!r})", float(read(bad)))
            many = np.asarray(read(np.array([0.25, bad])))
            yield _CLAIMS.infinite(f"{word} of an array with {bad!r}", float(many[1]))
            yield _CLAIMS.equal(f"{word} of 0.25 beside {bad!r}", float(many[0]), 0.25)
    least, truth = float(unvanished(0.0, tiny)), Fraction(1e-200) ** 2 / 2
    beside = np.asarray(unvanished(np.array([0.25, 0.0]), tiny))
    yield _CLAIMS.at_least("unvanished(0.0) beside 0.25", float(beside[1]), truth, slack=None)
    yield _CLAIMS.at_least("unvanished(0.0) for a pair that reveals something", least, truth, slack=None)


def _directed() -> Iterator[RunningNumber]:
    numbers: tuple[Any, ...] = (Fraction(1, 3), Fraction(2, 3), Fraction(1, 10))
    for x in (*numbers, 2**53 + 1, 2**54 + 3, np.int64(2**53 + 1)):
        truth = Fraction(int(x)) if isinstance(x, np.integer) else Fraction(x)
        yield _CLAIMS.at_least(f"away_from_zero({x!r})", away_from_zero(x), truth, slack=2.0**-52)
        yield _CLAIMS.at_least(
            f"away_from_zero(-{x!r}), from zero", -away_from_zero(-x), truth, slack=2.0**-52
        )
        yield _CLAIMS.at_most(f"Budget.of({x!r})", Budget.of(x).limit, truth, slack=2.0**-52)
    for y in (3.0, 0.7, 1e9 + 1, 49.0):
        for x, quotient in zip(_DOUBLES, quotient_beyond(np.array(_DOUBLES), y), strict=True):
            says, truth = f"quotient_beyond({x!r}, {y!r})", Fraction(x) / Fraction(y)
            yield _CLAIMS.at_least(says, float(quotient), truth, slack=None)
            before = math.nextafter(quotient, 0.0)
            yield _CLAIMS.at_most(f"{says}: the double before it", before, truth, slack=None)


def _budgets() -> Iterator[RunningNumber]:
    for x in (*_DOUBLES, 1e-300, 1e-150, 1e-140, 1e18, 1e150):
        for name, budget, truth in (
            (f"Budget.of({x!r})", Budget.of(x), Fraction(x)),
            (f"Budget.square_of({x!r})", Budget.square_of(x), Fraction(x) ** 2),
        ):
            unit = Fraction(4) ** budget.exponent
            whole = Fraction(budget.high) + Fraction(budget.low)
            yield _CLAIMS.at_most(name, whole * unit, truth, slack=0)
            yield _CLAIMS.at_most(f"{name}: the last double within it", budget.last, whole, slack=2.0**-51)
            if not 1e-250 < x < 1e100:
                continue
            root = x if name.startswith("Budget.square") else math.sqrt(x)
            for share in (
                1 / 7,
                1 - 2.0**-40,
            ):  # little is left of a sum in two doubles: the second one counts
                state = budget.add(budget.start(1), Square(root * share))
                value, left = float(budget.left(state)[0]), truth - both(state) * unit
                says = f"{name}: what is left after the square of {root * share!r}"
                yield _CLAIMS.at_most(says, value, left, slack=2.0**-49, least=2.0**-1072)
            yield from _boundary(name, budget)
    nothing = Budget.of(0.0)
    granted = [bool(nothing.fits(nothing.start(1), Plain(x))[0]) for x in (0.0, 1e-300)]
    says = "Budget.of(0): of a charge of nothing and one of little, how many fit"
    yield _CLAIMS.equal(says, sum(granted), 1)
    yield _CLAIMS.equal("Budget.of(0): whether nothing fits", int(granted[0]), 1)
    one = Budget.of(1.0)
    for bad in (-1e-9, math.nan, math.inf):
        for charge, count in ((Plain(bad), 1), (Plain(bad), 40), (Plain(np.full(40, bad)), 40)):
            state = one.start(count)
            steps = one.step(state, charge)[0], one.general_step(state, charge)[0]
            fitting = sum(map(np.count_nonzero, (*steps, one.charge(copied(state), charge))))
            yield _CLAIMS.equal(f"Budget.of(1.0): how often {bad!r} fits, {count} runs", fitting, 0)


def _boundary(name: str, budget: Budget) -> Iterator[RunningNumber]:
    """Sums in units of the budget around it: the budget itself is covered, and what is more by any bit is not."""
    top, low, least = budget.high, budget.low, math.ulp(budget.high) * 2.0**-53
    sums = [(top, low, 1), (top, low + least, 0), (top, low - least, 1)]
    sums += [(math.nextafter(top, 9.0), 0.0, 0), (math.nextafter(top, 0.0), 0.0, 1)]
    for high, rest, truth in sums:
        covered = int(budget.covers((np.array([high]), np.array([rest])))[0])
        yield _CLAIMS.equal(f"{name}: whether it covers {high!r} + {rest!r}", covered, truth)


def _ways() -> Iterator[RunningNumber]:
    """One run, few and many, all alike or not, in place or not: added up differently, and never to other bits."""
    for kind, scale in (("squares", 0.5), ("squares", 1.0), ("numbers", 0.3), ("squares", 0.3)):
        for count in (1, 7, 40, 3000):
            budget = Budget.of(1.0)
            x = np.resize(np.array([0.1, 0.07, 1 / 3, 0.25, 0.01]), count)
            general = quick = budget.start(count)
            placed = copied(general)
            for each in (x, x[::-1], 0.3, x, 0.1):
                charge = Square(each, scale) if kind == "squares" else Plain(each)
                fits, after = budget.general_step(general, charge)
                general = _taken(fits, after, general)
                some, soon = budget.step(quick, charge)
                quick = _taken(some, soon, quick)
                budget.charge(placed, charge)
            wrong = sum(int(np.count_nonzero(np.not_equal(general, way))) for way in (quick, placed))
            yield _CLAIMS.equal(f"{count} runs of {kind}, scale {scale!r}: sums with other bits", wrong, 0)


def _taken(fits: NDArray[np.bool_], after: Exact, before: Exact) -> Exact:
    return np.where(fits, after[0], before[0]), np.where(fits, after[1], before[1])


def _bounds() -> Iterator[RunningNumber]:
    """What a sum of charges bounds, as each rule says it: never less than the sum."""
    for total in (0.1, 0.3, 0.5, 1 / 3, 2.0, 3.0, 5.0, 7.0, 1e-9):
        x = Fraction(total)
        rules = gdp_charge, zcdp_charge, pure_charge, renyi_charge.at(3.0)
        gaussian, concentrated, pure, renyi = (cast("Any", rule.bounds(total)) for rule in rules)
        square, rdp = Fraction(gaussian.mu) ** 2, Claims("RDP filter")
        yield Claims("GDP filter").at_least(f"gdp_charge.bounds({total!r}): mu^2", square, x, slack=2.0**-51)
        yield rdp.at_least(f"zcdp_charge.bounds({total!r}): rho", concentrated.rho, x, slack=0)
        yield Claims("basic composition").at_least(f"pure_charge.bounds({total!r})", pure.epsilon, x, slack=0)
        yield rdp.at_least(f"renyi_charge.at(3.0).bounds({total!r}): rho", renyi.rho, x, slack=0)
        yield rdp.at_most(f"renyi_charge.at(3.0).bounds({total!r}): the order", renyi.alpha, 3, slack=0)
