"""The numbers that the papers print, or that were computed independently."""

import math
from dataclasses import astuple
from fractions import Fraction

import pytest

from theory import CKS, SIMPLE, gaussian_epsilon, gaussian_mu, kappa, optimal_split
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP

# The reference values of the first three tests are of mpmath: infima over the order by golden sections, by definition,
# their inverses by the secant method, the quantiles of the split by roots of erfc.


@pytest.mark.parametrize(
    ("epsilon", "simple", "cks", "ceiling"),
    [
        (0.3, 0.00192926985, 0.00330298655, 0.00395902744),
        (0.5, 0.00531390423, 0.00850553059, 0.0101119215),
        (1.0, 0.0208199383, 0.0305565952, 0.0359257023),
    ],
)
def test_the_budgets_at_delta_1e_5(epsilon: float, simple: float, cks: float, ceiling: float) -> None:
    assert SIMPLE.budget(epsilon, 1e-5) == pytest.approx(simple, rel=3e-9)
    assert CKS.budget(epsilon, 1e-5) == pytest.approx(cks, rel=3e-9)
    assert gaussian_mu(epsilon, 1e-5) ** 2 / 2 == pytest.approx(ceiling, rel=3e-9)


@pytest.mark.parametrize(
    ("sigma", "steps", "simple", "cks", "exact"),
    [
        (170, 112, 0.300660, 0.224940, 0.203269),
        (130, 180, 0.500548, 0.388259, 0.352572),
        (100, 420, 1.004405, 0.815623, 0.745138),
    ],
)
def test_the_epsilons_of_private_gradient_descent(
    sigma: int, steps: int, simple: float, cks: float, exact: float
) -> None:
    rho = steps / (2 * sigma**2)
    assert round(SIMPLE.epsilon(rho, 1e-5), 6) == simple
    assert round(CKS.epsilon(rho, 1e-5), 6) == cks
    assert round(gaussian_epsilon(math.sqrt(2 * rho), 1e-5), 6) == exact


def test_the_split_and_kappa_of_the_realisation_filter() -> None:
    split = optimal_split(48, 1e-5)
    assert split.dhat == pytest.approx(5.388961e-6, rel=1e-7)
    assert split.theta == pytest.approx(9.606383e-8, rel=1e-7)
    assert kappa(10.0, 2.0, split.dhat, split.theta) == pytest.approx(4.9461276, abs=5e-8)


@pytest.mark.parametrize("exponent", [-7, -8, -9, -10])
def test_no_reading_of_the_printed_split_is_optimal_for_the_delta_that_it_spends(exponent: int) -> None:
    # by the best split of that delta and its z-sum, where the theorem has the first-order condition
    for dhat, theta in ((4.797e-6, 2.073 * 10.0**exponent), (2.073 * 10.0**exponent, 4.797e-6)):
        best = optimal_split(48, dhat + 48 * theta * (1 - dhat))
        assert kappa(1.0, 1.0, best.dhat, best.theta) > kappa(1.0, 1.0, dhat, theta) + 0.005
    assert (
        kappa(1.0, 1.0, *astuple(optimal_split(48, 1e-5))) - kappa(1.0, 1.0, 5.388961e-6, 9.606383e-8) < 1e-6
    )


@pytest.mark.parametrize("rounds", [1, 2, 48, 10**6])
@pytest.mark.parametrize("delta", [1e-300, 1e-5, 0.3])
def test_no_other_split_of_delta_is_better(rounds: int, delta: float) -> None:
    best = optimal_split(rounds, delta)
    assert Fraction(best.dhat) + Fraction(best.theta) * (1 - Fraction(best.dhat)) * rounds <= Fraction(delta)
    reached = kappa(1.0, 1.0, best.dhat, best.theta)
    for share in (1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999):
        dhat = delta * share
        assert kappa(1.0, 1.0, dhat, delta * (1 - share) / ((1 - dhat) * rounds)) <= reached + 1e-13


def test_guarantees_have_short_names() -> None:
    promises = [PureDP(1.0), ApproxDP(1.0, 1e-5), RenyiDP(8.0, 0.5), ZCDP(0.5), GaussianDP(1.0)]
    assert [str(p) for p in promises] == ["1-DP", "(1, 1e-05)-DP", "(8, 0.5)-RDP", "0.5-zCDP", "1-GDP"]
    assert repr(ApproxDP(epsilon=1.0, delta=1e-5)) == "ApproxDP(epsilon=1.0, delta=1e-05)"


def test_bad_arguments_get_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got delta=0\.0; pass a probability"):
        SIMPLE.budget(1.0, 0.0)
    with pytest.raises(ValueError, match="epsilon must be finite and > 0"):
        CKS.budget(math.inf, 1e-5)
    with pytest.raises(ValueError, match=r"mu must be finite and > 0, got mu=-1\.0"):
        GaussianDP(-1.0)
    with pytest.raises(ValueError, match="delta must be one number below 1/2"):
        optimal_split(48, 0.5)
