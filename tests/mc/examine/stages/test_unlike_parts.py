"""What differs in any way from the parts that a theorem covers is not certified."""

from __future__ import annotations

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
from mc.examine.stages.parts import parts
from tests.mc.examine.stages.mine import PROMISE, Mine, outcome
from theory.evidence import Outcome

pytestmark = pytest.mark.usefixtures("as_installed", "proved")


class Free(Mine):
    def spend(self, state: Any, request: Any) -> Any:
        return state


class Generous(Mine):
    def admits(self, state: Any, request: Any) -> Any:
        return np.ones(len(state[0]), dtype=bool)


class Granting(Mine):
    def grant(self, state: Any, request: Any) -> Any:
        return np.ones(len(state[0]), dtype=bool), state


class Bonus(Mine):
    def start(self, n: int) -> Any:
        return np.full(n, -1.0), np.zeros(n)


class Refund(Mine):
    def observe(self, state: Any, loss: Any) -> Any:
        return self.start(len(loss))


class Restores(Mine):
    def reaches(self, state: Any) -> Any:
        return np.ones(len(state[0]), dtype=bool)


class Reopened(Mine):
    def open(self, *_: Any, **__: Any) -> Any:
        return fp.ZCDPFilter(9.0).open("retry")


class HalfCharge(Mine):
    budget = Budget.of(0.02)

    def charge(self, request: Any) -> Any:
        return fp.zcdp_charge(fp.Gaussian(request.mu / 2))


class ByLambda(Mine):
    budget = Budget.of(0.02)
    charge = lambda self, request: fp.zcdp_charge(request)  # noqa: E731


class StaticLambda(Mine):
    budget = Budget.of(0.02)
    charge = staticmethod(lambda request: fp.zcdp_charge(request))


class Cheaper(filters.accounting.charge_rules.ZCDPCharge):
    __slots__ = ()

    def __call__(self, request: Any) -> Any:
        return fp.Plain(0.0)


class CheaperRule(Mine):
    charge = Cheaper()


class Reading(Mine):
    def __getattribute__(self, name: str) -> Any:
        return Budget.of(9.0) if name == "budget" else super().__getattribute__(name)


class Fallback(Mine):
    def __getattr__(self, name: str) -> Any:
        return None


class Varying(Mine):
    @property
    def promise(self) -> Any:  # type: ignore[override]
        return PROMISE


class VaryingBudget(Mine):
    @property
    def budget(self) -> Any:  # type: ignore[override]
        return Budget.of(0.02)


@dataclass(frozen=True)
class Wider(Budget):
    def covers(self, sums: Any) -> Any:
        return np.ones(len(sums[0]), dtype=bool)


class WiderBudget(Mine):
    budget = Wider(1.0, 0.0, -3)


def unlike_pair() -> Budget:
    made = Budget.of(1.0)
    object.__setattr__(made, "low", -5.0)  # no constructor makes this
    return made


class UnlikePair(Mine):
    budget = unlike_pair()  # its value is -4, and it covers whatever is below 1


class UnsetSlot(fp.AdditiveFilter):
    __slots__ = ("promise",)
    budget = Budget.of(0.02)
    charge = fp.zcdp_charge


class MorePrivate(fp.ApproxDP):
    """A guarantee of one's own that can be changed."""


class OwnPromise(Mine):
    promise = MorePrivate(1.0, 1e-5)


class SetInConstructor(Mine):
    def __init__(self) -> None:
        self.budget = Budget.of(0.5)


class HiddenMethod(Mine):
    def __init__(self) -> None:
        self.spend = lambda state, request: state  # type: ignore[method-assign]


class Doubtful(Mine):
    sound = None


class Refuted(Mine):
    sound = False


class Mixin:
    def admits(self, state: Any, request: Any) -> Any:
        return np.ones(len(state[0]), dtype=bool)


class Mixed(Mixin, Mine):  # type: ignore[misc]
    pass


class OfAnother(fp.BasicFilter, fp.AdditiveFilter):  # type: ignore[misc]
    charge = fp.pure_charge


class Meta(type(fp.AdditiveFilter)):  # type: ignore[misc]
    pass


class FromMeta(Mine, metaclass=Meta):
    pass


class OtherConversion(Mine):
    conversion = type("Easy", (type(fp.CKS),), {"__slots__": ()})()


DIFFERENT = [
    *(
        Free,
        Generous,
        Granting,
        Bonus,
        Refund,
        Restores,
        Reopened,
        HalfCharge,
        ByLambda,
        StaticLambda,
        CheaperRule,
    ),
    *(
        Reading,
        Fallback,
        Varying,
        VaryingBudget,
        WiderBudget,
        OwnPromise,
        SetInConstructor,
        HiddenMethod,
        Doubtful,
    ),
    *(Refuted, Mixed, FromMeta, OtherConversion, UnlikePair, UnsetSlot),
]


@pytest.mark.parametrize("kind", DIFFERENT, ids=lambda kind: kind.__name__)
def test_what_differs_from_its_parts_is_not_certified(kind: type[fp.PrivacyFilter]) -> None:
    """Mine itself holds: see `test_parts`."""
    found = parts(kind())
    assert found is None or found.outcome is Outcome.UNDECIDED


def test_a_class_with_the_methods_of_another_rule_is_not_certified() -> None:
    assert outcome(OfAnother(1.0)) is not Outcome.HOLDS


def test_a_class_that_is_only_registered_as_a_sum_is_not_certified() -> None:
    class Foreign(fp.PrivacyFilter):
        promise = PROMISE
        budget = Budget.of(0.02)
        charge = fp.zcdp_charge
        start = admits = spend = lambda self, *_: np.ones(1)  # type: ignore[assignment]

    assert parts(Foreign()) is None
    AdditiveFilter.register(Foreign)
    assert outcome(Foreign()) is not Outcome.HOLDS


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


def test_a_method_put_into_an_instance_of_the_catalogue_is_seen() -> None:
    orders = CATALOGUE["AllOrdersFilter"].example()
    assert outcome(orders) is Outcome.HOLDS
    object.__setattr__(orders, "grant", lambda state, request: (np.ones(1, dtype=bool), state))
    assert outcome(orders) is Outcome.UNDECIDED


def test_a_filter_that_is_no_sum_is_left_to_other_stages() -> None:
    class Foreign(fp.PrivacyFilter):
        promise = PROMISE

        def start(self, n: int) -> Any:
            return np.zeros(n)

        def admits(self, state: Any, request: Any) -> Any:
            return state < 1

        def spend(self, state: Any, request: Any) -> Any:
            return state + 1

    assert parts(Foreign()) is None
