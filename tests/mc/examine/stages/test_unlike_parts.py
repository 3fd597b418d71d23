"""What differs in any way from the parts that a theorem covers is not certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filters.accounting.charge_rules
from filters.accounting import Budget
from filters.accounting.allowance import Allowance
from filters.catalogue import CATALOGUE
from filters.rules.additive import AdditiveFilter
from tests.mc.examine.stages.mine import PROMISE, Mine, outcome
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


def unlike_pair() -> Budget:
    made = Budget.of(1.0)
    object.__setattr__(
        made, "low", -5.0
    )  # no constructor makes this: its value is -4, and it covers all below 1
    return made


class MorePrivate(fp.ApproxDP):
    """A guarantee of one's own that can be changed."""


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
    "a budget that none makes": {"budget": unlike_pair()},
    "a promise of one's own": {"promise": MorePrivate(1.0, 1e-5)},
    "a conversion of one's own": {"conversion": type("Easy", (type(fp.CKS),), {"__slots__": ()})()},
    "a larger budget in its constructor": {"__init__": lambda self: setattr(self, "budget", Budget.of(0.5))},
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
    "methods of another rule": lambda: OfAnother(1.0),
    "registered as a sum": registered,
}


@pytest.mark.parametrize("make", DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_from_its_parts_is_not_certified(make: Callable[[], fp.PrivacyFilter]) -> None:
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
