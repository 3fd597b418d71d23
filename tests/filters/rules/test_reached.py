"""A filter says which states granted requests lead to, and no other is restored."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.rules.additive import SumsFilter
from filterproof.filters.rules.ex_post import ExPostFilter
from filterproof.filters.rules.kappa_filter import KappaFilter
from filterproof.filters.rules.orders import SomeOrderRule
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import KOV, DominatingPair, Gaussian, RandomizedResponse
from tests.filters.accountants.saved_session import forged, refusal, reread
from tests.filters.own import Known, of

STEP, BIT, SMALL = Gaussian(mu=0.5), RandomizedResponse(0.25), RandomizedResponse(0.01)
NATURAL, BLACKWELL = (
    CATALOGUE["NonadaptiveCompositionFilter"].example(),
    CATALOGUE["BlackwellFilter"].example(),
)
RANGED = CATALOGUE["RangedBlackwellFilter"].example()
REALISED, KAPPA = CATALOGUE["RealisationFilter"].example(), KappaFilter(3.0, 4)
BOUNDED = fp.RealisationFilter(1.0, 1e-3, 400, (BIT,))
NAIVE = CATALOGUE["NaiveRealisationFilter"].example()


@pytest.mark.parametrize(
    ("filt", "part", "values", "pair"),
    [
        (NATURAL, 0, [1, 0], RandomizedResponse.from_ratio(Fraction(3, 2))),
        (BLACKWELL, 0, [-1], BIT),
        (BLACKWELL, 0, [2**47], BIT),  # to compose them would never end
        (NATURAL, 0, [2**47, 0, 0], RandomizedResponse.from_ratio(Fraction(3, 2))),
        (RANGED, 0, [2**47, 0, 0, 0, 0], RANGED.menu[0]),
        (BLACKWELL, 1, [-1.0], BIT),
        (REALISED, 0, [math.nan], STEP),
        (REALISED, 2, [-1.0], STEP),  # a quantile of the loss that no mechanism has
        (REALISED, 3, [-math.inf], STEP),
        (REALISED, 4, [49], STEP),
        (REALISED, 0, [0.5], STEP),  # before the first release nothing was lost
        (BOUNDED, 0, [-0.1], BIT),
        (BOUNDED, 1, [0.26], BIT),  # more than the menu ever loses
        (KAPPA, 0, [0.5], STEP),
        (KAPPA, 2, [5], STEP),
        (NAIVE, 0, [math.nan], BIT),
        (fp.RogersFilter(2.0, 1e-3), 2, [1.0], SMALL),  # within its own sum, and beyond the bound
        (CATALOGUE["SomeOrderMarkovFilter"].example(), 0, [-1.0], SMALL),
    ],
)
def test_states_that_no_grants_lead_to_are_refused(
    filt: fp.PrivacyFilter, part: int, values: list[object], pair: DominatingPair
) -> None:
    data = forged(filt, part, values, pair)
    assert "state must be reachable by granted requests" in refusal(data, filt, policy="halt")


SUMS = [
    entry.example()
    for entry in CATALOGUE.values()
    if issubclass(entry.filter_class, SumsFilter)
    and not issubclass(entry.filter_class, (SomeOrderRule, ExPostFilter))
]


@pytest.mark.parametrize("filt", SUMS, ids=lambda filt: type(filt).__name__)
def test_a_sum_below_zero_or_above_its_budget_is_not_reached(filt: SumsFilter) -> None:
    for place, budget in enumerate(filt._sum_budgets):
        for wrong in (-1e-9, budget.high * 1.01, math.nan, -math.inf):
            state = [part.copy() for part in filt.start(2)]
            state[2 * place][1] = wrong
            assert filt.is_reachable_state(tuple(state)).tolist() == [True, False]


def test_an_order_that_is_used_up_may_be_beyond_its_budget() -> None:
    filt = CATALOGUE["SomeOrderMarkovFilter"].example()
    for beyond in (1e6, math.inf, math.nan):
        data = forged(filt, 2, [beyond], SMALL)
        assert fp.Session.from_dict(data, filt).to_dict() == data
    both = forged(filt, 2, [1e6], SMALL)
    both["state"][0]["values"] = [(1e6).hex()]
    assert "must be reachable" in refusal(both, filt, policy="halt")


def test_the_loss_so_far_is_one_that_the_releases_before_the_last_can_have_had() -> None:
    # two releases before the last of 0.25 at most, which may not have left the limits
    for value in (0.5, -0.5, 0.25, 0.0):
        data = forged(BOUNDED, 0, [value], BIT, [0.25, 0.25, -0.25])
        assert fp.Session.from_dict(data, BOUNDED).to_dict() == data
    for value in (0.51, -0.51):
        data = forged(BOUNDED, 0, [value], BIT, [0.25, 0.25, -0.25])
        assert "must be reachable" in refusal(data, BOUNDED, policy="halt")
    # a run is denied as soon as the loss is beyond 0.5, 1 less the menu and the last: one more came on top
    assert fp.Session.from_dict(forged(BOUNDED, 0, [0.99], BIT, [0.25, -0.25] * 20), BOUNDED).granted == 40
    for value in (1.26, -1.26):
        data = forged(BOUNDED, 0, [value], BIT, [0.25, -0.25] * 20)
        assert "must be reachable" in refusal(data, BOUNDED, policy="halt")


@pytest.mark.parametrize("loss", [math.inf, -math.inf])
def test_an_infinite_loss_is_restored_and_ends_the_run(loss: float) -> None:
    filt = fp.RealisationFilter(3.0, 0.1, 40, (KOV(0.25, 1e-5),))
    session = filt.open()
    assert session.request(KOV(0.25, 1e-5))
    session.observe(loss)
    session = fp.Session.from_dict(reread(session.to_dict()), filt)
    assert session.request(KOV(0.25, 1e-5))
    session.observe(0.25)
    session = fp.Session.from_dict(reread(session.to_dict()), filt)
    assert not session.request(KOV(0.25, 1e-5))


class Mine(fp.PrivacyFilter):
    """Two arrays of one's own, one with a second axis that grows, with a mark that is no number."""

    promise = ApproxDP(1.0, 1e-5)

    def start(self, n: int) -> Any:
        return np.zeros((n, 0), dtype=np.float32), np.full(n, math.nan), np.zeros(n, dtype=np.bool_)

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return state[0].sum(axis=1) + request.pure_epsilon <= 1

    def spend(self, state: Any, request: DominatingPair) -> Any:
        past, mark, flags = state
        more = np.full((len(past), 1), request.pure_epsilon, dtype=np.float32)
        return np.concatenate((past, more), axis=1), mark, ~flags


def test_a_filter_of_ones_own_is_restored_whatever_its_arrays_are() -> None:
    session = Mine().open("retry")
    for epsilon in (0.5, 0.25, 0.5, 0.125):
        session = fp.Session.from_dict(reread(session.to_dict()), Mine(), "retry")
        session.request(RandomizedResponse(epsilon))
    assert session.granted == 3
    data = reread(session.to_dict())
    assert fp.Session.from_dict(data, Mine(), "retry").to_dict() == data
    data["state"][0]["values"][0] = "nan"
    assert "must be reachable" in refusal(data, Mine())
    data = reread(session.to_dict())
    data["state"][0]["values"][0] = (0.1).hex()  # has more bits than a single
    assert "state must hold arrays of float32" in refusal(data, Mine())


def test_a_filter_of_ones_own_says_which_states_there_are() -> None:
    """What a subclass says nothing of is what its base says, unless it counts otherwise."""
    pair = RandomizedResponse(0.5)
    doubled = of(Known, spend=lambda filt, state, request: state + request.pure_epsilon / 2)
    wider = of(Known, admits=lambda filt, state, request: state + request.pure_epsilon <= 0.75)
    logged = of(fp.GaussianFilter, admits=lambda filt, *asked: fp.GaussianFilter.admits(filt, *asked))
    mumbling = of(Known, is_reachable_state=lambda filt, state: True)
    data = forged(doubled(), 0, [1.5], pair)
    assert fp.Session.from_dict(data, doubled()).to_dict() == data
    for filt, value in ((Known(), -3.0), (wider(), -3.0), (logged(1.0), -1000.0)):
        assert "must be reachable" in refusal(forged(filt, 0, [value], pair), filt, policy="halt")
    with pytest.raises(
        TypeError, match=r"Own\.is_reachable_state must return booleans of shape \(1,\), got True"
    ):
        fp.Session.from_dict(forged(mumbling(), 0, [0.5], pair), mumbling())
