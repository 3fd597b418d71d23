"""Honest mistakes in a filter of one's own: whatever holds it grants no more for them, and says what to mend."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.theory.guarantees import ApproxDP, PureDP
from filterproof.theory.pairs import DominatingPair, Gaussian, RandomizedResponse
from tests.filters.own import Adding, of


def grants(filt: Any, *sizes: float, people: int = 0) -> list[bool]:
    """Whether randomised responses of these sizes are granted, by a session or to people."""
    ask = fp.IndividualFilter(filt, people).select if people else filt.open("retry").request
    return [bool(np.all(ask(RandomizedResponse(epsilon)))) for epsilon in sizes]


def in_place(method: str) -> Any:
    """A filter one of whose methods adds into the state that it is given."""

    def writes(self: Any, state: Any, request: DominatingPair) -> Any:
        state += request.pure_epsilon
        return state <= 1.0 if method == "admits" else state

    return of(Adding, **{method: writes})()


@pytest.mark.parametrize("people", [0, 1, 3])
@pytest.mark.parametrize("method", ["admits", "spend"])
def test_a_write_into_the_state_is_refused_and_charges_nothing(method: str, people: int) -> None:
    filt = in_place(method)
    accountant = fp.IndividualFilter(filt, people) if people else filt.open("retry")
    before = accountant.to_dict()
    with pytest.raises(TypeError, match=rf"Own\.{method} writes into the state that it receives"):
        getattr(accountant, "select" if people else "request")(RandomizedResponse(0.5))
    assert accountant.to_dict() == before


class Listed(Adding):
    """Keeps what was spent in a list in the state, and appends to it."""

    def start(self, n: int) -> Any:
        state = np.empty(n, dtype=object)
        state[:] = [[] for _ in range(n)]
        return state

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return np.array([sum(spent) <= 1.0 for spent in self.spend(state, request)])

    def spend(self, state: Any, request: DominatingPair) -> Any:
        for spent in state:
            spent.append(self.cost(request))
        return state


class Scratch(Adding):
    """Has one buffer that every method writes into."""

    def start(self, n: int) -> Any:
        self.buffer = np.zeros(n)
        return self.buffer

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return self.spend(state, request) <= 1

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return np.add(state, self.cost(request), out=self.buffer)


@pytest.mark.parametrize("people", [0, 1])
@pytest.mark.parametrize("kind", [Scratch, Listed])
def test_a_buffer_that_is_used_again_charges_what_was_granted_and_nothing_else(
    kind: Any, people: int
) -> None:
    assert grants(kind(), 0.75, 0.5, 0.5, 0.25, 0.25, people=people) == [True, False, False, True, False]


@dataclass
class Limit:
    """A budget of one's own that may be changed."""

    most: float
    table: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Limit)  # as rows of one table are


class Limited(Adding):
    """Reads its limit from wherever it is kept."""

    CEILING = 1.0

    def __init__(self, limit: Any = 1.0) -> None:
        self.limit, self.budget = limit, Limit(1.0, np.ones(2))


def renamed(name: str, value: Any) -> Callable[[Any], None]:
    return lambda filt: setattr(filt, name, value)


#: How a limit is made larger, what the constructor was given, and what is named.
CHANGES: dict[str, tuple[Any, Callable[[Any], object], str]] = {
    "a promise": (1.0, renamed("promise", ApproxDP(9.0, 1e-5)), "promise"),
    "a budget": (1.0, renamed("budget", fp.Budget.of(9.0)), "budget"),
    "what equals any of its kind": (1.0, lambda filt: setattr(filt.budget, "most", 9.0), "budget"),
    "what the constructor was given": (1.0, renamed("limit", 9.0), "limit"),
    "an entry of a list": ([1.0], lambda filt: filt.limit.__setitem__(0, 9.0), "limit"),
    "an entry of a list in a tuple": (([1.0], 1), lambda filt: filt.limit[0].append(9.0), "limit"),
    "an entry of a dict": ({"most": 1.0}, lambda filt: filt.limit.update(most=9.0), "limit"),
    "an entry of an array in the budget": (1.0, lambda filt: filt.budget.table.fill(9.0), "budget"),
    "a constant of the class": (1.0, lambda filt: setattr(type(filt), "CEILING", 9.0), "CEILING"),
    "none in the place of a number": (None, renamed("limit", 1.0), "limit"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_limit_that_is_changed_while_it_is_held_grants_nothing_more(name: str) -> None:
    given, change, named = CHANGES[name]
    filt = type("Mine", (Limited,), {})(given)
    session, people = filt.open("retry"), fp.IndividualFilter(filt, 2)
    assert session.request(RandomizedResponse(0.1))
    assert people.select(RandomizedResponse(0.1)).all()
    saved = [accountant.to_dict() for accountant in (session, people)]
    change(filt)
    for ask in (session.request, people.select):
        with pytest.raises(TypeError, match=rf"Mine must keep its {named} while a session or an"):
            ask(RandomizedResponse(0.1))
    assert [accountant.to_dict() for accountant in (session, people)] == saved


def test_a_charge_that_is_exchanged_while_it_is_held_grants_nothing_until_it_is_back() -> None:
    filt = of(fp.AdditiveFilter, promise=PureDP(1.0), budget=fp.Budget.of(1.0), charge=fp.pure_charge)()
    session, people = filt.open("retry"), fp.IndividualFilter(filt, 2)
    filt.charge = fp.zcdp_charge
    for ask in (session.request, people.select):
        with pytest.raises(TypeError, match=r"Own must keep its charge while .*, got zcdp_charge"):
            ask(RandomizedResponse(0.9))
    del filt.charge
    assert session.request(RandomizedResponse(0.9))


def test_a_guarantee_that_each_access_makes_again_is_compared_by_value() -> None:
    filt = of(Adding, promise=property(lambda filt: ApproxDP(filt.most, 1e-5)))()
    session = filt.open("retry")
    assert session.request(RandomizedResponse(0.1))
    filt.most = 9.0
    with pytest.raises(TypeError, match=r"Own must keep its promise"):
        session.request(RandomizedResponse(0.1))


@pytest.mark.parametrize("within", [lambda array: array, lambda array: (array,)])
def test_a_write_into_an_array_that_is_the_budget_grants_nothing_more(within: Callable[[Any], Any]) -> None:
    limits = np.ones(1)
    session = of(Adding, budget=within(limits))().open("retry")
    assert session.request(RandomizedResponse(0.1))
    limits[0] = 9.0
    with pytest.raises(TypeError, match=r"Own must keep its budget"):
        session.request(RandomizedResponse(0.1))


def test_a_constructor_that_forgets_its_base_is_refused() -> None:
    forgets = of(fp.ZCDPFilter, __init__=lambda filt: object.__setattr__(filt, "promise", PureDP(1.0)))
    with pytest.raises(TypeError, match=r"Own is not initialised .*rho"):
        forgets().open()


def test_a_rule_on_the_instance_is_refused() -> None:
    filt = of(fp.ZCDPFilter)(0.5)  # whose instances have a dict
    vars(filt)["admits"] = lambda state, request: np.ones(len(state[0]), dtype=np.bool_)
    with pytest.raises(TypeError, match="has its own admits on the instance"):
        filt.open()


METHODS = [name for name, value in vars(FilterBase).items() if name[:1] != "_" and callable(value)]
ATTRIBUTES = ["looks_at_losses", "holds", "scope", "sound", "order_free"]


def redefined(name: str, value: object) -> fp.PrivacyFilter:
    return type("Lattice", (Adding,), {name: value})()


@pytest.mark.parametrize("name", METHODS + ATTRIBUTES)
def test_name_of_the_base_class_with_another_meaning_is_refused_when_opened(name: str) -> None:
    own: Any = lambda self: 1.0  # noqa: E731
    remedy = (
        "must not be a method; write @property" if name in ATTRIBUTES else r"must accept \(.*\), got \(\)"
    )
    with pytest.raises(TypeError, match=rf"^Lattice\.{name} {remedy}"):
        redefined(name, own).open()
    others = {
        1.0: r"1\.0",
        property(own): "a property",
    }
    for value, shown in others.items() if name in METHODS else ():
        if name in ("spent", "remaining"):  # natural names of a user's own numbers
            session = redefined(name, value).open()
            assert session.request(RandomizedResponse(0.5))
            assert repr(session)
            with pytest.raises(TypeError, match=f"Lattice does not say what .*; define {name}"):
                getattr(session, name)()
            continue
        with pytest.raises(TypeError, match=rf"^Lattice\.{name} must be a method, got {shown}; give"):
            redefined(name, value).open()


@pytest.mark.parametrize("name", METHODS)
def test_method_with_the_arguments_of_the_base_class_and_optional_ones_is_accepted(name: str) -> None:
    inherited = getattr(Adding, name)
    own = redefined(name, lambda self, *given, seen=None: inherited(self, *given))
    assert own.open().request(RandomizedResponse(0.5))


@pytest.mark.parametrize("filt", [fp.GaussianFilter(1.0), fp.BasicFilter(1.0), Adding()], ids=repr)
def test_a_pair_that_declares_two_numbers_for_one_request_is_no_request(filt: fp.PrivacyFilter) -> None:
    both = property(lambda self: np.array([0.1, 9.0]))
    odd = type("Odd", (Gaussian,), {"gdp_mu": both, "pure_epsilon": both})(0.1)
    session = filt.open("retry")
    before = session.to_dict()
    with pytest.raises(TypeError, match=r"must return booleans of shape \(1,\)"):
        session.request(odd)
    assert session.to_dict() == before
