"""The conversion of one Rényi order: against the guarantee that it inverts, and against the printed formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

import filterproof as fp


def test_the_least_over_orders_is_the_conversion_of_zcdp() -> None:
    alphas = 1 + np.exp(np.linspace(0, 6, 4001))
    least = float(np.min(fp.renyi_epsilon(alphas, 0.021 * alphas, 1e-5)))
    assert least == pytest.approx(float(fp.CKS.epsilon(0.021, 1e-5)), rel=1e-6)


def test_ends() -> None:
    assert fp.renyi_epsilon(2.0, math.inf, 1e-6) == math.inf
    assert fp.renyi_epsilon(2.0, 0.0, 0.9) == 0.0
    assert np.shape(fp.renyi_epsilon(np.array([2.0, 3.0]), 1.0, 1e-6)) == (2,)
    with pytest.raises(ValueError, match="rho must be >= 0, got rho=-1"):
        fp.renyi_epsilon(2.0, -1.0, 1e-6)
    with pytest.raises(ValueError, match="rho must be >= 0, got rho=nan"):
        fp.renyi_epsilon(2.0, math.nan, 1e-6)
    with pytest.raises(ValueError, match="alpha must be"):
        fp.renyi_epsilon(1.0, 1.0, 1e-6)
