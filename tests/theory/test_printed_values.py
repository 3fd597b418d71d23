"""The numbers that the papers print, or that were computed independently."""

import math

import numpy as np
import pytest

from filterproof.theory import BUN_STEINKE, CKS, gaussian_epsilon, kappa, optimal_split, renyi_epsilon
from filterproof.theory.proofs.printed_epsilon_steps import PRINTED


@pytest.mark.parametrize(("sigma", "steps"), PRINTED)
def test_the_epsilons_of_private_gradient_descent_are_those_of_the_theorem(sigma: int, steps: int) -> None:
    rho = steps / (2 * sigma**2)
    found = BUN_STEINKE.epsilon(rho, 1e-5), CKS.epsilon(rho, 1e-5), gaussian_epsilon(math.sqrt(2 * rho), 1e-5)
    assert tuple(round(float(epsilon) * 10**6) for epsilon in found) == PRINTED[sigma, steps]


def test_the_split_and_kappa_of_the_realisation_filter() -> None:
    split = optimal_split(48, 1e-5)
    assert split.dhat == pytest.approx(5.388961e-6, rel=1e-7)
    assert split.theta == pytest.approx(9.606383e-8, rel=1e-7)
    assert kappa(10.0, 2.0, split.dhat, split.theta) == pytest.approx(4.9461276, abs=5e-8)


def test_the_least_epsilon_over_the_orders_is_the_conversion_of_zcdp() -> None:
    alphas = 1 + np.exp(np.linspace(0, 6, 4001))
    least = float(np.min(renyi_epsilon(alphas, 0.021 * alphas, 1e-5)))
    assert least == pytest.approx(float(CKS.epsilon(0.021, 1e-5)), rel=1e-6)
    assert renyi_epsilon(2.0, math.inf, 1e-6) == math.inf
    assert renyi_epsilon(2.0, 0.0, 0.9) == 0.0
    assert np.shape(renyi_epsilon(np.array([2.0, 3.0]), 1.0, 1e-6)) == (2,)
