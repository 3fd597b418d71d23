"""Small filters as a user would write them: sound ones, and what is wrong with each of the others."""

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


class PureSum(Sum):
    """The same of pure epsilons."""

    promise: fp.Guarantee = fp.PureDP(1.0)
    most = 1.0

    def cost(self, state, request):
        return np.broadcast_to(np.asarray(request.pure_epsilon, dtype=float), state.shape)


class ByHand(Sum):
    """With room for the rounding of its sums; sound by that conversion."""

    promise = PROMISE
    most = RHO


class Forgets(ByHand):
    """Charges nothing: a sequence refutes it."""

    def spend(self, state, request):
        return state


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


class NotMonotone(ByHand):
    """Sound and odd: a request between a tenth and a half of the budget is denied, larger ones are not."""

    def admits(self, state, request):
        share = self.cost(state, request) / RHO
        return super().admits(state, request) & ~((share > 0.1) & (share < 0.5))


# -- broken ones, each with one fault ------------------------------------------------------------------


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


class AfterGain(PureSum):
    """Takes back the charge of a round whose loss is positive."""

    promise = fp.ApproxDP(1.0, 1e-3)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        return super().admits(state[0], request)

    def spend(self, state, request):
        return super().spend(state[0], request), state[1] * 0 + request.pure_epsilon

    def observe(self, state, loss):
        return np.where(loss > 0, state[0] - state[1], state[0]), state[1] * 0


class RunningLoss(PureSum):
    """Follows the realised loss, never below zero, and leaves room for the worst of the next release."""

    def spend(self, state, request):
        return state

    def observe(self, state, loss):
        return np.maximum(0.0, state + loss)
