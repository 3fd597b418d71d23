"""Doubles against mpmath to 1e-12 relative, on grids that Hypothesis draws, down to delta = 1e-300."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.theory import reference
from theory import CKS, SIMPLE, gaussian_epsilon, gaussian_mu, kappa, optimal_split
from theory.conversions import CONVERSIONS, Conversion
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from theory.pairs import KOV, Erasure, Gaussian, RandomizedResponse
from theory.pairs.finite import Finite


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers from low to high whose logarithms are spread evenly."""
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def close(value: object, expected: object, rel: float = 1e-12) -> bool:
    """Equal to within `rel`; below 1e-300 doubles have fewer digits and are left out."""
    if expected == 0 or abs(expected) < 1e-300:  # type: ignore[operator, arg-type]
        return abs(float(value)) < 1.1e-300  # type: ignore[arg-type]
    return abs(float((value - expected) / expected)) <= rel  # type: ignore[operator]


grid = settings(deadline=None, derandomize=True)
few = settings(max_examples=20, deadline=None, derandomize=True)

deltas = powers(1e-300, 0.5)
mus = powers(1e-6, 40.0)
finite_pairs: st.SearchStrategy[Finite] = st.one_of(
    st.builds(RandomizedResponse, powers(1e-9, 600.0)),
    st.builds(Erasure, powers(1e-300, 1.0)),
    st.builds(KOV, powers(1e-9, 600.0), powers(1e-300, 1.0)),
)


@grid
@given(mu=mus, z=st.floats(-20.0, 36.5), sign=st.sampled_from([1, -1]))
@example(mu=1e-6, z=36.5, sign=1)
@example(mu=1e-6, z=-5e-7, sign=1)
@example(mu=1e-6, z=3.0, sign=-1)
@example(mu=40.0, z=36.5, sign=1)
@example(mu=40.0, z=-20.0, sign=1)
@example(mu=100.0, z=-50.0, sign=1)
def test_the_gaussian_hockey_stick(mu: float, z: float, sign: int) -> None:
    epsilon = sign * max(mu * (z + mu / 2), 0.0)
    expected = reference.hockey_stick(Gaussian(mu), epsilon, 16)
    assert close(Gaussian(mu).hockey_stick(epsilon), expected)
    assert close(math.exp(Gaussian(mu).log_hockey_stick(epsilon)), expected)


def test_the_log_of_the_hockey_stick_goes_on_where_doubles_end() -> None:
    # delta = 1e-2177 or so: the ratio of the leading asymptotic terms phi(t) mu / t^2
    value = Gaussian(1.0).log_hockey_stick(100.0)
    t = 99.5
    leading = -t * t / 2 - math.log(2 * math.pi) / 2 - math.log(t * (t + 1))
    assert value == pytest.approx(leading, abs=3 / t**2)


@grid
@given(pair=finite_pairs, share=st.floats(-2.0, 1.0))
@example(pair=Erasure(math.exp(-200.0)), share=-3e-99)
def test_the_finite_hockey_sticks(pair: Finite, share: float) -> None:
    scale = getattr(pair, "epsilon", 1.0)
    epsilon = share * scale
    assert close(pair.hockey_stick(epsilon), reference.hockey_stick(pair, epsilon, 40))


@grid
@given(pair=finite_pairs, order=powers(1e-6, 1e3))
@example(pair=RandomizedResponse(1e-9), order=1e-6)
def test_the_finite_renyi_divergences(pair: Finite, order: float) -> None:
    assume(1 + order > 1)
    expected = reference.renyi(pair, 1 + order, 30)
    if expected == math.inf:
        assert pair.renyi(1 + order) == math.inf
    else:
        assert close(pair.renyi(1 + order), expected)
        if not isinstance(pair, Erasure):
            assert pair.renyi(1 + order) <= (1 + order) * np.asarray(pair.zcdp_rho) * (1 + 1e-14)


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("alpha", [1e-12, 1e-3, 0.3, 0.9, 1 - 1e-9])
def test_the_gaussian_trade_off_function(mu: float, alpha: float) -> None:
    """Neyman and Pearson in 40 digits: reject above the threshold c with P(N(0, 1) > c) = alpha."""
    with mpmath.workdps(40):
        threshold = -mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(alpha) - 1)
        expected = mpmath.ncdf(threshold - mu)
    assert GaussianDP(mu).trade_off(alpha) == pytest.approx(float(expected), rel=1e-12)


def test_the_gaussian_trade_off_function_at_its_ends_and_beyond() -> None:
    assert list(Gaussian(2.0).trade_off(np.array([0.0, 1.0]))) == [1.0, 0.0]
    with pytest.raises(ValueError, match=r"alpha must be in \[0, 1\], got alpha=-0.1"):
        Gaussian(2.0).trade_off(-0.1)


@few
@given(mu=powers(1e-6, 5.0), alpha=powers(1.001, 20.0))
def test_the_gaussian_renyi_divergence(mu: float, alpha: float) -> None:
    assert close(Gaussian(mu).renyi(alpha), reference.renyi(Gaussian(mu), alpha, 16))


@grid
@given(epsilon=powers(1e-9, 1e4))
def test_the_gaussian_charge_of_randomised_response(epsilon: float) -> None:
    pair = RandomizedResponse(epsilon)
    assert pair.gdp_mu >= reference.gdp_mu(pair)
    assert close(pair.gdp_mu, reference.gdp_mu(pair))


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=str)
@few
@given(rho=powers(1e-8, 50.0), log_inverse=st.floats(0.7, 690.0))
def test_the_conversions_forwards(conversion: Conversion, rho: float, log_inverse: float) -> None:
    delta = math.exp(-log_inverse)
    epsilon = conversion.epsilon(rho, delta)
    assume(epsilon > 1e-3 * math.sqrt(rho))  # nearer to zero epsilon is a difference that has lost its digits
    assert close(epsilon, reference.conversion_epsilon(conversion, rho, delta))
    assert close(conversion.delta(rho, epsilon), reference.conversion_delta(conversion, rho, epsilon))


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=str)
@few
@given(epsilon=powers(1e-4, 100.0), log_inverse=st.floats(0.7, 690.0))
@example(epsilon=1.0, log_inverse=300 * math.log(10))
@example(epsilon=1e-4, log_inverse=0.7)
def test_a_budget_is_rounded_down_and_no_further_than_doubles_are_accurate(
    conversion: Conversion, epsilon: float, log_inverse: float
) -> None:
    delta = math.exp(-log_inverse)
    budget = conversion.budget(epsilon, delta)
    exact = reference.conversion_budget(conversion, epsilon, delta)
    assert budget <= exact
    assert close(budget, exact)


@few
@given(epsilon=powers(1e-4, 100.0), log_inverse=st.floats(0.7, 690.0))
@example(epsilon=1.0, log_inverse=300 * math.log(10))
def test_the_gaussian_mu_is_rounded_down_and_is_the_ceiling(epsilon: float, log_inverse: float) -> None:
    delta = math.exp(-log_inverse)
    mu = gaussian_mu(epsilon, delta)
    exact = reference.gaussian_mu(epsilon, delta)
    assert mu <= exact
    assert close(mu, exact)
    assert SIMPLE.budget(epsilon, delta) <= CKS.budget(epsilon, delta) <= mu**2 / 2


@few
@given(mu=powers(1e-6, 40.0), log_inverse=st.floats(0.1, 690.0))
def test_the_gaussian_epsilon(mu: float, log_inverse: float) -> None:
    delta = math.exp(-log_inverse)
    epsilon = gaussian_epsilon(mu, delta)
    assume(epsilon == 0 or epsilon > 1e-2 * mu)  # nearer to zero it is set by the last digits of delta
    assert close(epsilon, reference.gaussian_epsilon(mu, delta))


@few
@given(epsilon=st.floats(-10, 100), sigma=powers(1e-2, 1e3), dhat=deltas, theta=powers(1e-300, 0.4))
def test_kappa(epsilon: float, sigma: float, dhat: float, theta: float) -> None:
    expected = reference.kappa(epsilon, sigma, dhat, theta)
    size = abs(epsilon) + 1 / sigma**2 + 80 / sigma
    assert abs(float(kappa(epsilon, sigma, dhat, theta) - expected)) <= 1e-14 * size


@pytest.mark.slow
@settings(max_examples=4, deadline=None, derandomize=True)
@given(rounds=st.integers(1, 10**6), delta=powers(1e-300, 0.4))
@example(rounds=48, delta=1e-5)
@example(rounds=48, delta=1e-300)
@example(rounds=4261, delta=math.exp(-263.84375))
def test_the_optimal_split(rounds: int, delta: float) -> None:
    split = optimal_split(rounds, delta)
    dhat, theta = reference.optimal_split(rounds, delta, 16)
    assert close(split.dhat, dhat)
    assert delta < 1e-299 or close(split.theta, theta)


@few
@given(epsilon=powers(1e-3, 20.0), log_inverse=st.floats(0.7, 690.0))
def test_forwards_and_backwards_are_inverse(epsilon: float, log_inverse: float) -> None:
    delta = math.exp(-log_inverse)
    for conversion in CONVERSIONS:
        rho = conversion.budget(epsilon, delta)
        assert conversion.epsilon(rho, delta) == pytest.approx(epsilon, rel=1e-9)
        assert math.log(conversion.delta(rho, epsilon)) == pytest.approx(-log_inverse, rel=1e-11)
    mu = gaussian_mu(epsilon, delta)
    assert gaussian_epsilon(mu, delta) == pytest.approx(epsilon, rel=1e-9)


@grid
@given(epsilon=st.floats(0.0, 8.0))
def test_stronger_guarantees_promise_less_delta(epsilon: float) -> None:
    assert GaussianDP(1.0).delta(epsilon) <= ZCDP(0.5).delta(epsilon)
    assert ZCDP(0.5).delta(epsilon) <= RenyiDP(4.0, 2.0).delta(epsilon) * (1 + 1e-14)
    assert PureDP(1.0).delta(epsilon) <= GaussianDP(RandomizedResponse(1.0).gdp_mu).delta(epsilon) * (
        1 + 1e-14
    )
    assert PureDP(1.0).delta(epsilon) <= ApproxDP(1.0, 1e-5).delta(epsilon)


def test_arrays_are_the_numbers_one_by_one() -> None:
    epsilons, delta_row = np.array([[0.01], [1.0], [30.0]]), np.array([1e-300, 1e-5, 0.4])
    for function in (SIMPLE.budget, CKS.budget, gaussian_mu):
        table = np.asarray(function(epsilons, delta_row))
        one_by_one = [[function(float(e), float(d)) for d in delta_row] for e in epsilons[:, 0]]
        np.testing.assert_allclose(table, one_by_one, rtol=1e-13)
    table = np.asarray(Gaussian(np.array([1e-6, 1.0, 40.0])).hockey_stick(epsilons))
    assert table.shape == (3, 3)
    assert table[1, 1] == Gaussian(1.0).hockey_stick(1.0)
