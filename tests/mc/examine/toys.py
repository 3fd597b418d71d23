"""Small broken filters as a user would write them, each with one fault."""

from __future__ import annotations

import numpy as np

import filterproof as fp
from tests.mc.examine.sound import Sum


class Window(fp.PrivacyFilter):
    """Sums the last seven rounds, and forgets what lies longer ago."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros((n, 7))

    def admits(self, last, request):
        return last.sum(axis=1) + request.zcdp_rho <= 0.5

    def spend(self, last, request):
        now = np.zeros((len(last), 1)) + np.reshape(request.zcdp_rho, (-1, 1))
        return np.concatenate([last[:, 1:], now], axis=1)


class ResetAfterTen(fp.PrivacyFilter):
    """Counts rounds, and begins a new sum after ten."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=np.int64), np.zeros(n)

    def admits(self, state, request):
        return state[1] + request.zcdp_rho <= 0.5

    def spend(self, state, request):
        count = state[0] + 1
        return count, np.where(count % 10 == 0, 0.0, state[1] + request.zcdp_rho)


class PerFamily(fp.PrivacyFilter):
    """Gives the whole budget to Gaussians, and again to all else."""

    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def _after(self, state, request):
        gaussian = isinstance(request, fp.Gaussian)
        return state[0] + gaussian * request.zcdp_rho, state[1] + (not gaussian) * request.zcdp_rho

    def admits(self, state, request):
        return np.maximum(*self._after(state, request)) <= 0.5

    def spend(self, state, request):
        return self._after(state, request)


class CheapLaplace(Sum):
    """Charges a Laplace half of what it costs."""

    def cost(self, state, request):
        return 1 / (4 * request.b**2) if isinstance(request, fp.Laplace) else request.zcdp_rho


class AfterGain(fp.PrivacyFilter):
    """Takes back the charge of a round whose loss is positive."""

    promise = fp.ApproxDP(1.0, 1e-3)
    looks_at_losses = True

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        return state[0] + request.pure_epsilon <= 1.0

    def spend(self, state, request):
        return state[0] + request.pure_epsilon, state[1] * 0 + request.pure_epsilon

    def observe(self, state, loss):
        return np.where(loss > 0, state[0] - state[1], state[0]), state[1] * 0
