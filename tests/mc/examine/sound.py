"""Small filters for examinations: sound ones written by hand, and what is wrong with each of the others."""

from __future__ import annotations

import numpy as np

import filterproof as fp

PROMISE = fp.ApproxDP(epsilon=1.0, delta=1e-5)
#: zCDP that the conversion of Canonne, Kamath and Steinke makes into the promise, 0.03055, rounded down.
RHO = 0.0305


class Sum(fp.PrivacyFilter):
    """Admits while a sum of costs, in doubles, is at most `most`."""

    promise: fp.Guarantee = fp.ZCDP(0.5)
    most = 0.5

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return state + self.cost(state, request) <= self.most

    def spend(self, state, request):
        return state + self.cost(state, request)

    def cost(self, state, request):
        return np.broadcast_to(np.asarray(request.zcdp_rho, dtype=float), state.shape)


class ByHand(Sum):
    """With room for the rounding of its sums; sound by that conversion."""

    promise = PROMISE
    most = RHO


class Forgets(ByHand):
    """Charges nothing: a sequence refutes it."""

    def spend(self, state, request):
        return state


class CountsFirstOnly(ByHand):
    """Charges a Gaussian's mu once and for all: as often as one likes."""

    def spend(self, state, request):
        return np.maximum(state, self.cost(state, request))


class StopsAtLosses(ByHand):
    """Sound: a subset of what its base admits, since a realised loss above a half ends it early."""

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=bool)

    def admits(self, state, request):
        return super().admits(state[0], request) & ~state[1]

    def spend(self, state, request):
        return super().spend(state[0], request), state[1]

    def observe(self, state, loss):
        return state[0], state[1] | (loss > 0.5)


class OneFamily(ByHand):
    """Sound: Gaussians alone, at most forty, each no larger than a fortieth."""

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        if not isinstance(request, fp.Gaussian):
            return np.zeros(len(state), dtype=bool)
        return (state < 40) & (np.broadcast_to(request.zcdp_rho, state.shape) <= RHO / 40)

    def spend(self, state, request):
        return state + 1


class NotMonotone(ByHand):
    """Sound and odd: a request between a tenth and a half of the budget is denied, larger ones are not."""

    def admits(self, state, request):
        share = self.cost(state, request) / RHO
        return super().admits(state, request) & ~((share > 0.1) & (share < 0.5))
