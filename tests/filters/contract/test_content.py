"""Content: values are told apart by what they hold, and none of their own code has a say in it."""

import copy
import threading
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import pytest

from filterproof.filters.contract.content import content
from filterproof.filters.contract.state import run_keys, runs_equal


class Account:
    """Equal to any other, as rows of a table with one primary key are."""

    def __init__(self, left):
        self.left = left

    def __eq__(self, other):
        return isinstance(other, Account)

    def __hash__(self):
        return 7


@dataclass(frozen=True)
class Row:
    spent: float
    open: bool = field(default=False, compare=False)


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values, strict=False):
            setattr(self, name, value)


class Bag(dict):
    def __eq__(self, other):
        return True

    __hash__ = None


def objects(*values):
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


APART = [
    (Account(1.0), Account(0.5)),
    (Row(0.5), Row(0.5, True)),
    (Slotted(1), Slotted(1, 2)),
    (Bag(a=1), Bag(a=2)),
    ([1], [1.0]),
    ([0.0], [-0.0]),
    ([1], (1,)),
    ({"a": 0.1, "b": 0.2}, {"b": 0.2, "a": 0.1}),  # a sum of its values runs in this order
    (Decimal("1.0"), Decimal("1.00")),
    ([np.zeros((2, 3))], [np.zeros((2, 3), order="F")]),
    ([np.zeros(2)], [np.zeros(2, dtype=np.float32)]),
    (np.random.default_rng(1), np.random.default_rng(2)),
    (
        [Account(1.0)] * 2,
        [Account(1.0), Account(1.0)],
    ),  # what is done to one of these is not done to the other
]


@pytest.mark.parametrize(("one", "other"), APART, ids=range(len(APART)))
def test_what_differs_in_a_part_is_told_apart_and_copies_are_not(one, other):
    assert content(one) == content(copy.deepcopy(one))
    assert content(other) == content(copy.deepcopy(other))
    assert hash(content(one)) == hash(content(copy.deepcopy(one)))
    assert content(one) != content(other)
    state = objects(one, other, copy.deepcopy(one))
    first, second, third = run_keys((state, np.zeros(3)))
    assert first == third != second
    assert runs_equal(state, objects(one)).tolist() == [True, False, True]


def test_what_is_in_no_pickle_is_told_from_all_even_from_itself():
    lock = threading.Lock()
    assert content([lock]) != content([lock])
    deep = None
    for _ in range(100_000):
        deep = [deep]
    assert content(deep) != content(deep)
    assert content(lock, id) == content(lock, id)
