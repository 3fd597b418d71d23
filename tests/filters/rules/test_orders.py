"""All orders hold the promise; some order does not; the order that is chosen for a plan keeps most of it."""

import math

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.filters.certified.certify import certify
from filterproof.filters.rules.guarantee_budget import order_budget
from filterproof.filters.rules.one_sum import PlannedRenyiFilter
from filterproof.theory.conversions import CKS
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import (
    DominatingPair,
    FinitePair,
    Gaussian,
    RandomizedResponse,
    SubsampledGaussian,
)
from filterproof.theory.thresholds.some_order_delta_share import some_order_rule_delta_share
from tests.slow_cases import slow_but


def test_some_order_is_beaten_by_two_branches() -> None:
    with fp.suppress_unsound_warning():
        filt = fp.SomeOrderFilter(6.0, 0.01, (2.0, 32.0))
    hair = 1e-7  # given back: the last digits of the printed pairs are rounded
    firsts = ((0.608430710 - hair, 0.001614676 + hair), (0.0168334078 - hair, 1.88775534e-5 + hair))
    branches = [FinitePair((p, 1 - p), (q, 1 - q)) for p, q in firsts]
    state, lost, keep = filt.spend(filt.start(1), RandomizedResponse(0.1)), 0.0, 1 / (1 + math.exp(-0.1))
    for p, q, pair in zip((keep, 1 - keep), (1 - keep, keep), branches, strict=True):
        assert filt.admits(state, pair)[0]
        lost += sum(max(p * a - math.exp(6.0) * q * b, 0) for a, b in zip(pair.p, pair.q, strict=True))
    assert lost > 0.0139


def test_a_curve_of_many_orders_is_told_in_a_line() -> None:
    curve = fp.AllOrdersFilter(tuple(map(float, range(2, 300))), (1.0,) * 298).promise
    assert str(curve) == "(2, ..., 299)-RDP curve of 298 orders"


def test_what_an_adversary_may_lose_by_changing_the_order_is_what_the_theorem_leaves_it() -> None:
    filt = fp.SomeOrderMarkovFilter(6.0, 0.01, (2.0, 32.0))
    share = some_order_rule_delta_share(filt.usable, filt.delta)
    for epsilon in (6.0, 7.0):
        found = filt.extremal(epsilon)
        assert found.low < share * filt.delta <= found.high <= share * filt.delta * (1 + 1e-12)
    assert filt.extremal(5.0).high == 1.0


PLANS: list[dict[DominatingPair, float]] = [
    {SubsampledGaussian(0.01, 1.0): 1},
    {SubsampledGaussian(0.05, 1.0, adjacency="addition"): 3},
    {SubsampledGaussian(0.01, 1.0): 600, SubsampledGaussian(0.02, 1.2): 100},
    {Gaussian(0.1): 5},
]


@pytest.mark.parametrize("plan", slow_but(PLANS[2:], PLANS))
def test_no_order_on_a_fine_grid_lets_the_plan_last_longer(plan: dict[DominatingPair, float]) -> None:
    filt = fp.RenyiFilter.planned(2.0, 1e-5, plan)

    def lasts(alpha: float, budget: float) -> float:
        return budget / sum(n * max(p.renyi(alpha), p.swapped.renyi(alpha)) for p, n in plan.items())

    own = lasts(filt.alpha, filt.rho)
    for alpha in (*np.linspace(1.5, 40, 39).tolist(), *(filt.alpha * np.linspace(0.9, 1.1, 21)).tolist()):
        assert lasts(alpha, order_budget(alpha, 2.0, 1e-5, CKS)) <= own * (1 + 1e-4)
    assert filt.promise == ApproxDP(2.0, 1e-5)
    assert fp.RenyiFilter(filt.alpha, filt.rho).promise.delta(2.0) <= 1e-5 * (1 + 1e-12)
    checked = certify(filt)
    assert checked.holds
    assert {"promised epsilon", "promised delta", "budget"} <= {
        one.says.partition(": ")[2] for one in checked.numbers
    }
    with pytest.raises(ValueError, match=r"rho must be at most .* use RenyiFilter\.planned"):
        PlannedRenyiFilter(filt.alpha, filt.rho * (1 + 1e-12), 2.0, 1e-5)
