"""Small broken filters as a user would write them, each with one fault."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.mc.examine.sound import Sum


class Window(Sum):
    """Sums the last seven rounds, and forgets what lies longer ago."""

    def start(self, n):
        return np.zeros((n, 7))

    def admits(self, last, request):
        return super().admits(last.sum(axis=1), request)

    def spend(self, last, request):
        return np.concatenate([last[:, 1:], self.cost(last[:, 0], request)[:, None]], axis=1)


class Two(Sum):
    """Keeps two numbers."""

    def start(self, n):
        return np.zeros(n), np.zeros(n)


class ResetAfterTen(Two):
    """Counts rounds, and begins a new sum after ten."""

    def admits(self, state, request):
        return super().admits(state[1], request)

    def spend(self, state, request):
        count = state[0] + 1
        return count, np.where(count % 10 == 0, 0.0, super().spend(state[1], request))


class PerFamily(Two):
    """Gives the whole budget to Gaussians, and again to all else."""

    def admits(self, state, request):
        return np.maximum(*self.spend(state, request)) <= self.most

    def spend(self, state, request):
        gaussian = isinstance(request, fp.Gaussian)
        return state[0] + gaussian * request.zcdp_rho, state[1] + (not gaussian) * request.zcdp_rho


class CheapLaplace(Sum):
    """Charges a Laplace half of what it costs."""

    def cost(self, state, request):
        return 1 / (4 * request.b**2) if isinstance(request, fp.Laplace) else request.zcdp_rho


class AfterGain(Two):
    """Takes back the charge of a round whose loss is positive."""

    promise = fp.ApproxDP(1.0, 1e-3)
    most = 1.0

    def cost(self, state, request):
        return request.pure_epsilon

    def admits(self, state, request):
        return super().admits(state[0], request)

    def spend(self, state, request):
        return super().spend(state[0], request), state[1] * 0 + request.pure_epsilon

    def observe(self, state, loss):
        return np.where(loss > 0, state[0] - state[1], state[0]), state[1] * 0


class Squares(Two):
    """Sums epsilons rightly; the i-th release may have a delta of a thousandth over i^2."""

    promise = fp.ApproxDP(1.0, 1e-3)

    def charge(self, request):
        return fp.approximate_charge(request, None)

    def admits(self, state, request):
        epsilon, delta = self.charge(request)
        return (state[0] + epsilon <= 1.0) & (delta <= 1e-3 / (state[1] + 1) ** 2)

    def spend(self, state, request):
        return state[0] + self.charge(request)[0], state[1] + 1


class RunningLoss(Sum):
    """Follows the realised loss, never below zero, and leaves room for the worst of the next release."""

    promise = fp.PureDP(1.0)
    most = 1.0

    def cost(self, state, request):
        return request.pure_epsilon

    def spend(self, state, request):
        return state

    def observe(self, state, loss):
        return np.maximum(0.0, state + loss)


class WholeUnits(Sum):
    """Counts in units of 1e-4, and drops what is less."""

    def cost(self, state, request):
        return np.floor(np.minimum(super().cost(state, request), 1e6) * 1e4) / 1e4
