"""A session is restored under the filter that was saved: the same class with the same parameters, bit for bit."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.contract.identity import FilterIdentity
from filterproof.theory.guarantees import ZCDP
from filterproof.theory.pairs import Gaussian
from tests.filters.accountants.saved_session import KEY, reread


class Mine(fp.PrivacyFilter):
    """A user's filter with whatever parameter."""

    promise = ZCDP(0.5)

    def __init__(self, limit: Any) -> None:
        self.limit = limit

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        return state + np.asarray(request.zcdp_rho) <= 0.5

    def spend(self, state: Any, request: Any) -> Any:
        return state + np.asarray(request.zcdp_rho)


def table(place: int, value: float) -> Any:
    """The limits of a year, of which NumPy's repr shows the first and the last three."""
    limits = np.full(8760, 0.5)
    limits[place] = value
    return limits


class Held:
    """An object of the user's, which claims to be any and describes itself as all."""

    def __init__(self, most: float) -> None:
        self.most = most

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "Held"


class WithCache(Held):
    """The same with what it remembers, which it says is no part of it."""

    remembered = 0

    def __getstate__(self) -> object:
        return self.most


@dataclass(frozen=True)
class Follows:
    """A value with a field that follows from another."""

    most: float
    twice: float = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.most)


def limit_within(most: float) -> Callable[[float], bool]:
    return lambda spent: spent <= most


def with_constant(limit: float) -> fp.PrivacyFilter:
    """A filter of one class, whose constant is another in another version of the code."""
    kind = type("WithConstant", (Mine,), {"most": limit})
    filt: fp.PrivacyFilter = kind(None)
    return filt


#: Two parameters that are not the same, and the first of them made again.
OTHERS: dict[str, tuple[Any, Any, Any]] = {
    "the last bit": (0.1 + 0.2, 0.3, 0.1 + 0.2),
    "the sign of zero": (0.0, -0.0, 0.0),
    "the middle of an array": (table(4000, 0.5), table(4000, 50.0), table(4000, 0.5)),
    "a list that is there twice": ([[0.5]] * 2, [[0.5], [50.0]], [[0.5], [0.5]]),
    "a dict": ({"a": 0.5, "b": 1}, {"a": 50.0, "b": 1}, {"b": 1, "a": 0.5}),
    "an object": (Held(0.5), Held(50.0), Held(0.5)),
    "an object that remembers": (WithCache(0.5), WithCache(50.0), WithCache(0.5)),
    "a field": (Follows(0.5), Follows(50.0), Follows(0.5)),
    "a lambda": (lambda s: s <= 0.5, lambda s: s <= 50, lambda s: s <= 0.5),
    "what a function closes over": (limit_within(0.5), limit_within(50.0), limit_within(0.5)),
    "a filter": (fp.ZCDPFilter(0.5), fp.ZCDPFilter(50.0), fp.ZCDPFilter(0.5)),
    "a filter with a constant": tuple(map(with_constant, (0.5, 50.0, 0.5))),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_session_is_restored_under_the_parameters_that_were_saved_and_under_no_others(name: str) -> None:
    first, other, again = OTHERS[name]
    session, people = Mine(first).open("retry"), fp.IndividualFilter(Mine(first), people=2)
    assert session.request(Gaussian(0.9))
    assert people.select(Gaussian(0.9)).all()
    saved, everyone = reread(session.to_dict(key=KEY)), reread(people.to_dict())
    assert fp.Session.from_dict(saved, Mine(again), "retry", key=KEY).to_dict() == saved
    assert fp.IndividualFilter.from_dict(everyone, Mine(again)).to_dict() == everyone
    for restore in (
        lambda: fp.Session.from_dict(saved, Mine(other), "retry", key=KEY),
        lambda: fp.IndividualFilter.from_dict(everyone, Mine(other)),
    ):
        with pytest.raises(
            ValueError, match=r"filt must be the filter that was saved.*, which differ in limit;"
        ):
            restore()


def test_every_filter_of_the_catalogue_is_restored_and_none_with_a_larger_budget() -> None:
    for name, entry in CATALOGUE.items():
        saved = reread(entry.example().open("retry").to_dict())
        assert fp.Session.from_dict(saved, entry.example(), "retry").to_dict() == saved, name
        with pytest.raises(ValueError, match=r"which differ in promise"):
            fp.Session.from_dict(saved, entry.larger(), "retry")


def test_a_filter_is_the_same_after_it_has_decided() -> None:
    class Remembers(Mine):
        @functools.cached_property
        def twice(self) -> float:
            return 2.0 * self.limit

        def admits(self, state: Any, request: Any) -> Any:
            return state + np.asarray(request.zcdp_rho) <= self.twice

    for filt in (*(entry.example() for entry in CATALOGUE.values()), Remembers(0.5)):
        before, session = FilterIdentity.of(filt), filt.open("retry")
        session.request(Gaussian(0.1))
        assert FilterIdentity.of(filt).parameters == before.parameters


# -- constants of classes ------------------------------------------------------------------------------


def filter_with(**constants: Any) -> Any:
    """A filter of a class with these constants."""
    return type("Const", (Mine,), {"limit": 0.5, "__init__": lambda self: None, **constants})()


def test_words_functions_and_what_a_class_remembers_are_no_parameters() -> None:
    filt = filter_with(proof="mine", _cache={}, helps=staticmethod(len))
    session = filt.open("retry")
    saved = session.to_dict()
    kind: Any = type(filt)
    kind.proof, kind._cache["x"], kind.helps = "yours", 1, staticmethod(max)
    assert session.request(Gaussian(0.1))
    assert fp.Session.from_dict(saved, filt, "retry").request(Gaussian(0.1))
