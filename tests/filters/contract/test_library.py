"""What an instance holds is seen, whatever its class says of itself."""

import copy
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filters.contract.library import (
    attributes,
    made_of_the_library,
    of_the_library,
    settled,
    told_apart,
)
from theory.pairs.base import KOVForm


class Likeness(type):
    """Classes that claim to be one of the library's."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(fp.Holds)


class PosingAsFloat(Likeness):
    """The same, and a set of plain classes would find one of these in it."""

    def __hash__(cls) -> int:
        return hash(float)


class Posing(metaclass=PosingAsFloat):
    pass


class Hidden(metaclass=Likeness):
    __slots__ = ("secret",)

    def __init__(self) -> None:
        self.secret = 3


def test_a_class_that_claims_to_equal_another_hides_no_slot() -> None:
    assert attributes(fp.Holds(zcdp=0.02))["zcdp"] == 0.02
    assert attributes(Hidden()) == {"secret": 3}
    assert attributes(fp.Holds(zcdp=0.03))["zcdp"] == 0.03


def test_the_slots_of_a_base_that_was_exchanged_are_seen() -> None:
    class Before:
        __slots__ = ("first",)

    class After:
        __slots__ = ("first",)

    class Held(Before):
        __slots__ = ()

    thing: Any = Held()
    thing.first = 1
    assert attributes(thing) == {"first": 1}
    Held.__bases__ = (After,)  # whose slots read no object of the other
    assert attributes(thing) == {"first": 1}


def test_a_class_that_claims_to_equal_a_plain_one_is_no_part_of_a_filter_of_the_library() -> None:
    filt = fp.GaussianFilter(mu=1.0)
    assert made_of_the_library(filt)
    object.__setattr__(filt, "budget", Posing())
    assert not made_of_the_library(filt)
    assert not settled(Posing())
    assert not settled([1])  # which may be changed
    assert told_apart(Posing()) != told_apart(0.5)
    odd = Fraction(2)
    odd._numerator = type("Small", (int,), {})(2)  # type: ignore[attr-defined]
    assert told_apart(odd) != told_apart(Fraction(2))


def test_what_left_its_module_is_the_library_s_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert of_the_library(fp.GaussianFilter)
    monkeypatch.delattr("filters.rules.one_sum.GaussianFilter")
    assert not of_the_library(fp.GaussianFilter)


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (0.0, -0.0),
        (1, True),
        (1.0, np.float64(1.0)),
        ((1.0, 2.0), (1.0,)),
        ((1.0, 2.0), (2.0, 1.0)),
        (np.zeros(3), np.zeros(3, dtype=np.int64)),
        (np.zeros((2, 1)), np.zeros((1, 2))),
        (fp.GaussianFilter(1.0), fp.ZCDPFilter(1.0)),
        (fp.GaussianFilter(1.0), fp.GaussianFilter(math.nextafter(1.0, 2.0))),
        (fp.LossChasing(), fp.LossAvoiding()),
        (fp.Gaussian, fp.Laplace),
        (KOVForm(1.0, 0.25, None, None), KOVForm(2.0, 0.25, None, None)),
    ],
)
def test_settled_values_that_differ_in_a_bit_or_a_class_are_told_apart(value: object, other: object) -> None:
    assert settled(value)
    assert settled(other)
    assert told_apart(value) == told_apart(copy.deepcopy(value))
    assert told_apart(value) != told_apart(other)


def test_a_filter_whose_budget_was_exchanged_is_told_apart() -> None:
    filt, other = fp.GaussianFilter(mu=1.0), fp.GaussianFilter(mu=1.0)
    object.__setattr__(other, "budget", fp.Budget.of(2.0))
    assert filt == other
    assert told_apart(filt) != told_apart(other)


def test_a_class_under_the_name_of_another_is_not_the_librarys() -> None:
    named = {name: getattr(fp.GaussianFilter, name) for name in ("__module__", "__qualname__")}
    same = type("GaussianFilter", (fp.GaussianFilter,), {**named, "__slots__": ()})
    assert of_the_library(fp.GaussianFilter)
    assert not of_the_library(same)
