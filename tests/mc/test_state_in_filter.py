"""A filter that keeps outside its state what changes as it is asked is refused by every call that gives a number."""

from functools import cached_property, partial
from types import SimpleNamespace

import numpy as np
import pytest

import filterproof as fp

WIDE = fp.Gaussian(0.4)


class Own(fp.PrivacyFilter):
    """A sum in the filter: one run is granted three releases, and runs together fewer."""

    promise = fp.ZCDP(0.2)
    limit = 0.2

    def __init__(self):
        self.spent = 0.0

    def add(self, charge):
        self.spent += charge

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return np.full(len(state), self.spent < self.limit)

    def spend(self, state, request):
        self.add(float(np.max(request.zcdp_rho)))
        return state


class InTheClass(Own):
    def __init__(self):
        type(self).spent = 0.0

    def add(self, charge):
        type(self).spent += charge


class SetBack(Own):
    """In an attribute that a start makes, or sets back."""

    def start(self, n):
        self.spent = 0.0
        return np.zeros(n)


class InAList(Own):
    def __init__(self):
        self.charges = [0.0]

    spent = property(lambda self: sum(self.charges))

    def add(self, charge):
        self.charges[0] += charge


class InAnObject(InAList):
    def __init__(self):
        self.ledger = SimpleNamespace(charges=[0.0])

    charges = property(lambda self: self.ledger.charges)


class OneMoreEntry(InAList):
    """With a budget that a few requests do not exhaust: nothing is denied, but the state does not change either."""

    limit = 9.0

    def add(self, charge):
        self.charges.append(charge)


SUMS: list[float] = []


class Elsewhere(OneMoreEntry):
    """In the module: no attribute shows it."""

    def __init__(self):
        SUMS.clear()

    charges = property(lambda self: SUMS)


class TakesPairsOf(InAList):
    """Another filter, asked in its place."""

    def __init__(self, inner):
        self.inner = inner

    charges = property(lambda self: self.inner.charges)


ATTRIBUTE = "changed its attribute"
KINDS = [
    (Own, rf"Own {ATTRIBUTE} 'spent' \(0\.0 before, 0\.\d+ after\).*into the state"),
    (InAList, f"InAList {ATTRIBUTE} 'charges'"),
    (InTheClass, f"InTheClass {ATTRIBUTE} 'spent'"),
    (InAnObject, f"InAnObject {ATTRIBUTE} 'ledger'"),
    (OneMoreEntry, f"OneMoreEntry {ATTRIBUTE} 'charges'"),
    (SetBack, f"SetBack {ATTRIBUTE} 'spent'"),
    (Elsewhere, r"Elsewhere answers the same requests differently .*in the state"),
    (lambda: TakesPairsOf(InAList()), f"TakesPairsOf {ATTRIBUTE} 'inner'"),
    (
        lambda: partial(fp.LabelledFilter, labels={"site": ("a", "b")}, over={"site": "a"})(Own()),
        f"Own {ATTRIBUTE} 'spent'",
    ),
]


@pytest.mark.parametrize(("kind", "says"), KINDS, ids=range(len(KINDS)))
def test_what_changed_is_named(kind, says):
    with pytest.raises(TypeError, match=says):
        fp.worst_case(kind(), [WIDE], epsilon=1.0, rounds=200)
    with pytest.raises(TypeError, match=says):
        fp.evaluate(kind(), fp.Constant(WIDE), epsilon=1.0)


def test_a_sum_that_a_start_sets_back_is_seen_after_an_earlier_run():
    filt = SetBack()
    assert filt.open("retry").request(WIDE)
    with pytest.raises(TypeError, match=f"SetBack {ATTRIBUTE} 'spent'"):
        fp.simulate(filt, fp.Constant(WIDE), epsilon=1.0, n=100)


CALLS = {
    "simulate": lambda filt: fp.simulate(filt, fp.Constant(WIDE), epsilon=1.0, rounds=20, n=100),
    "simulate_renyi": lambda filt: fp.simulate_renyi(filt, fp.Constant(WIDE), alpha=2.0, rounds=20, n=100),
    "survival": lambda filt: fp.release_survival(filt, fp.Constant(WIDE), rounds=20, n=100),
    "decide": lambda filt: fp.sequential_test(filt, fp.Constant(WIDE), epsilon=1.0, delta=0.1, most=1000),
    "game": lambda filt: fp.runs.SimulationSettings(n=100).game(filt, fp.Constant(WIDE)),
    "supremum": lambda filt: fp.supremum(filt, 1.0),
    "calibrate": lambda filt: fp.calibrate(lambda threshold: filt, 1.0, 0.1, menu=[WIDE], rounds=3),
    "simulate_person": lambda filt: fp.people.simulate_person(
        filt, [1.0, 2.0], sigma=4.0, epsilon=1.0, rounds=3, n=10
    ),
    "ClippedSums.factory": lambda filt: fp.training.ClippedSums.factory(filt, clip=1.0, sigma=2.0)(3, 1),
}


class Odometer(Own):
    """The bound is that of all runs together."""

    promise = fp.ApproxDP(4.0, 0.1)

    def epsilon(self, state):
        return np.full(len(state), self.spent)


CALLS["crossing_probability"] = lambda filt: fp.odometers.crossing_probability(
    Odometer(), fp.Constant(WIDE), rounds=3, n=100
)


@pytest.mark.parametrize("call", CALLS)
def test_every_call_that_gives_a_number_refuses(call):
    with pytest.raises(TypeError, match=f"{ATTRIBUTE} 'spent'"):
        CALLS[call](Own())


class Caches(fp.PrivacyFilter):
    """Sound: what it keeps beside its state is found once, and decides nothing."""

    promise = fp.ZCDP(0.2)

    def __init__(self):
        self.charges, self.log, self._limit, self.ready = {}, [], None, False

    @cached_property
    def most(self):
        return 0.2

    def start(self, n):
        self.ready = True
        return np.zeros(n)

    def cost(self, request):
        self.log.append(repr(request))
        self._limit = self.most
        return self.charges.setdefault(request, np.asarray(request.zcdp_rho))

    def admits(self, state, request):
        return state + self.cost(request) <= self._limit or state < 0

    def spend(self, state, request):
        return state + self.cost(request)


def test_a_cache_that_decides_nothing_is_none_of_it():
    for size in (0.4, 0.2):
        solved = fp.worst_case(Caches(), [fp.Gaussian(size)], epsilon=1.0)
        other = fp.worst_case(fp.ZCDPFilter(0.2), [fp.Gaussian(size)], epsilon=1.0)
        assert (solved.low, solved.high) == (other.low, other.high)
