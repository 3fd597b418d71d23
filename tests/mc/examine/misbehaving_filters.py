"""Filters whose code misbehaves, each in one way; all but that is the README's filter of Gaussians and sums."""

import sys
import warnings
from collections.abc import Callable

import numpy as np

import filterproof as fp
from tests.mc.examine.example_filters import Sum


class SumOfZCDP(Sum):
    """Admits while the sum of the zCDP charges is at most 0.02, as its promise of zCDP allows; sound."""

    promise = fp.ZCDP(0.02)
    most = 0.0199


class Raises(SumOfZCDP):
    def admits(self, state, request):
        raise ZeroDivisionError("no budget was set")


class RaisesForOneFamily(SumOfZCDP):
    def admits(self, state, request):
        if type(request).__name__ in ("Laplace", "Erasure"):
            raise NotImplementedError("to do")
        return super().admits(state, request)


class Hangs(SumOfZCDP):
    def admits(self, state, request):
        while True:
            pass


class ScalarAnswers(SumOfZCDP):
    def admits(self, state, request):
        return bool((state + self.cost(state, request) <= 0.0199).all())


class TakesNoRequest(SumOfZCDP):
    def admits(self, state):
        return state < 0.0199


class MutatesItsInput(SumOfZCDP):
    def spend(self, state, request):
        state += self.cost(state, request)
        return state


def first(name: str, do: Callable[[], object]) -> type[SumOfZCDP]:
    """A filter that does something each time that it is asked, and then answers as it should."""

    def admits(self, state, request):
        do()
        return SumOfZCDP.admits(self, state, request)

    return type(name, (SumOfZCDP,), {"admits": admits})


def used_standard_output():
    if not sys.stdout.closed:
        sys.stdout.buffer.flush()
        assert not sys.stdout.isatty()
        assert sys.stdout.fileno() > 2
        sys.stdout.close()


def warned():
    warnings.warn("the budget is low", RuntimeWarning, stacklevel=1)
    warnings.simplefilter("always")


Prints = first("Prints", lambda: print("deciding"))  # noqa: T201
UsesStandardOutput = first("UsesStandardOutput", used_standard_output)
Warns = first("Warns", warned)


class Caches(SumOfZCDP):
    """Keeps in the object what it was asked, and never reads it."""

    def __init__(self):
        self.asked = {}

    def admits(self, state, request):
        self.asked[repr(request)] = request
        return super().admits(state, request)


class KeepsStateOutside(SumOfZCDP):
    def __init__(self):
        self.spent = 0.0

    def admits(self, state, request):
        return np.full(len(state), self.spent + float(np.max(request.zcdp_rho)) <= 0.0199)

    def spend(self, state, request):
        self.spent += float(np.max(request.zcdp_rho))
        return state


class MixesRuns(SumOfZCDP):
    def admits(self, state, request):
        return np.full(len(state), bool((state.sum() + self.cost(state, request) <= 0.0199).all()))


class AnswersAtRandom(SumOfZCDP):
    def __init__(self):
        self.rng = np.random.default_rng(1)

    def admits(self, state, request):
        return super().admits(state, request) & (self.rng.random(len(state)) < 0.7)


class PromisesANumber(SumOfZCDP):
    promise = 1.0  # type: ignore[assignment]


class PromiseRaises(SumOfZCDP):
    @property
    def promise(self):  # type: ignore[override]
        raise KeyError("epsilon")


class RunsOutOfMemory(SumOfZCDP):
    def spend(self, state, request):
        raise MemoryError


class AdmitsNothing(SumOfZCDP):
    def admits(self, state, request):
        return np.zeros(len(state), dtype=bool)


class GrantsOtherwise(SumOfZCDP):
    def step(self, state, request):
        return np.ones(len(state), dtype=bool), self.spend(state, request)
