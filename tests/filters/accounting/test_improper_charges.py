"""A charge that is no number from zero up is denied, whoever says it and whichever filter is asked."""

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filters.catalogue import CATALOGUE
from tests.filters.own import saying

#: What no charge is.
IMPROPER = (math.nan, -0.1, -5.0, -math.inf)

FILTERS = (
    *(entry.example() for entry in CATALOGUE.values()),
    fp.BasicFilter(1.0, 1e-3, at=0.5),
    fp.RogersFilter(2.0, 1e-3, at=0.5),
    fp.WhitehouseFilter(1.0, 1e-3, at=0.5),
)


PAIRS: dict[Any, dict[str, float]] = {
    fp.Gaussian: {"mu": 0.1},
    fp.Laplace: {"b": 10.0},
    fp.RandomizedResponse: {"epsilon": 0.1},
    fp.Erasure: {"p": 1e-6},
    fp.KOV: {"epsilon": 0.1, "delta": 1e-7},
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("filt", FILTERS, ids=repr)
def test_no_filter_grants_a_parameter_that_is_none(filt: fp.PrivacyFilter) -> None:
    """No constructor lets it through: it became so afterwards, for all runs or for each."""
    for (kind, usual), value, one in product(PAIRS.items(), (math.nan, -0.1, -5.0), (True, False)):
        for name in usual:
            pair = kind(**{field: x if one else np.array([x]) for field, x in usual.items()})
            object.__setattr__(pair, name, value if one else np.array([value]))
            session = filt.open("retry")
            assert not session.request(pair), (kind, name, value, one)
            if not one:
                picked = fp.Selection((fp.RandomizedResponse(0.01), pair), np.array([1]))
                assert not session.request(picked), (kind, name, value, "picked")


@dataclass(frozen=True, slots=True, eq=False)
class Said(fp.DominatingPair):
    """A pair of one's own that says one number whatever it is asked."""

    x: float
    pure_epsilon = zcdp_rho = gdp_mu = property(lambda self: self.x)  # type: ignore[assignment]
    swapped = property(lambda self: self)  # type: ignore[assignment]

    def renyi(self, alpha: Any) -> Any:
        return self.x

    hockey_stick = loss_quantile = renyi  # type: ignore[assignment]

    def loss_cdf(self, x: Any) -> Any:
        return 1.0

    def sample(self, rng: Any, n: int, order: float = 1.0) -> Any:
        return np.zeros(n)


@pytest.mark.parametrize("filt", FILTERS, ids=repr)
def test_no_filter_grants_what_a_pair_of_ones_own_says_and_no_pair_has(filt: fp.PrivacyFilter) -> None:
    for value in IMPROPER:
        session = filt.open("retry")
        pair = Said(value)
        assert not session.request(pair), value
        assert not session.request(fp.Selection((fp.RandomizedResponse(0.01), pair), np.array([1]))), value


@pytest.mark.parametrize("value", IMPROPER)
def test_the_other_runs_of_a_batch_are_charged_as_ever(value: float) -> None:
    filt = fp.GaussianFilter(1.0)
    pair = fp.Gaussian(np.array([0.5, 0.5, 0.5]))
    object.__setattr__(pair, "mu", np.array([0.5, value, 0.25]))
    assert filt.admits(filt.start(3), pair).tolist() == [True, False, True]
    admitted, after = filt.grant(filt.start(3), pair)
    assert admitted.tolist() == [True, False, True]
    assert after is not None
    assert after[0][[0, 2]].tolist() == [0.25, 0.0625]


def test_what_a_pair_of_ones_own_declares_is_charged_whatever_it_inherits() -> None:
    dear = saying(fp.KOV, 9.0, "zcdp_rho", "pure_epsilon")(0.1, 0.01)
    dear_gaussian = saying(fp.Gaussian, 9.0, "zcdp_rho", "gdp_mu", "renyi")(0.1)
    for charge in (
        fp.zcdp_charge(dear_gaussian),
        fp.gdp_charge(dear_gaussian),
        fp.charges.renyi_charge(dear_gaussian, 4.0),
        fp.charges.approximate_zcdp_charge(dear)[0],
        fp.charges.Plain(fp.charges.approximate_charge(dear, None)[0]),
    ):
        assert charge.exact(1.0)[0] >= 9.0
