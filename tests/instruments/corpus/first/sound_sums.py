"""Sound filters that add: by exact sums, rounded-up units, phases and caps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import filterproof as fp
from tests.instruments.corpus import rules
from tests.instruments.corpus.case import Cases

CASES = Cases()


@CASES.sound(
    "The GDP filter (Koskela et al., Theorem C.1), and delta of Gaussian(max_gaussian_mu(1, 1e-5)) at 1 is 1e-5.",
    [fp.Gaussian(float(fp.conversions.max_gaussian_mu(1.0, 1e-5)) / 2 * (1 - 1e-9))] * 4,
)
class ExactGaussianDelta(fp.AdditiveFilter):
    """(1, 1e-5)-DP by the exact Gaussian curve: squares of mu add up to the mu whose delta at 1 is 1e-5."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    budget = fp.Budget.square_of(float(fp.conversions.max_gaussian_mu(1.0, 1e-5)))

    def charge(self, request):
        return fp.gdp_charge(request)


@CASES.sound(
    "Log cosh sqrt(u) is concave in u, so D_a of RR(e) is at most a e tanh(e/2); RR dominates; zCDP filter.",
    [fp.RandomizedResponse(1.04)],
    alpha=1.001,
)
class HyperbolicCharges(rules.PerPair):
    """0.5-zCDP with epsilon tanh(epsilon/2) for what is epsilon-DP, a little less than epsilon^2/2."""

    promise = fp.ZCDP(0.5)
    budget = fp.Budget.of(0.5)

    def price(self, pair):
        epsilon = pair.pure_epsilon
        gaussian = isinstance(pair, fp.Gaussian)
        rho = pair.mu**2 / 2 if gaussian else epsilon * np.tanh(epsilon / 2)
        return rules.at_least_dust(rho * rules.ROUNDED_UP)


@CASES.sound(
    "The sum of 2^-k over k >= 1 is 1: basic composition of pure mechanisms.",
    [fp.RandomizedResponse(0.4999)],
    epsilon=0.3,
)
class GeometricAllowances(rules.Counts):
    """1-DP for ever: question k may use 2^-k, used or not."""

    promise = fp.PureDP(1.0)

    def admits(self, state, request):
        allowance = np.ldexp(1.0, -np.minimum(state + 1, 900).astype(np.int32))
        return (request.pure_epsilon * rules.ROUNDED_UP <= allowance) & (state < 900)


@CASES.sound("All rounds are in the sum that is held to 1: the zCDP filter, denying more in the first phase.")
class TwoPhases(rules.Exact):
    """1-zCDP: the first ten rounds may use a quarter of the budget, the later ones whatever is left of all."""

    promise = fp.ZCDP(1.0)
    fresh = fp.Budget.of(0.25), fp.Budget.of(1.0), 0

    def charges(self, request):
        return [rules.rounded_rho(request)] * 2

    def admits(self, state, request):
        early, whole = self.fits(state, request)
        return ((state[4] >= 10) | early) & whole


@CASES.sound(
    "Basic composition; what is not on the list is denied, which only shortens the game.",
    [fp.RandomizedResponse(0.9999999)],
    epsilon=0.5,
)
class ListedEpsilons(rules.Exact):
    """1-DP; only the levels of the price list are sold: from 0.1 to 0.2, or 0.5 and above."""

    promise = fp.PureDP(1.0)
    budget = fp.Budget.of(1.0)
    fresh = budget
    charge = staticmethod(rules.rounded_epsilon)

    def admits(self, state, request):
        level = request.pure_epsilon
        listed = (np.greater_equal(level, 0.1) & np.less_equal(level, 0.2)) | np.greater_equal(level, 0.5)
        return listed & super().admits(state, request)


@CASES.sound(
    "The GDP filter (Koskela et al., Theorem C.1) on Gaussians, exact squares against the exact 4.",
    [fp.Gaussian(2.0)],
    epsilon=5.0,
)
class GaussiansOrAnError(fp.AdditiveFilter):
    """2-GDP for Gaussian noise; whatever else is asked for is a mistake of the caller."""

    promise = fp.GaussianDP(2.0)
    budget = fp.Budget.square_of(2.0)

    def charge(self, request):
        members = request.pairs if isinstance(request, fp.PairPerRun) else (request,)
        for pair in members:
            if not isinstance(pair, fp.Gaussian):
                raise ValueError(f"request must be a Gaussian, got {pair!r}; add Gaussian noise")
        return fp.gdp_charge(request)


@CASES.sound("The zCDP filter and the CKS conversion; the caps only shorten the game.")
class CapsOnAllSides(rules.Exact):
    """(0.5, 1e-6)-DP through zCDP, at most an eighth of the budget a round and at most forty rounds."""

    promise = fp.ApproxDP(epsilon=0.5, delta=1e-6)
    budget = fp.Budget.of(float(fp.CKS.budget(0.5, 1e-6)))
    fresh = budget, 0
    charge = staticmethod(fp.zcdp_charge)

    def admits(self, state, request):
        small = np.less_equal(request.zcdp_rho, self.budget.limit / 8)
        return small & (state[2] < 40) & super().admits(state, request)


@dataclass(frozen=True)
class Accountant:
    """What one person has spent, as a fraction."""

    spent: Fraction = Fraction(0)

    def after(self, epsilon: float) -> Accountant:
        # an infinite epsilon counts as more than the whole budget
        return Accountant(self.spent + Fraction(min(epsilon * rules.ROUNDED_UP, 4.0)))


@CASES.sound(
    "Basic composition with rational sums, one accountant a run, each a value that is never changed.",
    [fp.RandomizedResponse(2.9999999)],
    epsilon=2.0,
)
class FractionsPerPerson(rules.Rule):
    """3-DP, an accountant object per person that adds up fractions."""

    promise = fp.PureDP(3.0)
    fresh = Accountant()

    def spend(self, state, request):
        return np.frompyfunc(Accountant.after, 2, 1)(state, request.pure_epsilon)

    def admits(self, state, request):
        return np.array([person.spent <= 3 for person in self.spend(state, request)], dtype=np.bool_)


@CASES.sound(
    "Basic composition; each charge is rounded up to a unit, and 64 bits do not wrap below 2 units.",
    [fp.RandomizedResponse(1 - 2.0**-19)],
    epsilon=0.5,
)
class WholeUnits(rules.Sums):
    """1-DP counted in units of 2^-20, every charge rounded up to the next."""

    promise = fp.PureDP(1.0)
    fresh, most = 0, 2**20

    def cost(self, state, request):
        return np.ceil(np.minimum(request.pure_epsilon * rules.ROUNDED_UP, 2.0) * 2.0**20).astype(np.int64)


@CASES.sound(
    "Feldman & Zrnic, Theorem 4.3, at the fixed order 6, both directions, a billionth of the budget for rounding.",
    [fp.FinitePair((2e-3, 1 - 2e-3), (1.5e-4, 1 - 1.5e-4))],
)
class RenyiAtSix(rules.PerPair):
    """(6, 1.5)-RDP: divergences of order 6, the larger direction, add up."""

    promise = fp.RenyiDP(alpha=6.0, rho=1.5)
    budget = fp.Budget.of(1.5 * (1 - 1e-9))

    def price(self, pair):
        return rules.at_least_dust(rules.renyi_either_way(pair, 6.0))


@CASES.sound(
    "Feldman & Zrnic, Theorem 4.3, at the fixed order 16, the larger direction of each subsampled Gaussian.",
    [fp.SubsampledGaussian(0.01, 1.2, adjacency="addition")] * 3,
)
class SampledOnly(rules.PerPair):
    """(16, 2)-RDP for DP-SGD: subsampled Gaussians of either adjacency, nothing else."""

    promise = fp.RenyiDP(alpha=16.0, rho=2.0)
    budget = fp.Budget.of(2.0 * (1 - 1e-9))

    def price(self, pair):
        sampled = isinstance(pair, fp.SubsampledGaussian)
        return rules.at_least_dust(rules.renyi_either_way(pair, 16.0)) if sampled else np.inf
