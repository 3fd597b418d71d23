"""The constants inside filters and odometers, each by what it has to achieve."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import filters as fp
from filters.accounting.charges import approximate_charge, approximate_zcdp_charge
from filters.holders.odometers import (
    DoublingOdometer,
    RogersOdometer,
    StitchedOdometer,
)
from filters.rules.kappa import KappaFilter
from tests.theory import reference
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    RandomizedResponse,
    SubsampledGaussian,
)

# -- charges -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("adjacency", ["addition", "removal"])
def test_a_declared_delta_covers_both_directions(adjacency: str) -> None:
    """At eps = .5 the addition pair has no delta (its loss ends at -log .9), the removal pair .00203."""
    pair = SubsampledGaussian(0.1, 1.0, adjacency=adjacency)  # type: ignore[arg-type]
    both = [float(reference.hockey_stick(p, 0.5, 16)) for p in (pair, pair.swapped)]
    assert min(both) == 0.0
    epsilon, delta = approximate_charge(pair, 0.5)
    assert epsilon == 0.5
    assert delta == pytest.approx(max(both), rel=1e-11)
    assert delta >= max(both)
    for room, again in ((2.1, True), (1.9, False)):
        filt = fp.BasicFilter(1.0, room * max(both), at=0.5)
        assert filt.admits(filt.spend(filt.start(1), pair), pair)[0] == again


def test_a_divergence_is_charged_in_its_larger_direction() -> None:
    """Enumerated: D_2 of P = (1/2, 1/2), Q = (1/8, 7/8) is log(16/7), of (Q, P) log(25/16)."""
    pair = FinitePair((0.5, 0.5), (0.125, 0.875))
    for asked in (pair, pair.swapped):
        filt = fp.RenyiFilter(2.0, 4.0)
        left = filt.remaining(filt.spend(filt.start(1), asked))[0]
        assert 4.0 - left == pytest.approx(math.log(16 / 7), rel=1e-13)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 2.0])
def test_the_zcdp_charge_of_a_pair_with_failures_bounds_its_good_part(epsilon: float) -> None:
    """sup D_a / a over a > 1 of randomised response in mpmath; it tends to e^2/2 from below as e falls."""
    rho, xi = approximate_zcdp_charge(KOV(epsilon, 0.125))
    charged = rho.exact(1.0)[0]
    with mpmath.workdps(30):
        e = mpmath.mpf(epsilon)
        orders = [1 + mpmath.mpf(2) ** k for k in range(-20, 21)]
        least = max(
            mpmath.log(mpmath.cosh((a - 0.5) * e) / mpmath.cosh(e / 2)) / (a * (a - 1)) for a in orders
        )
        assert charged >= least
        assert epsilon > 0.1 or charged <= least * (1 + e * e)
    assert charged == fp.ZCDPFilter(4.0).charge(RandomizedResponse(epsilon)).exact(1.0)[0]
    assert xi.exact(1.0)[0] == 0.125


# -- Rogers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0.36, 0.01, 1e-9])
@pytest.mark.parametrize("reading", ["1/delta", "2/delta"])
def test_rogers_splits_delta_between_failures_and_the_deviation(delta: float, reading: str) -> None:
    """Failures take at most a half, and at M = deviation(S) the mixture of the proof has reached 2/delta.

    The mixture over k ~ N(0, 1/H) of e^{kM - k^2 S/2} is integrated here, not written as its closed form.
    """
    filt = fp.RogersFilter(2.0, delta, reading=reading)  # type: ignore[arg-type]
    start = filt.start(1)
    assert filt.admits(start, Erasure(delta / 2))[0]
    assert not filt.admits(start, Erasure(math.nextafter(delta / 2, 1.0)))[0]
    with mpmath.workdps(20):
        h = mpmath.mpf(filt.h)
        for squares in (0.0, 0.01 * filt.h, filt.h, 30 * filt.h):
            m, s = mpmath.mpf(float(filt.deviation(squares))), mpmath.mpf(squares)
            centre, width = m / (s + h), 1 / mpmath.sqrt(s + h)
            scale = mpmath.sqrt(h / (2 * mpmath.pi))
            mixture = mpmath.quad(
                lambda k, m=m, s=s: mpmath.exp(k * m - k * k * (s + h) / 2),
                [centre + width * j for j in range(-12, 13, 4)],
            )
            mixture *= scale
            assert mixture >= 2 / mpmath.mpf(delta) * (1 - mpmath.mpf(10) ** -10)
            if squares == 0:  # nothing spent: no slack
                assert mixture <= 2 / mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -10)


def test_the_odometer_of_rogers_spends_half_of_delta_on_failures() -> None:
    odometer = RogersOdometer(0.25, 100)
    for delta, known in ((0.125, True), (math.nextafter(0.125, 1.0), False)):
        state = odometer.spend(odometer.start(1), KOV(0.1, delta))
        assert bool(np.isfinite(odometer.epsilon(state)[0])) is known


# -- odometers: what the lines may fail with adds up to delta ---------------------------------------------------


def test_the_lines_of_the_stitched_odometer_share_delta() -> None:
    """Slope (k+1)/2 and intercept log(1/d)/k of each line, read off the bound, give back its d.

    They fall as (j+1)^-s, and s is the one exponent that makes the published constants: 1.7, .72 and 5.2
    are (2^(1/4) + 2^(-1/4)) sqrt(s/2), 1/s and zeta(s) / (log 2)^s, rounded up (Whitehouse et al., Theorem 5.3).
    """
    delta, first = 0.05, 0.1
    odometer = StitchedOdometer(delta, first)
    shares = []
    for j in range(40):
        middle = first * 2.0 ** (j + 0.5)
        s = np.array([middle * 0.999, middle * 1.001])
        low, high = odometer.bound(s)
        slope = (high - low) / (s[1] - s[0])
        shares.append(math.exp(-(low - slope * s[0]) * (2 * slope - 1)) / delta)
        if j != 1:  # there the line before is lower still; a line is the best one in the middle of its epoch
            best = middle / 2 + math.sqrt(-2 * middle * math.log(delta * shares[-1]))
            assert float(odometer.bound(np.array([middle]))[0]) == pytest.approx(best, rel=1e-9)
    exponents = [-math.log(shares[j] / shares[0]) / math.log(j + 1) for j in (3, 10, 39)]
    assert exponents == pytest.approx([exponents[0]] * 3, rel=1e-6)
    power = exponents[0]
    assert power > 1
    assert shares[0] * float(mpmath.zeta(power)) == pytest.approx(1.0, rel=1e-5)
    assert math.ceil(10 * (2**0.25 + 2**-0.25) * math.sqrt(power / 2)) / 10 == 1.7
    assert math.ceil(100 / power) / 100 == 0.72
    assert math.ceil(10 * float(mpmath.zeta(power)) / math.log(2) ** power) / 10 == 5.2


def test_the_filters_of_the_doubling_odometer_share_delta() -> None:
    """What each filter fails with, from its bound by Markov's inequality, adds up to delta and no more."""
    delta, first = 0.05, 0.01
    odometer = DoublingOdometer(delta, first)
    total, count = mpmath.mpf(0), 900
    with mpmath.workdps(30):
        for j in range(count):
            rho = mpmath.mpf(first) * mpmath.mpf(2) ** j
            epsilon = mpmath.mpf(float(odometer.bound(np.array([2 * float(rho)]))[0]))
            if j < 40:  # the deviation is lost beside rho further out
                total += mpmath.exp(-((epsilon - rho) ** 2) / (4 * rho))
        rest = (
            delta * (mpmath.zeta(2) - mpmath.fsum(mpmath.mpf(k) ** -2 for k in range(1, 41))) / mpmath.zeta(2)
        )
        assert abs(total + rest - delta) <= 1e-9 * delta


def test_a_filter_that_is_passed_by_an_ulp_has_halted() -> None:
    """The logarithm of first 2^j (1 + 2^-52) is rounded to j: the bound is that of filter j + 1 all the same."""
    odometer = DoublingOdometer(0.05, 0.01)
    for j in range(2, 40):
        size = 0.01 * 2.0**j
        at, passed, next_size = odometer.bound(2 * np.array([size, math.nextafter(size, math.inf), 2 * size]))
        assert at < passed == next_size


# -- realisation -----------------------------------------------------------------------------------------------


def test_the_realisation_filter_denies_what_rounding_alone_would_let_through() -> None:
    """Losses whose exact sum leaves no room, while their sum in doubles does: denied, in both directions."""
    pair = RandomizedResponse(0.25)
    filt = fp.RealisationFilter(2.0, 0.25, 40, (pair,), dhat=0.01, theta=0.001)
    rng = np.random.default_rng(5)
    limit = Fraction(2) - Fraction(0.25) - Fraction(0.25)
    near = 0
    for _ in range(400):
        losses = rng.uniform(0, 0.2, 12)
        exact = sum(map(Fraction, losses[:-1].tolist()), Fraction(0))
        rounded = float(np.cumsum(losses[:-1])[-1])  # one by one, as the filter adds them
        losses[-1] = float(limit) - rounded  # brings the sum in doubles to the limit
        exact += Fraction(float(losses[-1]))
        if rounded + losses[-1] > float(limit) or exact <= limit:
            continue
        near += 1
        for sign in (1.0, -1.0):
            state = filt.start(1)
            for loss in losses:
                state = filt.observe(filt.spend(state, pair), np.array([sign * loss]))
            state = filt.observe(filt.spend(state, pair), np.zeros(1))  # now the last loss counts
            assert not filt.admits(state, pair)[0]
        if near > 50:
            break
    assert near > 50


@pytest.mark.parametrize("rounds", [1, 2, 48])
def test_the_split_of_the_realisation_filter_pays_for_every_round(rounds: int) -> None:
    """dhat + theta (1 - dhat) N <= delta, 004 Theorem 1: in rationals, at the largest theta that satisfies it."""
    delta, dhat = 1e-3, 4e-4
    exact = (Fraction(delta) - Fraction(dhat)) / ((1 - Fraction(dhat)) * rounds)
    theta = float(exact)
    if Fraction(theta) > exact:
        theta = math.nextafter(theta, 0.0)
    menu = (Gaussian(0.5),)
    filt = fp.RealisationFilter(10.0, delta, rounds, menu, dhat=dhat, theta=theta)
    assert (filt.dhat, filt.theta, filt.rounds) == (dhat, theta, rounds)
    with pytest.raises(ValueError, match="dhat and theta must satisfy"):
        fp.RealisationFilter(10.0, delta, rounds, menu, dhat=dhat, theta=math.nextafter(theta, 1.0))
    chosen = fp.RealisationFilter(10.0, delta, rounds, menu)
    assert chosen.dhat is not None
    assert chosen.theta is not None
    spent = Fraction(chosen.dhat) + Fraction(chosen.theta) * (1 - Fraction(chosen.dhat)) * rounds
    assert Fraction(delta) * (1 - Fraction(1, 10**12)) <= spent <= Fraction(delta)


def test_the_failures_that_erasures_buy_stay_within_delta() -> None:
    """All that the realisation filter admits of erasures, exactly: theta N - 1 times, dhat once, or fewer."""
    filt = fp.RealisationFilter(1.0, 0.05, 6, (Erasure(0.02),), dhat=0.02, theta=0.005)
    worst = Fraction(0)
    for requests in itertools.product((0.02, 0.005, 0.004), repeat=4):
        state, survives = filt.start(1), Fraction(1)
        for p in (*requests, 0.005, 0.02, 0.02):
            pair: DominatingPair = Erasure(p)
            if not filt.admits(state, pair)[0]:
                break
            survives *= 1 - Fraction(p)
            state = filt.observe(filt.spend(state, pair), np.zeros(1))  # nobody was identified yet
        worst = max(worst, 1 - survives)
    assert worst <= Fraction(0.05)
    assert worst == 1 - (1 - Fraction(0.005)) ** 5 * (1 - Fraction(0.02))


# -- what further mutants lived on ----------------------------------------------------------------------------


def test_the_largest_sum_of_squares_of_rogers_is_reached_by_small_requests() -> None:
    filt = fp.RogersFilter(1.0, 1e-3)
    state, spent, each = filt.start(1), Fraction(0), RandomizedResponse(0.005)
    while filt.admits(state, each)[0]:
        state, spent = filt.spend(state, each), spent + Fraction(0.005) ** 2
    assert filt.squares * 0.97 <= spent <= filt.squares
    with mpmath.workdps(30):  # and where S/2 is most of it
        wide = fp.RogersFilter(50.0, 0.3)
        h, s = mpmath.mpf(wide.h), mpmath.mpf(wide.squares)
        deviation = mpmath.sqrt(
            2 * (s + h) * (1 + mpmath.log(s / h + 1) / 2) * mpmath.log(2 / mpmath.mpf(0.3))
        )
        assert 50 <= s / 2 + deviation <= 50 * (1 + mpmath.mpf(10) ** -9)


def test_the_realisation_filter_tells_its_directions_apart() -> None:
    """P = (1/2, 1/2), Q = (1/8, 7/8): the loss ends at log 4 one way and at log 7/4 the other."""
    pair = FinitePair((0.5, 0.5), (0.125, 0.875))
    up, down = math.log(4), math.log(7 / 4)
    for asked, ahead, back in ((pair, up, down), (pair.swapped, down, up)):
        filt = fp.RealisationFilter(3.0, 0.1, 5, (asked,), dhat=0.01, theta=0.01)
        for limit, sign in ((3 - 2 * ahead, 1), (3 - 2 * back, -1)):
            for loss, admitted in ((limit - 1e-9, True), (limit + 1e-9, False)):
                state = filt.observe(filt.spend(filt.start(1), asked), np.array([sign * loss]))
                state = filt.observe(filt.spend(state, asked), np.zeros(1))
                assert filt.admits(state, asked)[0] == admitted
        assert filt.admits(filt.start(1), asked)[0]
        assert not filt.admits(filt.start(1), asked.swapped)[0]  # beyond the menu in one direction


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_kappa_filter_needs_the_loss_before_the_last_release_strictly_inside(sign: float) -> None:
    """004, Proposition 1: output i+1 is released when |l^(i-1)| < kappa."""
    filt, pair = KappaFilter(1.0, 5), Gaussian(0.5)
    for loss, admitted in ((math.nextafter(1.0, 0.0), True), (1.0, False)):
        state = filt.observe(filt.spend(filt.start(1), pair), np.array([sign * loss]))
        assert filt.admits(state, pair)[0]  # the loss just realised is not looked at yet
        state = filt.observe(filt.spend(state, pair), np.zeros(1))
        assert filt.admits(state, pair)[0] == admitted
