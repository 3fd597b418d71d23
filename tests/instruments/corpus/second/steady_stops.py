"""Sound filters that look at the losses of what was released."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.rules import (
    ROUNDED_UP,
    Exact,
    Rule,
    at_least_dust,
    basic_delta,
    basic_epsilon,
    per_run,
    rounded_rho,
)

CASES = Cases()


@CASES.sound(
    "The zCDP filter and the CKS conversion: on every path the exact sum stays within the first budget."
)
class ClosesOnLosses(Exact):
    """(1, 1e-5)-DP through zCDP; the more was lost, the smaller the budget: it is divided by 1 plus the loss."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))
    fresh = budget, 0.0
    charge = staticmethod(rounded_rho)

    def admits(self, state, request):
        less = self.budget.limit / (1 + np.maximum(state[2], 0.0))
        held = self.budget.value(state[:2]) + request.zcdp_rho <= less
        return held & super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], state[2] + loss)


@CASES.sound(
    "Without an infinite loss the transcript's lies in [-1, 1], and one has probability 0.01 at most.",
    lambda past: fp.KOV(0.45, 1e-3) if len(past) < 9 and np.all(np.isfinite(past)) else None,
    epsilon=1.0,
)
class WindowWithChances(Exact):
    """(1, 0.01)-DP: the finite loss stays in [-1, 1] whatever comes next, and chances of an infinite one add up."""

    promise = fp.ApproxDP(epsilon=1.0, delta=0.01)
    budget = fp.Budget.of(0.01)
    fresh = budget, 0.0, 0

    def charge(self, request):
        return fp.Plain(per_run(request, basic_delta) * ROUNDED_UP)

    def admits(self, state, request):
        # at most 10^5 losses are added up, each addition rounded by less than 2^-52
        reach = np.abs(state[2]) + per_run(request, basic_epsilon)
        return (reach <= 1 - 1e-9) & (state[3] < 100_000) & super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], state[2] + loss, state[3])


@CASES.sound(
    "A path that ends outside [-1, 1] ends on a request within B*, whose sum holds all; CKS on those paths."
)
class WindowOrConcentrated(Exact):
    """(1, 1e-5)-DP: a request is granted if the loss cannot leave [-1, 1] by it, or if zCDP charges are within B*."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.of(float(fp.CKS.budget(1.0, 1e-5)))
    fresh = budget, 0.0, 0

    def charge(self, request):
        # the sum holds every request; what is too large counts as more than the whole budget
        return fp.Plain(np.minimum(at_least_dust(request.zcdp_rho) * ROUNDED_UP, 2.0))

    def admits(self, state, request):
        # at most 10^5 losses are added up, each addition rounded by less than 2^-52
        inside = (np.abs(state[2]) + request.pure_epsilon <= 1 - 1e-9) & (state[3] < 100_000)
        return inside | super().admits(state, request)

    def observe(self, state, loss):
        return (*state[:2], state[2] + loss, state[3])


@CASES.sound(
    "004 Theorem 1; what the desk denies counts as the trivial mechanism, by the loss the rule may know."
)
class OutsourcedDecisions(Rule):
    """(4, 1e-4)-DP: the realisation filter of the library decides; the desk closes for the day at a loss beyond 3."""

    promise = fp.ApproxDP(epsilon=4.0, delta=1e-4)
    inner = fp.RealisationFilter(4.0, 1e-4, 12, (fp.Gaussian(0.25), fp.RandomizedResponse(0.3)))
    fresh = inner

    def admits(self, state, request):
        return self.inner.admits(state, request) & (np.abs(state[0]) <= 3.0)

    def spend(self, state, request):
        return self.inner.spend(state, request)

    def observe(self, state, loss):
        return self.inner.observe(state, loss)
