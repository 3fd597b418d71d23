"""What differs in any way from the parts that a theorem covers is not certified."""

import copy
import math
import types
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filters.accounting.charge_rules
from filters.accounting.ledger import Budget
from filters.catalogue import CATALOGUE
from filters.rules.additive import AdditiveFilter
from tests.mc.examine.stages.mine import PROMISE, Mine, outcome, said_of
from theory.evidence import Outcome

pytestmark = pytest.mark.usefixtures("proved")


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


def every(self: Any, state: Any, *_: Any) -> Any:
    return np.ones(len(state[0]), dtype=bool)


def small(self: Any, name: str) -> Any:
    """Reads otherwise."""
    return SMALL if name == "budget" else object.__getattribute__(self, name)


class Hides(dict[str, Any]):
    """Does not tell what it holds."""

    items = lambda self: ()  # type: ignore[assignment]  # noqa: E731
    get = lambda self, name, default=None: default  # type: ignore[assignment]  # noqa: E731


def own(members: dict[str, Any], **held: Any) -> fp.PrivacyFilter:
    """A filter of a class with such members, whose instance holds something."""
    filt = type("Own", (Mine,), members)()
    for name, value in held.items():
        object.__setattr__(filt, name, value)
    return filt


class SaysItIsPythons:
    """A descriptor that tells of nothing that an instance holds, by a class that says whose it is."""

    __module__ = "dataclasses"
    __get__ = lambda self, *_: {}  # noqa: E731
    __set__ = lambda self, *_: None  # noqa: E731


class OtherName(str):
    """A name that is none of those that are looked up, until somebody asks."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return other == "admits"


class OtherField:
    """A field that dataclass did not make: whoever lists fields runs its code."""

    name = "promise"
    _field_type = property(lambda self: None)


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
    "reads its budget otherwise": {"__getattribute__": small},
    "has fields that dataclass did not make": {"__dataclass_fields__": {"promise": OtherField()}},
    "a name that equals others": {OtherName("helper"): every},
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


def computing() -> fp.PrivacyFilter:
    filt = own({"budget": property(lambda self: Budget.of(9.0))})
    vars(filt)["budget"] = SMALL
    return filt


class Equal(type(fp.AdditiveFilter)):  # type: ignore[misc]
    """Classes that claim to be a certain one."""

    like = fp.BasicFilter

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(cls.like)


def posing(name: str, like: type, **members: Any) -> fp.PrivacyFilter:
    """A filter that holds a value whose class claims to be another."""
    return own({name: Equal("Posing", (), {"like": like, "__call__": every} | members)()})


def describing() -> fp.PrivacyFilter:
    made: Any = dataclass(type("Own", (Mine,), {}))
    as_the_function = {"__class__": property(lambda self: types.FunctionType), "__call__": every}
    told = type("Posing", (), as_the_function)()
    vars(told).update(
        {name: getattr(made.__repr__, name) for name in ("__code__", "__globals__", "__closure__")}
    )
    vars(told).update(__defaults__=None, __kwdefaults__=None)
    made.__repr__ = told
    return made()


class OfAnother(fp.BasicFilter, fp.AdditiveFilter):  # type: ignore[misc]
    charge = fp.pure_charge


def registered() -> fp.PrivacyFilter:
    """Is only registered as a sum."""
    parts = {"promise": PROMISE, "budget": SMALL, "charge": fp.zcdp_charge}
    foreign = type("Foreign", (fp.PrivacyFilter,), parts | dict.fromkeys(("start", "admits", "spend"), every))
    AdditiveFilter.register(foreign)
    return foreign()


DIFFERENT: dict[str, Callable[[], fp.PrivacyFilter]] = {
    **{name: partial(own, said) for name, said in OTHERWISE.items()},
    "admits by another base": lambda: type("Mixed", (type("Mixin", (), {"admits": every}), Mine), {})(),
    "of another kind of classes": lambda: type("Meta", (type(fp.AdditiveFilter),), {})("Own", (Mine,), {})(),
    "its promise in a slot that is not set": lambda: type(
        "Own", (fp.AdditiveFilter,), {"__slots__": ("promise",), "budget": SMALL, "charge": fp.zcdp_charge}
    )(),
    "an instance whose dict hides": lambda: own({}, __dict__=Hides(admits=partial(every, None))),
    "a class whose dict hides": lambda: own({"__dict__": {}}, admits=partial(every, None)),
    "a class whose descriptor hides": lambda: own(
        {"__dict__": SaysItIsPythons()}, admits=partial(every, None)
    ),
    "computes its budget and holds one that nobody reads": computing,
    "reads as its last base": lambda: type(
        "Own", (fp.ZCDPFilter, type("Smaller", (), {"__getattribute__": small})), {}
    )(0.5),
    "holds what claims to be a number": lambda: own({}, note=Equal("Posing", (), {"like": float})()),
    "describes itself by what claims to be a word": lambda: posing("__repr__", str),
    "describes itself by what claims to be a function": describing,
    "is charged by what claims to be a rule": lambda: posing(
        "charge", type(fp.zcdp_charge), __class__=property(lambda self: type(fp.zcdp_charge))
    ),
    "computes whether order matters by what claims to be a slot": lambda: posing(
        "order_free", types.MemberDescriptorType
    ),
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
    assert outcome(changed(fp.ZCDPFilter(0.5), budget=Budget.of(0.6))) is Outcome.UNDECIDED
    orders = CATALOGUE["AllOrdersFilter"]
    assert outcome(changed(orders.example(), _orders=orders.larger()._orders)) is Outcome.UNDECIDED  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [name for name, entry in CATALOGUE.items() if entry.sound is True])
def test_no_theorem_on_a_class_of_the_catalogue_covers_what_is_derived_from_it(name: str) -> None:
    kind: Any = CATALOGUE[name].kind
    made, grants = CATALOGUE[name].example(), lambda self, state, _: (every(self, state), state)
    derived = type("Own", (kind,), {"admits": every, "grant": grants})
    filt = derived(**{one.name: getattr(made, one.name) for one in fields(kind) if one.init})
    assert outcome(filt) in (None, Outcome.UNDECIDED)


def test_a_class_that_claims_to_be_one_of_the_catalogue_is_none() -> None:
    def grant(
        self: Any, state: Any, request: Any
    ) -> Any:  # which the numbers that are certified do not ask for
        free = isinstance(request, fp.FinitePair)
        return (every(self, state), state) if free else fp.BasicFilter.grant(self, state, request)

    kind = Equal("Own", (fp.BasicFilter,), {"grant": grant, "theorem": fp.BasicFilter.theorem})
    assert outcome(kind(1.0, 1e-5)) is None


ORDERS, REALISED = (CATALOGUE[name].example() for name in ("AllOrdersFilter", "RealisationFilter"))
#: What a constructor should not have made -> words of the reason.
MISMADE: dict[str, tuple[fp.PrivacyFilter, dict[str, Any], str]] = {
    "larger budgets": (ORDERS, {"_orders": CATALOGUE["AllOrdersFilter"].larger()._orders}, "that sum to 2"),  # type: ignore[attr-defined]
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


def test_a_part_that_only_looks_like_what_the_constructor_made_is_seen() -> None:
    filt = fp.BasicFilter(1.0, 1e-5)
    assert outcome(filt) is Outcome.HOLDS
    for name, part in (
        (
            "_epsilon",
            type("Budget", (Budget,), {})(filt._epsilon.high, filt._epsilon.low, filt._epsilon.exponent),
        ),
        ("_delta", type("Budget", (Budget,), {})(1.0, 0.0, -8)),
        ("helper", lambda: None),
    ):
        assert outcome(changed(fp.BasicFilter(1.0, 1e-5), **{name: part})) is Outcome.UNDECIDED
