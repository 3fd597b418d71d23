"""The filters that add up: their charges, what they can afford."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import filterproof.filters as fp
from filterproof.filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.mc.engine.encoding import allowed_values_by_name, decode, encode
from filterproof.theory.conversions import BUN_STEINKE
from filterproof.theory.guarantees import ApproxDP, GaussianDP
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from tests.filters.own import of

ADDITIVE = [
    fp.GaussianFilter(mu=1.0),
    fp.ZCDPFilter(rho=0.5),
    fp.RenyiFilter(alpha=3.0, rho=1.5),
    fp.ApproximateDPFilter(1.0, 1e-5),
    fp.ApproximateDPFilter(1.0, 1e-5, BUN_STEINKE),
]


@settings(deadline=None, max_examples=settings.default.max_examples // 4)  # a bisection each
@given(st.sampled_from(ADDITIVE), st.lists(st.floats(0, 1), max_size=6), st.booleans())
@example(ADDITIVE[2], [0.5], True)
def test_what_is_affordable_is_admitted_and_nothing_more_is(
    filt: AdditiveFilter, shares: list[float], gaussian: bool
) -> None:
    family = Gaussian if gaussian else RandomizedResponse
    state = filt.start(1)
    for share in [*shares, 1.0]:
        best = filt.affordable(state, family)
        if best[0] == 0:
            return
        assert filt.admits(state, family(best))[0]
        if best[0] ** 2 >= 2.0**-38:
            assert not filt.admits(state, family(best * (1 + 1e-14)))[0]
        if share > 0:
            state = filt.spend(state, family(best * max(share, 1e-6)))
    assert filt.affordable(state, family)[0] <= 1e-6


@pytest.mark.parametrize("filt", ADDITIVE[:3], ids=repr)
def test_a_family_of_which_the_charge_knows_no_square_is_bisected(filt: AdditiveFilter) -> None:
    best = filt.affordable(filt.start(1), lambda t: Gaussian(t / 2))
    assert filt.admits(filt.start(1), Gaussian(best / 2))[0]
    assert not filt.admits(filt.start(1), Gaussian(best / 2 * (1 + 1e-12)))[0]


def test_what_little_is_left_is_affordable_too() -> None:
    """Rooms of 2^-67 to 2^-54 of the budget, where the ledger's own rounding outweighs the shave of the root."""
    rng = np.random.default_rng(0)
    for mu in rng.uniform(0.2, 1.9, 60):
        filt = fp.GaussianFilter(mu)
        budget = filt.budget
        low = budget.low - np.spacing(abs(budget.low)) * np.round(2.0 ** rng.uniform(40, 53, 31))
        state = (np.full(31, budget.high), low)
        best = filt.affordable(state, Gaussian)
        assert (best > 0).all()
        assert filt.admits(state, Gaussian(best)).all()


RULES = (pure_charge, zcdp_charge, gdp_charge, renyi_charge.at(8.0))


def test_a_charge_is_a_value_with_a_name() -> None:
    names = "pure_charge", "zcdp_charge", "gdp_charge", "renyi_charge.at(8.0)"
    for rule, name in zip(RULES, names, strict=True):
        assert repr(rule) == name
        assert pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301
        assert decode(encode(rule, allowed_values_by_name()), allowed_values_by_name()) == rule
        assert rule.source
    assert pickle.loads(pickle.dumps(zcdp_charge)) is zcdp_charge  # noqa: S301
    assert renyi_charge.at(8) == renyi_charge.at(8.0)


def test_the_budget_follows_from_promise_and_charge() -> None:
    mine = of(AdditiveFilter, promise=ApproxDP(1.0, 1e-5), charge=zcdp_charge)

    class When(AdditiveFilter):
        charge = gdp_charge

        def __init__(self, mu: float) -> None:
            self.promise = GaussianDP(mu)

    assert mine().budget == fp.ApproximateDPFilter(1.0, 1e-5).budget == mine.budget
    simple = fp.ApproximateDPFilter(1.0, 1e-5, BUN_STEINKE)
    assert of(mine, conversion=BUN_STEINKE)().budget == simple.budget
    assert of(mine, budget=Budget.of(0.02))().budget.limit == 0.02
    assert [When(mu).budget for mu in (0.3, 1.0)] == [fp.GaussianFilter(mu).budget for mu in (0.3, 1.0)]
