"""What differs in any way from the parts that a theorem covers is not certified."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filterproof.filters.accounting.charge_rules
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.catalogue import CATALOGUE
from filterproof.theory.evidence import Outcome
from tests.mc.examine.stages.mine import PROMISE, Mine, outcome

pytestmark = pytest.mark.usefixtures("proved")


SMALL = Budget.of(0.02)


class Cheaper(filterproof.filters.accounting.charge_rules.ZCDPCharge):
    __slots__ = ()

    def __call__(self, request: Any) -> Any:
        return fp.charges.LinearCharge(0.0)


@dataclass(frozen=True)
class Wider(Budget):
    def covers(self, sums: Any) -> Any:
        return np.ones(len(sums[0]), dtype=bool)


class MorePrivate(fp.ApproxDP):
    """A guarantee of one's own."""


def every(self: Any, state: Any, *_: Any) -> Any:
    return np.ones(len(state[0]), dtype=bool)


def user_filter(members: dict[str, Any], **held: Any) -> fp.PrivacyFilter:
    """A filter of a class with such members, whose instance holds something."""
    filt = type("Own", (Mine,), members)()
    vars(filt).update(held)
    return filt


#: What a subclass of `Mine` says otherwise.
OTHERWISE: dict[str, dict[str, Any]] = {
    "spends nothing": {"spend": lambda self, state, request: state},
    "admits all": {"admits": every},
    "grants all": {"step": lambda self, state, request: (every(self, state), state)},
    "starts below nothing": {"start": lambda self, n: (np.full(n, -1.0), np.zeros(n))},
    "begins anew after a loss": {"observe": lambda self, state, loss: self.start(len(loss))},
    "reaches what it does not": {"is_reachable_state": every},
    "says what it can lose": {"extremal": lambda self, epsilon: fp.ZCDPFilter(9.0).extremal(epsilon)},
    "opens another filter": {"open": lambda self, *_, **__: fp.ZCDPFilter(9.0).open("retry")},
    "charges half": {"budget": SMALL, "charge": lambda self, pair: fp.zcdp_charge(fp.Gaussian(pair.mu / 2))},
    "charges by a cheaper rule": {"charge": Cheaper()},
    "computes its promise": {"promise": property(lambda self: PROMISE)},
    "computes its budget": {"budget": property(lambda self: SMALL)},
    "a budget of one's own": {"budget": Wider(1.0, 0.0, -3)},
    "a promise of one's own": {"promise": MorePrivate(1.0, 1e-5)},
    "a conversion of one's own": {"conversion": type("Easy", (type(fp.CKS),), {"__slots__": ()})()},
    "a larger budget in its constructor": {"__init__": lambda self: setattr(self, "budget", Budget.of(0.5))},
    "doubtful": {"sound": None},
    "refuted": {"sound": False},
}


class OfAnother(fp.BasicFilter, fp.AdditiveFilter):  # type: ignore[misc]
    charge = fp.pure_charge


DIFFERENT: dict[str, Callable[[], fp.PrivacyFilter]] = {
    **{name: partial(user_filter, said) for name, said in OTHERWISE.items()},
    "admits by another base": lambda: type(
        "PerRunCharge", (type("Mixin", (), {"admits": every}), Mine), {}
    )(),
    "admits by the instance": lambda: user_filter({}, admits=partial(every, None)),
    "methods of another rule": lambda: OfAnother(1.0),
}


@pytest.mark.parametrize("make", DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_from_its_parts_is_not_certified_whatever_its_numbers_are(
    make: Callable[[], fp.PrivacyFilter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("filterproof.mc.examine.stages.certificate._certified_numbers", lambda filt: None)
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


@pytest.mark.parametrize("name", [name for name, entry in CATALOGUE.items() if entry.sound is True])
def test_no_theorem_on_a_class_of_the_catalogue_covers_what_is_derived_from_it(name: str) -> None:
    kind: Any = CATALOGUE[name].filter_class
    made, grants = CATALOGUE[name].example(), lambda self, state, _: (every(self, state), state)
    derived = type("Own", (kind,), {"admits": every, "step": grants})
    filt = derived(**{one.name: getattr(made, one.name) for one in fields(kind) if one.init})
    assert outcome(filt) in (None, Outcome.UNDECIDED)
