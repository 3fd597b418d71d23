"""What a pair was made with is what it stays: its arrays are its own, and nothing above zero becomes zero."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    PairPerRun,
    RandomizedResponse,
    example_pairs,
)

#: Far below the least double.
TINY = Fraction(1, 10**400)


def _with(pair: DominatingPair, name: str) -> Callable[[Any], DominatingPair]:
    return lambda x: replace(pair, **{name: x})  # type: ignore[type-var]


#: Each number that a pair is made of, by name: how to make the pair with another, its field, and one that singles hold.
ONES = {
    f"{type(pair).__name__} {field.name}": (_with(pair, field.name), field.name, float(np.float32(value)))
    for pair in {type(pair): pair for pair in example_pairs()}.values()
    for field in fields(pair)  # type: ignore[arg-type]
    if field.init and isinstance(value := getattr(pair, field.name), float)
}


@pytest.mark.parametrize("name", ONES)
def test_the_arrays_of_a_pair_are_its_own_and_read_only(name: str) -> None:
    make, field, value = ONES[name]
    frozen = np.full(4, value)
    frozen.flags.writeable = False
    for base in (
        np.full(4, value),
        np.full((4, 2), value)[:, 0],
        np.full(4, value).astype(np.float32),
        frozen,
    ):
        pair = make(base)
        base.flags.writeable = True  # what was read-only when it was given may be changed later as well
        base[:] = math.nan
        assert np.array_equal(getattr(pair, field), np.full(4, value))
    for selected in (pair, pair.take(np.array([0, 2])), pair.take(np.array([True, False, True, True]))):
        with pytest.raises(ValueError, match="read-only"):
            getattr(selected, field)[0] = math.nan


def test_who_picked_what_is_read_only_too() -> None:
    index = np.array([0, 1, 1])
    pair = PairPerRun((RandomizedResponse(0.125), RandomizedResponse(0.5)), index)
    index[:] = 0
    assert pair.index.tolist() == [0, 1, 1]
    for selected in (pair, pair.take(np.array([1, 2])), pair.swapped):
        with pytest.raises(ValueError, match="read-only"):
            selected.index[0] = 0


# -- nothing above zero becomes zero ---------------------------------------------------------------------------


def test_a_mass_below_the_doubles_counts_for_at_least_what_it_is() -> None:
    # E_P[e^L] = sum p^2/q: one of the ratios is 10^400, and its mass in P is 10^-330
    small, smaller = Fraction(1, 10**330), Fraction(1, 10**730)
    pair = FinitePair((small, 1 - small), (smaller, 1 - smaller))
    exact = small**2 / smaller + (1 - small) ** 2 / (1 - smaller)
    assert pair.renyi(2.0) >= math.log(exact.numerator) - math.log(exact.denominator) - 1e-9


REVEALS = FinitePair((1 - TINY, TINY), (Fraction(1), Fraction(0)))
#: A mass or a chance that tells P from Q for certain, and whether it is one of P.
CERTAIN: list[tuple[Callable[[], DominatingPair], bool]] = [
    (lambda: REVEALS, True),
    (lambda: REVEALS.swapped, False),
    (lambda: Erasure(TINY), True),
    (lambda: Erasure(5e-324, exact=TINY), True),
    (lambda: KOV(0.5, TINY), True),
    (lambda: KOV.from_ratio(Fraction(3, 2), TINY), True),
]


@pytest.mark.parametrize(("make", "under_p"), CERTAIN)
def test_a_mass_below_the_doubles_is_no_mass_of_zero(
    make: Callable[[], DominatingPair], under_p: bool
) -> None:
    pair = make()
    assert (pair.pure_epsilon, pair.zcdp_rho, pair.gdp_mu) == (math.inf,) * 3
    assert bool(pair.infinite_mass > 0) is bool(pair.renyi(2.0) == math.inf) is under_p


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomizedResponse(TINY),
        lambda: RandomizedResponse.from_ratio(1 + TINY),
        lambda: KOV.from_ratio(1 + TINY, 0),
        lambda: FinitePair(((1 + TINY) / 2, (1 - TINY) / 2), (Fraction(1, 2), Fraction(1, 2))),
    ],
)
def test_a_loss_below_the_doubles_is_no_loss_of_zero(make: Callable[[], Any]) -> None:
    assert make().pure_epsilon > 0
