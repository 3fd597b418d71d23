"""A clock keeps its promise with the largest budget that its game allows, and rounds up by domination."""

import math
from fractions import Fraction

import pytest

import filterproof as fp
from mc.worst_case.calibrated_clock import ShareFilter

EPSILON, DELTA = 1.0, 0.02


def test_on_gaussians_the_budget_is_that_of_their_squares() -> None:
    """By the closed form: n units of mu^2 are sqrt(n) mu-GDP, whoever chooses, and no more than gaussian_mu is."""
    clock = fp.calibrated_clock(EPSILON, DELTA, [fp.Gaussian(0.2), fp.Gaussian(0.4)])
    assert isinstance(clock.inner, ShareFilter)
    assert clock.inner.units == (1, 4)
    assert clock.inner.most == math.floor((float(fp.gaussian_mu(EPSILON, DELTA)) / 0.2) ** 2)
    assert clock.recheck().high <= DELTA
    assert (
        fp.worst_case(ShareFilter(clock.menu, (1, 4), clock.inner.most + 1), clock.menu, epsilon=1.0).low
        > DELTA
    )


def test_what_lies_between_members_is_charged_as_the_next_and_the_rest_is_denied() -> None:
    menu = [
        fp.RandomizedResponse.from_ratio(Fraction(6, 5)),
        fp.RandomizedResponse.from_ratio(Fraction(7, 5)),
    ]
    clock = fp.calibrated_clock(EPSILON, DELTA, menu)
    assert 0.8 * DELTA < clock.certificate.high <= DELTA
    assert clock.certificate.high == clock.recheck().high
    granted = []
    for pair in (*menu, fp.Laplace(4.0), fp.RandomizedResponse(0.05), fp.Gaussian(0.01), fp.Laplace(2.0)):
        session = clock.open()
        while session.request(pair):
            pass
        granted.append(session.granted)
    least, most = granted[:2]
    assert least > 2 * most > 0  # a loss half as large is charged a fourth, about
    assert granted[2:] == [most, least, 0, 0]


def test_a_subsampled_gaussian_is_rounded_up_to_a_larger_rate() -> None:
    menu = [fp.SubsampledGaussian(q=0.2, sigma=2.0), fp.SubsampledGaussian(q=0.4, sigma=2.0)]
    clock = fp.calibrated_clock(1.0, 0.01, menu, levels=8)
    session = clock.open("retry")
    assert session.request(fp.SubsampledGaussian(q=0.3, sigma=2.2))
    assert session.request(menu[1])
    assert not session.request(fp.SubsampledGaussian(q=0.5, sigma=2.0))
    for pair in menu:  # beside the rounds of a fixed plan
        n = clock.inner.most // clock.inner.units[menu.index(pair)]
        assert fp.Composition({pair: n}).delta(1.0).high <= 0.01
        assert fp.Composition({pair: n * 5 // 4 + 2}).delta(1.0).low > 0.01


def test_units_are_whole_numbers_of_each_member() -> None:
    pair = fp.Gaussian(0.1)
    with pytest.raises(ValueError, match="a number for each of the menu"):
        ShareFilter((pair,), (1, 2), 3)
    with pytest.raises((TypeError, ValueError), match="units"):
        ShareFilter((pair,), (0,), 3)
    with pytest.raises(ValueError, match="delta must be in reach"):
        fp.calibrated_clock(EPSILON, DELTA, [fp.Gaussian(10.0)])
