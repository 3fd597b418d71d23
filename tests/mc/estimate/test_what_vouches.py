"""What vouches for a bound, and what happens where nothing does or it was wrong."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.estimate import path_bound
from filterproof.mc.estimate.declared_spending import expand_spending
from tests.mc.estimate.overspenders import OVERSPENDERS
from tests.mc.estimate.small_filters import TEN_TIMES, Grants, Silent

BY_NAME = {case.name: case for case in OVERSPENDERS}


def test_a_subclass_of_a_rule_has_not_its_theorem() -> None:
    class Half(fp.ZCDPFilter):
        def charge(self, request: Any) -> Any:
            return honest.charge(fp.Gaussian(request.mu / 2))

    honest = fp.ZCDPFilter(0.02)
    game = fp.runs.Game.between(honest, Silent(fp.Gaussian(0.1)))
    assert path_bound.proven_bounds(game, 1000) is not None
    assert path_bound.proven_bounds(replace(game, filter=Half(0.02)), 1000) is None
    namesake = type("ZCDPFilter", (Half,), {})
    assert path_bound.proven_bounds(replace(game, filter=namesake(0.02)), 1000) is None
    estimate = fp.simulate(
        Half(0.02), Silent(fp.Gaussian(0.2)), epsilon=1.0, n=20_000, rounds=4, method="tilted"
    )
    assert fp.Gaussian(0.4).hockey_stick(1.0) in estimate  # four rounds, where one is due
    assert estimate.over_bound > 0


def test_a_pair_of_ones_own_that_understates_its_charge_has_not_the_theorem() -> None:
    class Cheap(fp.Gaussian):
        @property
        def zcdp_rho(self) -> Any:
            return 0.0

    filt = fp.ZCDPFilter(0.02)
    estimate = fp.simulate(
        *(filt, Silent(fp.RandomizedResponse(0.1))), epsilon=0.1, n=2000, rounds=3, method="tilted", workers=1
    )
    assert "ledger" in estimate.rests_on
    foreign = fp.simulate(
        *(filt, Silent(Cheap(0.2))), epsilon=1.0, n=2000, rounds=3, method="tilted", workers=1
    )
    assert "requested Cheap, which the theorem does not cover" in foreign.rests_on
    # which of the two that rest on no bound is told depends on the draws, so that both may be wrong
    assert (estimate.failure, foreign.failure) == pytest.approx((1e-6, 5e-7))
    # where it says what it asks for, nothing need be played
    for pair, known in ((fp.Gaussian(0.2), True), (Cheap(0.2), False)):
        bounds = path_bound.proven_bounds(fp.runs.Game(filt, fp.Constant(pair), 3), 1000)
        assert bounds is None or bounds.rests_on_rule_theorem == known


class Calling(fp.Constant):
    """Says itself what it asks for, in a method that its request calls."""

    @property
    def possible_requests(self) -> Any:
        return (fp.Gaussian(0.1),)

    def larger(self, view: Any) -> Any:
        return fp.Gaussian(0.1)

    def request(self, view: Any) -> Any:
        return self.larger(view)


class Sly(Calling):
    """Asks for much more after a rare loss than what it inherits says, in a method that the request calls."""

    def larger(self, view: Any) -> Any:
        return fp.Gaussian(np.where(view.loss < -0.35, 6.0, 0.1))


class Frank(Sly):
    possible_requests = (fp.Gaussian(0.1), fp.Gaussian(6.0))  # type: ignore[assignment]


class Changed(fp.Constant):
    """Asks for something else than the pair of which it inherits that it is all."""

    def request(self, view: Any) -> Any:
        return fp.Gaussian(6.0)


class Responding(fp.HighWhileLossPositive):
    """Asks for no Gaussian, where the class above says that it asks for nothing else."""

    def request(self, view: Any) -> Any:
        return fp.RandomizedResponse(0.1)


class Last(fp.ManySmall):
    """Its final request depends on the loss, where the class above says that it does not."""

    def final(self, view: Any) -> Any:
        return fp.Gaussian(np.where(view.loss < -3, 2.0, 0.1))


def test_what_an_adversary_inherits_says_nothing_of_requests_of_its_own() -> None:
    asking = (Changed(0.1), Calling(0.1), Sly(0.1), Frank(), Last(2, fp.Gaussian, 0.1))
    changed, calling, sly, frank, last = (
        fp.runs.Game.between(Grants(fp.GaussianDP(1.0)), of, rounds=2) for of in asking
    )
    assert path_bound.proven_bounds(sly, 1000) is path_bound.proven_bounds(changed, 1000) is None
    for game, squares in ((calling, 0.02), (frank, 72.0)):
        bounds = path_bound.proven_bounds(game, 1000)
        assert bounds is not None
        assert bounds.squares == pytest.approx(squares)
    assert expand_spending(last, 1000) is None
    assert expand_spending(replace(last, adversary=fp.ManySmall(2, fp.Gaussian, 0.1)), 1000) is not None
    responding = fp.simulate(fp.ZCDPFilter(0.5), Responding(), epsilon=0.05, n=2000, rounds=1, workers=1)
    assert fp.RandomizedResponse(0.1).hockey_stick(0.05) in responding


def test_states_that_are_expanded_are_those_of_the_code_that_runs() -> None:
    game = fp.runs.Game.between(TEN_TIMES, fp.HighWhileLossPositive(low=0.1, high=0.2, family=fp.Gaussian))
    spending = expand_spending(game, 1000)
    assert spending is not None
    assert spending.squares == pytest.approx(0.4, rel=1e-12)
    assert spending.divergence(3.0) == pytest.approx(0.6, rel=1e-12)
    # a filter that looks at losses, and an adversary that does not say what it asks for, cannot be expanded
    lavish = BY_NAME["2 times, one path in 1e4"]
    assert (
        expand_spending(fp.runs.Game.between(lavish.filter, lavish.adversary(announced=True)), 1000) is None
    )
    assert expand_spending(fp.runs.Game.between(TEN_TIMES, Silent(fp.Gaussian(0.1))), 1000) is None


def test_more_paths_are_worth_a_longer_walk() -> None:
    """Ten rounds reach 107 states, sums of doubles in other orders among them."""
    either = fp.MenuRandom((fp.RandomizedResponse(0.35), fp.RandomizedResponse(0.2)))
    game = fp.runs.Game.between(fp.ZCDPFilter(1.0), either, rounds=10)
    assert [expand_spending(game, 1000, most=most) is not None for most in (100, 200, 100)] == [
        False,
        True,
        False,
    ]


def one_mu_rho(request: Any) -> Any:
    """The charge of a pair with one mu for all runs, and nothing for one mu for each: a choice passes for free."""
    return 0.0 if request.shape else request.zcdp_rho


def test_states_are_expanded_for_every_way_to_ask_for_a_pair() -> None:
    choosing = fp.MenuRandom((fp.Gaussian(1.0), fp.Gaussian(0.01), fp.Gaussian(3.0)))
    free, paid = (
        expand_spending(fp.runs.Game.between(filt, choosing, rounds=2), 1000)
        for filt in (Grants(fp.ZCDP(0.02), 0.52, one_mu_rho), fp.ZCDPFilter(0.52))
    )
    assert free is not None
    assert paid is not None
    assert free.squares >= 1 + 9
    assert paid.squares <= 1.04


def test_a_word_about_single_losses_is_not_believed() -> None:
    """A monitor keeps divergences of one order, which bound no loss; at epsilon 10 the word alone says 0."""
    claims, rules = (
        fp.runs.Game.between(filt, Silent(fp.Gaussian(0.1)))
        for filt in (Grants(fp.PureDP(10.0), 1), fp.BasicFilter(1.0))
    )
    stated, proven = path_bound.bounds_stated_by_filter(claims), path_bound.proven_bounds(rules, 10)
    assert stated is not None
    assert proven is not None
    assert (stated.finite_loss_bound, proven.finite_loss_bound) == (math.inf, 1.0)


def test_losses_that_are_taken_for_epsilon_but_for_rounding_decide_nothing_below() -> None:
    """At epsilon 700 the allowance for rounding is 6e-10, more than the delta in question."""
    pair = fp.RandomizedResponse(350 * (1 + 0.97 * 2.0**-40))
    decision = fp.sequential_test(
        fp.ZCDPFilter(1e9), fp.Constant(pair), epsilon=700.0, delta=1e-10, most=600_000, rounds=2, workers=1
    )
    assert decision.side is fp.results.ThresholdSide.UNDECIDED


def test_the_smallest_budget_of_the_rogers_filter_holds_every_path_to_nothing() -> None:
    filt = fp.RogersFilter(1e-300, 1e-5)
    assert filt.holds is not None
    assert filt.holds.zcdp <= 1e-300
    assert fp.simulate(filt, Silent(fp.RandomizedResponse(0.1)), epsilon=0.1, n=100, workers=1).value == 0


def test_a_bound_at_one_order_is_one_at_lower_orders_alone() -> None:
    guarantees = fp.AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0)).holds
    bounds = path_bound.PathBound(path_bound.bounds_of_guarantee_scope(guarantees, "stated", ruled=True))
    for order, due in ((1.25, 0.25), (2.0, 0.25), (2.5, 1.0), (8.0, 1.0), (8.5, 4.0), (33.0, math.inf)):
        assert bounds.divergence(order) == pytest.approx(due)
    assert bounds.squares == pytest.approx(2 * 0.125)  # D_a of Gaussian(mu) is a mu^2 / 2
