"""Rules that are right for totals fixed in advance, and decide by totals that depend on the answers."""

import math

import numpy as np
from scipy import optimize, special

import filterproof as fp
from tests.instruments.corpus.case import Cases
from tests.instruments.corpus.games import Reached, gaussian_delta, mean_after, require_granted
from tests.instruments.corpus.lattice import response_delta
from tests.instruments.corpus.rules import Rule, Sums

CASES = Cases()


class CurveOfTheRest(Rule):
    """(1, 1e-5)-DP: pure epsilons add up; the rest by the exact Gaussian curve at the epsilon that they leave."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    fresh = 0.0, 0.0

    def spend(self, state, request):
        pure = np.asarray(request.pure_epsilon)
        finite = np.isfinite(pure)
        return state[0] + np.where(finite, pure, 0.0), state[1] + np.where(finite, 0.0, request.gdp_mu**2)

    def admits(self, state, request):
        epsilon, square = self.spend(state, request)
        left = 1 - epsilon
        root = np.sqrt(np.clip(square, 1e-12, 1e6))
        curve = np.asarray(fp.Gaussian(root).hockey_stick(np.maximum(left, 0.0)))
        return (left >= 1e-9) & (square <= 1e6) & (curve <= 1e-5 * (1 - 1e-9))


@CASES.breaks(CurveOfTheRest)
def _on_a_large_loss(filt: fp.PrivacyFilter) -> Reached:
    """Gaussian(0.15); on a large loss the rest as a response, elsewhere as a Gaussian."""
    first = 0.15
    second = math.sqrt(float(fp.conversions.max_gaussian_mu(1.0, 1e-5)) ** 2 - first**2) * (1 - 1e-6)
    epsilon = optimize.brentq(lambda e: gaussian_delta(first, 1 - e) - 1e-5, 0.1, 0.9) * (1 - 1e-6)
    require_granted(filt, [fp.Gaussian(first), fp.Gaussian(second)])
    require_granted(filt, [fp.Gaussian(first), fp.RandomizedResponse(epsilon)])
    # the response where the first loss brings 1 within its reach
    cut, least = 1 - 0.9 * epsilon, first**2 / 2 - 10 * first
    near = mean_after(first, lambda loss: gaussian_delta(second, 1 - loss), least, cut)
    far = mean_after(first, lambda loss: response_delta(epsilon, 1, 1.0, loss), cut, 1 + epsilon)
    return Reached(near + far, epsilon=1.0)


class EitherVariation(Sums):
    """(0, 0.05)-DP: the total variations add up to 0.05, or the Gaussian of all squares stays within it."""

    promise = fp.ApproxDP(epsilon=0.0, delta=0.05)
    square = float(2 * special.ndtri((1 + 0.05) / 2)) ** 2
    fresh, most = (0.0, 0.0), 0.05 * (1 - 1e-9)

    def cost(self, state, request):
        return request.hockey_stick(0.0), request.gdp_mu**2

    def admits(self, state, request):
        _, square = self.spend(state, request)
        return super().admits(state, request) | (square <= self.square * (1 - 1e-9))


@CASES.breaks(EitherVariation)
def _erased_or_not(filt: fp.PrivacyFilter) -> Reached:
    """A Gaussian; far from zero the rest as an erasure, near zero as a Gaussian: 1.06 times delta."""
    first = math.sqrt(filt.square) / 2
    second = math.sqrt(0.75 * filt.square) * (1 - 1e-6)
    erased = (0.05 - float(2 * special.ndtr(first / 2) - 1)) * (1 - 1e-6)
    require_granted(filt, [fp.Gaussian(first), fp.Gaussian(second)])
    require_granted(filt, [fp.Gaussian(first), fp.Erasure(erased)])

    # an erasure where the first loss is far from zero, a Gaussian between: any such rule is a strategy
    def erase(loss):
        return erased + (1 - erased) * max(-math.expm1(-loss), 0.0)

    parts = (
        mean_after(first, erase, -math.inf, -first),
        mean_after(first, lambda loss: gaussian_delta(second, -loss), -first, first),
        mean_after(first, erase, first, math.inf),
    )
    return Reached(math.fsum(parts), epsilon=0.0)


def _opening() -> list[tuple[float, float]]:
    """(P-mass, loss) of three answers at 0.2."""
    keep = 1 / (1 + math.exp(-0.2))
    return [(math.comb(3, j) * keep**j * (1 - keep) ** (3 - j), (2 * j - 3) * 0.2) for j in range(4)]


def _after_opening(level: float, count: int) -> float:
    """The delta at 1 of three answers at 0.2 and `count` more at `level`."""
    return math.fsum(p * response_delta(level, count, 1.0, loss) for p, loss in _opening())


class LockedPlan(Rule):
    """(1, delta)-DP: three answers at 0.2; the fourth locks the plan, 34 at 0.12 in all or two at 0.5, each exact."""

    many, few = (0.12, 34), (0.5, 2)
    promise = fp.ApproxDP(epsilon=1.0, delta=max(_after_opening(*many), _after_opening(*few)) * (1 + 1e-9))
    fresh = 0, 0

    def spend(self, state, request):
        rounds, plan = state
        asked = np.where(np.less_equal(request.pure_epsilon, self.many[0]), 1, 2)
        return rounds + 1, np.where(rounds == 3, asked, plan)

    def admits(self, state, request):
        rounds, plan = self.spend(state, request)
        level = np.array([0.2, self.many[0], self.few[0]])[plan]
        most = np.array([3, 3 + self.many[1], 3 + self.few[1]])[plan]
        return (rounds <= most) & (request.pure_epsilon <= level)


@CASES.breaks(LockedPlan, margin=0.1)
def _locked_by_the_answers(filt: fp.PrivacyFilter) -> Reached:
    """Three responses at 0.2; their answers say which of the two plans is locked: 1.12 times delta."""
    opening = [fp.RandomizedResponse(0.2)] * 3
    for level, count in (filt.many, filt.few):
        require_granted(filt, opening + [fp.RandomizedResponse(level)] * count)
    value = math.fsum(
        p * max(response_delta(level, count, 1.0, loss) for level, count in (filt.many, filt.few))
        for p, loss in _opening()
    )
    return Reached(value, epsilon=1.0)


class TwoCurves(Rule):
    """1.0125-GDP: an answer at 0.5, then one at 0.8 or 33 at 0.15; either plan stays below that curve."""

    promise = fp.GaussianDP(1.0125)
    fresh = 0, False

    def admits(self, state, request):
        rounds, large = state
        level = np.where(rounds == 0, 0.5, np.where(rounds == 1, 0.8, 0.15))
        return (rounds < np.where(large, 2, 34)) & (request.pure_epsilon <= level)

    def spend(self, state, request):
        rounds, large = state
        return rounds + 1, large | ((rounds == 1) & np.greater(request.pure_epsilon, 0.15))


@CASES.breaks(TwoCurves, margin=0.05)
def _the_better_curve(filt: fp.PrivacyFilter) -> Reached:
    """A response at 0.5, whose answer says which plan follows: 1.1 times the curve at 0.66."""
    keep, plans = 1 / (1 + math.exp(-0.5)), ((0.8, 1), (0.15, 33))
    for level, count in plans:
        require_granted(filt, [fp.RandomizedResponse(0.5)] + [fp.RandomizedResponse(level)] * count)
        for epsilon in np.arange(0.0, 4.0, 0.02).tolist():  # fixed in advance, a plan keeps the promise
            fixed = keep * response_delta(level, count, epsilon, 0.5)
            fixed += (1 - keep) * response_delta(level, count, epsilon, -0.5)
            assert fixed <= float(filt.promise.delta(epsilon))
    value = math.fsum(
        p * max(response_delta(level, count, 0.66, loss) for level, count in plans)
        for p, loss in ((keep, 0.5), (1 - keep, -0.5))
    )
    return Reached(value, epsilon=0.66)
