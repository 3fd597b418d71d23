"""A session is restored under the filter that was saved: the same class with the same parameters, bit for bit."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.filters.adapters.labelled_filter import LabelledFilter
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.contract.identity import FilterIdentity
from filterproof.filters.contract.library import adds_no_code
from filterproof.theory.guarantees import ZCDP
from filterproof.theory.pairs import DominatingPair, Gaussian
from tests.filters.accountants.saved_session import KEY, reread
from tests.filters.own import Adding, of


class Mine(Adding):
    """A user's filter with whatever parameter."""

    promise, most = ZCDP(0.5), 0.5

    def __init__(self, limit: Any) -> None:
        self.limit = limit

    def cost(self, request: DominatingPair) -> Any:
        return np.asarray(request.zcdp_rho)


def table(value: float) -> Any:
    """The limits of a year, of which NumPy's repr shows the first and the last three."""
    limits = np.full(8760, 0.5)
    limits[4000] = value
    return limits


class Held:
    """An object of the user's, which claims to be any, describes itself as all and leaves out what it remembers."""

    remembered = 0

    def __init__(self, most: float) -> None:
        self.most = most

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "Held"

    def __getstate__(self) -> object:
        return self.most


def limit_within(most: float) -> Callable[[float], bool]:
    return lambda spent: spent <= most


def with_constant(limit: float) -> fp.PrivacyFilter:
    """A filter of one class, whose constant is another in another version of the code."""
    kind = type("WithConstant", (Mine,), {"ceiling": limit})
    filt: fp.PrivacyFilter = kind(None)
    return filt


#: Two parameters that are not the same, and the first of them made again; `test_content` tells more kinds apart.
OTHERS: dict[str, tuple[Any, Any, Any]] = {
    "the last bit": (0.1 + 0.2, 0.3, 0.1 + 0.2),
    "the middle of an array": tuple(map(table, (0.5, 50.0, 0.5))),
    "a list that is there twice": ([[0.5]] * 2, [[0.5], [50.0]], [[0.5], [0.5]]),
    "a dict": ({"a": 0.5, "b": 1}, {"a": 50.0, "b": 1}, {"b": 1, "a": 0.5}),
    "an object": tuple(map(Held, (0.5, 50.0, 0.5))),
    "a lambda": (lambda s: s <= 0.5, lambda s: s <= 50, lambda s: s <= 0.5),
    "what a function closes over": tuple(map(limit_within, (0.5, 50.0, 0.5))),
    "a filter": tuple(map(fp.ZCDPFilter, (0.5, 50.0, 0.5))),
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
        with pytest.raises(ValueError, match="which differ in limit;"):
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


@pytest.mark.parametrize(
    ("filt", "expected"),
    [
        (fp.GaussianFilter(1.0), True),
        (of(fp.AdditiveFilter, promise=ZCDP(0.5), charge=fp.zcdp_charge)(), True),
        (of(fp.ZCDPFilter, spend=lambda filt, state, request: state)(0.5), False),
        (of(fp.AdditiveFilter, promise=ZCDP(0.5), budget=Held(0.5))(), False),
        (LabelledFilter(Adding(), labels={"site": ("a",)}, over={"site": "a"}), False),
    ],
    ids=repr,
)
def test_code_of_a_user_is_seen_in_a_class_and_in_its_parts(filt: fp.PrivacyFilter, expected: bool) -> None:
    assert adds_no_code(filt) is expected


def test_words_functions_and_what_a_class_remembers_are_no_parameters() -> None:
    kind: Any = type("Const", (Mine,), {"proof": "mine", "_cache": {}, "helps": staticmethod(len)})
    session = kind(0.5).open("retry")
    saved = session.to_dict()
    kind.proof, kind._cache["x"], kind.helps = "yours", 1, staticmethod(max)
    assert session.request(Gaussian(0.1))
    assert fp.Session.from_dict(saved, kind(0.5), "retry").request(Gaussian(0.1))
