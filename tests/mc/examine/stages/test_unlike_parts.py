"""What differs in any way from the parts that a theorem covers is not certified."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filters.accounting.charge_rules
from filters.accounting.allowance import Allowance
from filters.accounting.ledger import Budget
from filters.catalogue import CATALOGUE
from filters.rules.additive import AdditiveFilter
from mc.examine.stages.made_of import alike
from tests.mc.examine.stages.mine import PROMISE, Mine, outcome, said_of
from theory.evidence import Outcome

pytestmark = pytest.mark.usefixtures("as_installed", "proved")


SMALL = Budget.of(0.02)


class Cheaper(filters.accounting.charge_rules.ZCDPCharge):
    __slots__ = ()

    def __call__(self, request: Any) -> Any:
        return fp.Plain(0.0)


@dataclass(frozen=True)
class Wider(Budget):
    def covers(self, sums: Any) -> Any:
        return np.ones(len(sums[0]), dtype=bool)


class MorePrivate(fp.ApproxDP):
    """A guarantee of one's own that can be changed."""


class Small(float):
    """A double that multiplies otherwise."""

    def __mul__(self, other: Any) -> Any:
        return 0.0

    __rmul__ = __mul__


def changed(part: Any, **members: Any) -> Any:
    """The part with members that its constructor would not make."""
    for name, value in members.items():
        object.__setattr__(part, name, value)
    return part


class Hides(dict[str, Any]):
    """Does not tell what it holds."""

    def items(self) -> Any:
        return ()

    def get(self, name: str, default: Any = None) -> Any:
        return default


def hiding() -> fp.PrivacyFilter:
    filt = type("Own", (Mine,), {})()
    filt.__dict__ = Hides(admits=lambda state, request: np.ones(len(state[0]), dtype=bool))
    return filt


def computing() -> fp.PrivacyFilter:
    """Computes its budget, and holds a smaller one that nobody reads."""
    filt = type("Own", (Mine,), {"budget": property(lambda self: Budget.of(9.0))})()
    vars(filt)["budget"] = SMALL
    return filt


class Smaller:
    """A base that reads otherwise."""

    def __getattribute__(self, name: str) -> Any:
        return SMALL if name == "budget" else object.__getattribute__(self, name)


def every(self: Any, state: Any, *_: Any) -> Any:
    return np.ones(len(state[0]), dtype=bool)


#: What a subclass of `Mine` says otherwise.
OTHERWISE: dict[str, dict[str, Any]] = {
    "spends nothing": {"spend": lambda self, state, request: state},
    "admits all": {"admits": every},
    "grants all": {"grant": lambda self, state, request: (every(self, state), state)},
    "starts below nothing": {"start": lambda self, n: (np.full(n, -1.0), np.zeros(n))},
    "begins anew after a loss": {"observe": lambda self, state, loss: self.start(len(loss))},
    "reaches what it does not": {"reaches": every},
    "opens another filter": {"open": lambda self, *_, **__: fp.ZCDPFilter(9.0).open("retry")},
    "charges half": {"budget": SMALL, "charge": lambda self, pair: fp.zcdp_charge(fp.Gaussian(pair.mu / 2))},
    "charges by a lambda": {"budget": SMALL, "charge": lambda self, pair: fp.zcdp_charge(pair)},
    "charges by a cheaper rule": {"charge": Cheaper()},
    "reads its budget otherwise": {
        "__getattribute__": lambda self, name: (
            SMALL if name == "budget" else object.__getattribute__(self, name)
        )
    },
    "has every attribute": {"__getattr__": lambda self, name: None},
    "computes its promise": {"promise": property(lambda self: PROMISE)},
    "computes its budget": {"budget": property(lambda self: SMALL)},
    "a budget of one's own": {"budget": Wider(1.0, 0.0, -3)},
    # its value is .02, and it covers all below 0.5
    "a budget that none makes": {"budget": changed(Budget.of(0.5), low=0.08 - 2.0, exponent=-1)},
    "a budget without an end": {"budget": changed(Budget.of(0.02), high=math.inf)},
    "a charge of an order of one's own": {"charge": changed(fp.renyi_charge.at(16.0), alpha=Small(16.0))},
    "a promise of numbers of one's own": {"promise": changed(fp.ApproxDP(1.0, 1e-5), epsilon=Small(1.0))},
    "a promise of one's own": {"promise": MorePrivate(1.0, 1e-5)},
    "a conversion of one's own": {"conversion": type("Easy", (type(fp.CKS),), {"__slots__": ()})()},
    "a larger budget in its constructor": {"__init__": lambda self: setattr(self, "budget", Budget.of(0.5))},
    "says what it holds in another form": {"holds": 0.02},
    "doubtful": {"sound": None},
    "refuted": {"sound": False},
}


class Mixin:
    admits = every


class Mixed(Mixin, Mine):  # type: ignore[misc]
    pass


class OfAnother(fp.BasicFilter, fp.AdditiveFilter):  # type: ignore[misc]
    charge = fp.pure_charge


class Foreign(fp.PrivacyFilter):
    """Is only registered as a sum."""

    promise = PROMISE
    budget = SMALL
    charge = fp.zcdp_charge
    start = admits = spend = lambda self, *_: np.ones(1)  # type: ignore[assignment]


def registered() -> Foreign:
    AdditiveFilter.register(Foreign)
    return Foreign()


class Meta(type(fp.AdditiveFilter)):  # type: ignore[misc]
    pass


class FromMeta(Mine, metaclass=Meta):
    pass


class UnsetSlot(fp.AdditiveFilter):
    __slots__ = ("promise",)
    budget = SMALL
    charge = fp.zcdp_charge


DIFFERENT: dict[str, Callable[[], fp.PrivacyFilter]] = {
    **{name: type("Own", (Mine,), dict(said)) for name, said in OTHERWISE.items()},
    **{kind.__name__: kind for kind in (Mixed, FromMeta, UnsetSlot)},
    **{made.__name__: made for made in (hiding, computing)},
    "reads as its last base": lambda: type("Own", (fp.ZCDPFilter, Smaller), {})(0.5),
    "methods of another rule": lambda: OfAnother(1.0),
    "registered as a sum": registered,
}


@pytest.mark.parametrize("make", DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_from_its_parts_is_not_certified_whatever_its_numbers_are(
    make: Callable[[], fp.PrivacyFilter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mc.examine.stages.parts._certified", lambda filt: None)
    assert outcome(make()) in (None, Outcome.UNDECIDED)
    assert outcome(type("Own", (Mine,), {})()) is Outcome.HOLDS


def test_an_attribute_that_changed_after_the_fact_is_seen() -> None:
    class Own(Mine):
        budget = Budget.of(0.02)

    filt = Own()
    assert outcome(filt) is Outcome.HOLDS
    Own.budget = Budget.of(0.05)
    assert outcome(filt) is Outcome.UNDECIDED
    filt.budget = Budget.of(0.02)
    assert outcome(filt) is Outcome.HOLDS
    filt.promise = fp.ApproxDP(0.5, 1e-5)
    assert outcome(filt) is Outcome.UNDECIDED
    library = fp.ZCDPFilter(0.5)
    object.__setattr__(library, "budget", Budget.of(0.6))
    assert outcome(library) is Outcome.UNDECIDED
    orders = CATALOGUE["AllOrdersFilter"].example()
    object.__setattr__(orders, "_orders", CATALOGUE["AllOrdersFilter"].larger()._orders)  # type: ignore[attr-defined]
    assert outcome(orders) is Outcome.UNDECIDED


def beyond_its_constructor(name: str) -> fp.PrivacyFilter:
    """A sound filter of the catalogue, derived from, that grants all."""
    kind, made = CATALOGUE[name].kind, CATALOGUE[name].example()
    own: Any = type(
        "Own", (kind,), {"admits": every, "grant": lambda self, state, _: (every(self, state), state)}
    )
    return own(**{one.name: getattr(made, one.name) for one in fields(kind) if one.init})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name, entry in CATALOGUE.items() if entry.sound is True])
def test_no_theorem_on_a_class_of_the_catalogue_covers_what_is_derived_from_it(name: str) -> None:
    assert outcome(beyond_its_constructor(name)) in (None, Outcome.UNDECIDED)


ORDERS, REALISED = (CATALOGUE[name].example() for name in ("AllOrdersFilter", "RealisationFilter"))
#: What a constructor should not have made -> words of the reason.
MISMADE: dict[str, tuple[fp.PrivacyFilter, dict[str, Any], str]] = {
    "larger budgets": (ORDERS, {"_orders": CATALOGUE["AllOrdersFilter"].larger()._orders}, "2 <= 1"),  # type: ignore[attr-defined]
    "fewer orders": (
        ORDERS,
        {"_orders": type(ORDERS)(ORDERS.alphas[:1], ORDERS.rhos[:1])._orders},  # type: ignore[attr-defined,call-arg]
        "other orders",
    ),
    "larger shares": (REALISED, {"theta": math.nextafter(REALISED.theta, 1.0)}, "more than delta"),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize(("filt", "made", "says"), MISMADE.values(), ids=MISMADE)
def test_what_a_constructor_made_is_compared_with_the_promise_itself(
    filt: fp.PrivacyFilter, made: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in ("fields_as_made", "_certified"):
        monkeypatch.setattr(f"mc.examine.stages.parts.{other}", lambda filt: None)
    found = said_of(changed(copy.copy(filt), **made))
    assert found.outcome is Outcome.UNDECIDED
    assert says in found.detail


UNLIKE = [
    (1.0, 1),
    (0.0, -0.0),
    ((1,), (1, 2)),
    (np.zeros(2), np.ones(2)),
    (np.zeros(2), np.zeros(2, dtype=np.int64)),
    (np.zeros(2), np.zeros((2, 1))),
    (Budget.of(1.0), Budget.of(2.0)),
    (changed(Fraction(1), _numerator=Small(1)), Fraction(1)),
    ([1], [1]),  # which may be changed
]


@pytest.mark.parametrize(("value", "expected"), UNLIKE, ids=str)
def test_what_is_alike_is_settled_and_the_same_by_class_and_by_all_that_it_holds(
    value: object, expected: object
) -> None:
    assert not alike(value, expected)
    assert alike(expected, copy.deepcopy(expected)) is (type(expected) is not list)


class SameRepr(Budget):
    def __repr__(self) -> str:
        return f"Budget.of({self.limit!r})"


class SameReprOfAllowance(Allowance):
    def __repr__(self) -> str:
        return f"Allowance(value={self.value!r})"


def test_a_part_that_only_looks_like_what_the_constructor_made_is_seen() -> None:
    filt = fp.BasicFilter(1.0, 1e-5)
    assert outcome(filt) is Outcome.HOLDS
    own = filt._epsilon
    for name, part in (
        ("_epsilon", SameRepr(own.high, own.low, own.exponent)),
        ("_delta", SameReprOfAllowance(1e-5)),
        ("helper", lambda: None),
    ):
        changed = fp.BasicFilter(1.0, 1e-5)
        object.__setattr__(changed, name, part)
        assert outcome(changed) is Outcome.UNDECIDED
