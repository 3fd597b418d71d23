"""Filters whose code misbehaves, each in one way; all but that is the README's filter of Gaussians and sums."""

from __future__ import annotations

import os
import sys
import time
import warnings

import numpy as np

import filterproof as fp
from tests.mc.examine.sound import Sum


class Plain(Sum):
    """Admits while the sum of the zCDP charges is at most 0.02, as its promise of zCDP allows; sound."""

    promise = fp.ZCDP(0.02)
    most = 0.0199


class OnlyGaussians(Plain):
    """Knows `mu` and nothing else, as in the README."""

    def cost(self, state, request):
        return np.broadcast_to(request.mu**2 / 2, state.shape)


class Raises(Plain):
    def admits(self, state, request):
        raise ZeroDivisionError("no budget was set")


class RaisesForOneFamily(Plain):
    def admits(self, state, request):
        if type(request).__name__ == "Laplace":
            raise NotImplementedError("Laplace is to do")
        return super().admits(state, request)


class Hangs(Plain):
    def admits(self, state, request):
        while True:
            pass


class Sleeps(Plain):
    def admits(self, state, request):
        time.sleep(3600)
        return super().admits(state, request)


class HangsLate(Plain):
    """Answers fresh runs, and no other."""

    def admits(self, state, request):
        while state.any():
            pass
        return super().admits(state, request)


class ScalarAnswers(Plain):
    def admits(self, state, request):
        return bool((state + self.cost(state, request) <= 0.0199).all())


class ScalarState(Plain):
    def spend(self, state, request):
        return float(state[0])


class ChargesANumber(fp.ZCDPFilter):
    def __init__(self):
        super().__init__(0.0199)

    def charge(self, request):
        return request.zcdp_rho


class GrowingState(Plain):
    """Keeps the history in the state, a column more each time."""

    def start(self, n):
        return np.zeros((n, 1))

    def admits(self, state, request):
        return state.sum(axis=1) + np.broadcast_to(request.zcdp_rho, len(state)) <= 0.0199

    def spend(self, state, request):
        cost = np.broadcast_to(request.zcdp_rho, len(state))
        return np.concatenate([state, cost[:, None]], axis=1)


class ObjectState(Plain):
    """Its state holds lists."""

    def start(self, n):
        state = np.empty(n, dtype=object)
        state[:] = [[] for _ in range(n)]
        return state

    def admits(self, state, request):
        rho = np.broadcast_to(request.zcdp_rho, len(state))
        return np.array([sum(spent) + r <= 0.0199 for spent, r in zip(state, rho, strict=True)], dtype=bool)

    def spend(self, state, request):
        rho = np.broadcast_to(request.zcdp_rho, len(state))
        after = np.empty(len(state), dtype=object)
        after[:] = [[*spent, float(r)] for spent, r in zip(state, rho, strict=True)]
        return after


class MutatesItsInput(Plain):
    def spend(self, state, request):
        state += self.cost(state, request)
        return state


class Prints(Plain):
    def admits(self, state, request):
        print("deciding", request)  # noqa: T201
        return super().admits(state, request)


class LooksAtStandardOutput(Plain):
    def admits(self, state, request):
        sys.stdout.buffer.flush()
        assert not sys.stdout.isatty()
        assert sys.stdout.fileno() > 2
        return super().admits(state, request)


class ClosesStandardOutput(Plain):
    def admits(self, state, request):
        sys.stdout.close()
        return super().admits(state, request)


class Forks(Plain):
    def admits(self, state, request):
        if os.fork() == 0:
            return np.ones(len(state), dtype=bool)
        return super().admits(state, request)


class KeepsStateOutside(Plain):
    def __init__(self):
        self.spent = 0.0

    def admits(self, state, request):
        return np.full(len(state), self.spent + float(np.max(request.zcdp_rho)) <= 0.0199)

    def spend(self, state, request):
        self.spent += float(np.max(request.zcdp_rho))
        return state


class MixesRuns(Plain):
    def admits(self, state, request):
        return np.full(len(state), bool((state.sum() + self.cost(state, request) <= 0.0199).all()))


class AnswersAtRandom(Plain):
    def __init__(self):
        self.rng = np.random.default_rng(1)

    def admits(self, state, request):
        return super().admits(state, request) & (self.rng.random(len(state)) < 0.7)


class PromisesANumber(Plain):
    promise = 1.0  # type: ignore[assignment]


class PromiseRaises(Plain):
    @property
    def promise(self):  # type: ignore[override]
        raise KeyError("epsilon")


class RunsOutOfMemory(Plain):
    def spend(self, state, request):
        raise MemoryError


class Warns(Plain):
    def admits(self, state, request):
        warnings.warn("the budget is low", RuntimeWarning, stacklevel=1)
        warnings.simplefilter("always")
        return super().admits(state, request)


class Exits(Plain):
    def spend(self, state, request):
        sys.exit(0)


_budget = 0.0199


class LosesItsGlobals(Plain):
    def admits(self, state, request):
        enough = state + self.cost(state, request) <= _budget
        if len(state) > 1:
            globals().pop("_budget", None)
        return enough


class SetsNumpyErrors(Plain):
    def admits(self, state, request):
        np.seterr(all="raise")
        return super().admits(state, request)


class AdmitsNothing(Plain):
    def admits(self, state, request):
        return np.zeros(len(state), dtype=bool)


class GrantsOtherwise(Plain):
    def grant(self, state, request):
        return np.ones(len(state), dtype=bool), self.spend(state, request)


class Knows:
    """Not a filter at all."""
