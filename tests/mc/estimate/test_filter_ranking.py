"""Comparisons of filters: rounds that a session grants again, beside the best that a fixed plan can have."""

import math
from fractions import Fraction
from functools import cache

import pytest

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from tests.slow_cases import slow_but

#: Sound filters of the catalogue that are not compared, and why.
NOT_COMPARED = {
    "ZCDPFilter": "with the budget B* it is the ApproximateDPFilter",
    "AllOrdersFilter": "one of its orders decides: it is at most the RenyiFilter of that order",
    "SomeOrderMarkovFilter": "one of its orders decides, by a conversion that is never better than the RenyiFilter's",
    "ApproximateZCDPFilter": "the mechanisms have no bad event, so its xi buys nothing",
}
#: Those that are told the losses.
LOSS_OBSERVERS = {"ExPostFilter", "HockeyStickFilter", "RealisationFilter"}
EPSILON, DELTA = 1.0, 1e-4
MECHANISMS = {
    "pure": fp.PureDP(0.25),
    "exponential": fp.BoundedRange(0.25),
    "gaussian": fp.GaussianDP(0.125),
    "zcdp": fp.ZCDP(1e-3),
}


def run(line: str, names: dict) -> None:
    exec(line, names)  # noqa: S102, it is what the library prints


@cache
def compared(word: str) -> fp.results.FilterComparison:
    return fp.rank_filters_by_releases(EPSILON, DELTA, MECHANISMS[word])


@pytest.mark.parametrize("word", slow_but([*MECHANISMS][:2], MECHANISMS))
def test_the_code_of_each_filter_runs_and_a_session_grants_as_many(word: str) -> None:
    for choice in compared(word).choices:
        opens, asks = choice.code.splitlines()
        names = {"fp": fp}
        run(opens, names)
        run(asks, names)
        if "observe" in asks:
            assert names["granted"] is True
            continue
        granted = 0
        while names["granted"]:
            granted += 1
            run(asks, names)
        assert granted == choice.rounds == choice.low == choice.high, choice.name


@pytest.mark.parametrize("word", MECHANISMS)
def test_no_filter_that_ignores_losses_grants_more_than_a_plan_can_have(word: str) -> None:
    ranking = compared(word)
    shares = [row["share_low"] for row in ranking.rows() if row["filter"] not in LOSS_OBSERVERS]
    assert 0 < max(shares) <= 1
    assert [choice.rounds for choice in ranking.choices] == sorted(
        (choice.rounds for choice in ranking.choices), reverse=True
    )


def test_gaussians_have_what_the_closed_form_allows_and_the_gdp_filter_all_of_it() -> None:
    ranking = compared("gaussian")
    most = math.floor((float(fp.conversions.max_gaussian_mu(EPSILON, DELTA)) / 0.125) ** 2)
    assert ranking.fewest == ranking.most == most
    assert {choice.name: choice.rounds for choice in ranking.choices}["GaussianFilter"] == most


def test_responses_have_what_the_binomial_sum_allows() -> None:
    ranking = compared("pure")
    e = math.exp(0.25)

    def delta(k: int) -> float:
        return (
            sum(math.comb(k, j) * max(e**j - math.exp(EPSILON) * e ** (k - j), 0) for j in range(k + 1))
            / (1 + e) ** k
        )

    assert delta(ranking.fewest) <= DELTA < delta(ranking.most + 1)
    assert {choice.name: choice.rounds for choice in ranking.choices}["calibrated"] == ranking.most


def test_of_rho_alone_only_what_rests_on_rho_is_compared() -> None:
    ranking = compared("zcdp")
    assert {choice.name.split(",")[0] for choice in ranking.choices} == {"ApproximateDPFilter", "RenyiFilter"}
    assert ranking.choices[0].rounds == math.floor(float(fp.CKS.budget(EPSILON, DELTA)) / 1e-3)
    assert ranking.choices[0].rounds <= ranking.fewest <= ranking.most
    assert ranking.most == math.floor(float(fp.conversions.max_gaussian_mu(EPSILON, DELTA)) ** 2 / 2e-3)


def test_the_mean_of_rounds_that_losses_decide_is_in_its_interval() -> None:
    ranking = compared("pure")
    for choice in [choice for choice in ranking.choices if choice.name in LOSS_OBSERVERS]:
        names = {"fp": fp}
        run(choice.code.splitlines()[0].removesuffix(".open()"), names)
        filt = names["session"]
        longest = getattr(filt, "rounds", 8 * ranking.most)
        curve = fp.release_survival(
            filt, fp.Constant(fp.RandomizedResponse(0.25)), n=4000, rounds=longest, seed=9
        )
        mean = sum(at.value for at in curve.at)
        assert choice.low <= mean <= choice.high
        assert choice.low <= choice.rounds <= choice.high


def test_every_sound_filter_of_the_catalogue_is_compared_or_a_reason_is_given() -> None:
    names = {choice.name.split(",")[0] for word in MECHANISMS for choice in compared(word).choices}
    sound = {name for name, entry in CATALOGUE.items() if entry.sound}
    assert sound - names == set(NOT_COMPARED)


def test_where_no_round_fits_every_filter_says_none() -> None:
    ranking = fp.rank_filters_by_releases(Fraction(1, 10), 1e-9, fp.Gaussian(3.0))
    assert ranking.fewest == ranking.most == 0
    assert {choice.rounds for choice in ranking.choices} == {0}
    assert ranking.rows()[0]["share_low"] is None


def test_rounds_of_zcdp_are_counted_where_few_bits_do_not_tell_b_star() -> None:
    # B* is 50 - log(0.01), as far as digits show
    ranking = fp.rank_filters_by_releases(50.0, 0.99, fp.ZCDP(5.0))
    assert ranking.fewest == 10 <= ranking.most
