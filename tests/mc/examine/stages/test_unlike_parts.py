"""What differs in any way from the parts that a theorem covers is not certified."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filters.accounting.charge_rules
import filters.accounting.ledger
import mc.worst_case.solve
from filters.accounting import Budget
from filters.rules.additive import AdditiveFilter
from mc.examine.stages.parts import parts
from mc.examine.stages.unpatched import patched
from mc.worst_case.levels import Levels
from tests.mc.examine.stages.mine import PROMISE, Mine, outcome
from theory.evidence import Outcome


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
    assert outcome(Mine()) is Outcome.HOLDS
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
    orders = fp.CATALOGUE["AllOrdersFilter"].example()
    object.__setattr__(orders, "_orders", fp.CATALOGUE["AllOrdersFilter"].larger()._orders)  # type: ignore[attr-defined]
    assert outcome(orders) is Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (AdditiveFilter, "spend", lambda self, state, request: state),
        (AdditiveFilter, "start", lambda self, n: (np.full(n, -1.0), np.zeros(n))),
        (fp.ZCDPFilter, "charge", fp.gdp_charge),
        (fp.ZCDPFilter, "spend", lambda self, state, request: state),
        (Budget, "covers", lambda self, sums: np.ones(len(sums[0]), dtype=bool)),
        (Budget, "step", lambda self, state, charge: (np.ones(len(state[0]), dtype=bool), state)),
        (filters.accounting.ledger, "add_up", lambda state, cost: state),
        (type(fp.zcdp_charge), "__call__", lambda self, request: fp.Plain(0.0)),
        (filters.accounting.charge_rules, "proper", lambda x: x / 2),
        (fp.Session, "request", lambda self, pair: True),
        (fp.Gaussian, "zcdp_rho", property(lambda self: 0.0)),
    ],
    ids=lambda thing: thing if isinstance(thing, str) else getattr(thing, "__name__", "property"),
)
def test_a_patched_library_certifies_nothing(
    where: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(where, name, value)
        assert patched().endswith(f".{name}")
        for filt in (Mine(), fp.ZCDPFilter(0.5)):
            assert outcome(filt) is Outcome.UNDECIDED
    assert patched() == ""
    assert outcome(Mine()) is Outcome.HOLDS


def test_a_patched_game_certifies_no_calibrated_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    filt = fp.calibrated(1.0, 1e-5, each=0.1)
    assert outcome(filt) is Outcome.HOLDS
    for where, name in (
        (Levels, "places"),
        (fp.CalibratedFilter, "recheck"),
        (mc.worst_case.solve, "worst_case"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, lambda *given, **more: None)
            assert outcome(filt) is Outcome.UNDECIDED


def test_code_put_into_a_function_of_the_library_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(AdditiveFilter.spend, "__code__", (lambda self, state, request: state).__code__)
        assert outcome(Mine()) is Outcome.UNDECIDED
    assert outcome(Mine()) is Outcome.HOLDS


BEFORE = """
import filterproof as fp
fp.Gaussian.zcdp_rho = property(lambda pair: pair.mu**2 / 8)
from mc.examine.stages.parts import parts
print(parts(fp.ZCDPFilter(0.5)).outcome.name)
"""


def test_what_was_put_into_the_library_before_anything_was_examined_is_seen() -> None:
    told = subprocess.run([sys.executable, "-c", BEFORE], capture_output=True, text=True, check=True).stdout
    assert told == "UNDECIDED\n"


def test_a_method_put_into_an_instance_of_the_catalogue_is_seen() -> None:
    orders = fp.CATALOGUE["AllOrdersFilter"].example()
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
