"""What a rule grants keeps zCDP, GDP and Rényi promises at orders to 10^6, by closed forms and binomial sums."""

import math

import numpy as np
import pytest
from scipy import special

import filterproof as fp
from mc.losses.composition import Composition
from theory.guarantees import ZCDP, GaussianDP, Guarantee, RenyiDP

ORDERS = (2, 8, 32, 1000, 10**6)
PAIRS: tuple[fp.DominatingPair, ...] = (
    *(fp.SubsampledGaussian(q, sigma) for q in (1e-6, 0.02, 1.0) for sigma in (0.3, 2.0, 100.0)),
    *(fp.Gaussian(mu) for mu in (0.01, 0.3)),
    *(fp.RandomizedResponse(epsilon) for epsilon in (0.01, 0.3, 30.0)),
    *(fp.Laplace(b) for b in (0.05, 3.0, 100.0)),
    fp.Erasure(1e-9),
)
FILTERS = {
    "zCDP": lambda pair: fp.ZCDPFilter(0.5),
    "GDP": lambda pair: fp.GaussianFilter(1.0),
    "residue": lambda pair: fp.GaussianResidueFilter(1.0),
    "Rényi": lambda pair: fp.RenyiFilter(8.0, 4.0),
    "Blackwell": lambda pair: fp.BlackwellFilter(1.0, (pair,)),
}
#: So often a pair is asked for.
MOST = 24


def divergence(pair: fp.DominatingPair, order: int) -> float:
    """D_order(P || Q) by its closed form, in logarithms; the binomial sum for a Gaussian on a sample."""
    a, t = float(order), order - 1.0
    match pair:
        case fp.Gaussian(mu):
            return a * mu**2 / 2
        case fp.RandomizedResponse(e):
            return float(np.logaddexp((a - 1) * e, -a * e) - np.logaddexp(0.0, -e)) / t
        case fp.Laplace(b):
            return float(np.logaddexp(math.log(a) + t / b, math.log(t) - a / b) - math.log(2 * a - 1)) / t
        case fp.SubsampledGaussian(q, sigma):
            k = np.arange(order + 1.0)
            ways = special.gammaln(a + 1) - special.gammaln(k + 1) - special.gammaln(a - k + 1)
            logs = ways + k * math.log(q) + special.xlog1py(a - k, -q) + k * (k - 1) / (2 * sigma**2)
            return float(special.logsumexp(logs)) / t
    return math.inf  # what only P can produce


def promised(promise: Guarantee, order: int) -> float:
    match promise:
        case ZCDP(rho):
            return order * rho
        case GaussianDP(mu):
            return order * mu**2 / 2
        case RenyiDP(alpha, rho):
            return rho if order <= alpha else math.inf
    raise AssertionError(promise)


def times_granted(filt: fp.PrivacyFilter, pair: fp.DominatingPair) -> int:
    most = 1 if filt.looks_at_losses else MOST  # what it grants next depends on the loss
    state, times = filt.start(1), 0
    while times < most and filt.admits(state, pair)[0]:
        state, times = filt.spend(state, pair), times + 1
    return times


@pytest.mark.parametrize("rule", FILTERS)
def test_what_is_granted_keeps_the_promise_at_every_order(rule: str) -> None:
    seen = 0
    for pair in PAIRS:
        filt = FILTERS[rule](pair)
        times = times_granted(filt, pair)
        seen += times > 0
        for order in ORDERS if times else ():
            # of sums of 10^6 terms the last digits are lost
            assert times * divergence(pair, order) <= promised(filt.promise, order) * (1 + 1e-7), (
                pair,
                order,
            )
    assert seen >= 10


@pytest.mark.parametrize("epsilon", [0.5, 40.0, 700.0])
def test_what_is_granted_keeps_an_approximate_promise_at_epsilons_to_700(epsilon: float) -> None:
    """By certified compositions, which share no code with the rules."""
    rules = (
        fp.ApproximateDPFilter(epsilon, 1e-9),
        fp.BasicFilter(epsilon, 1e-9),
        fp.HockeyStickFilter(epsilon, 1e-9),
    )
    seen = 0
    for filt in rules:
        for pair in PAIRS:
            if times := times_granted(filt, pair):
                seen += 1
                assert Composition({pair: times}).delta(epsilon, relative=0.1).low <= 1e-9, (filt, pair)
    assert seen >= 5
