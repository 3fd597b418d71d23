"""A charge that is no number from zero up is denied, whoever says it and whichever filter is asked."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.accounting.charge_kinds import SquaredCharge
from filterproof.filters.accounting.declared_charges import floor_at_tiny
from filterproof.filters.catalogue import CATALOGUE
from tests.filters.own import saying

#: What no charge is.
IMPROPER = (math.nan, -0.1, -5.0, -math.inf)

FILTERS = (
    *(entry.example() for entry in CATALOGUE.values()),
    fp.BasicFilter(1.0, 1e-3, at=0.5),
    fp.RogersFilter(2.0, 1e-3, at=0.5),
    fp.WhitehouseFilter(1.0, 1e-3, at=0.5),
)


@dataclass(frozen=True, slots=True, eq=False)
class Said(fp.DominatingPair):
    """A pair of one's own that says one number whatever it is asked."""

    x: float
    pure_epsilon = zcdp_rho = gdp_mu = property(lambda self: self.x)  # type: ignore[assignment]
    swapped = property(lambda self: self)  # type: ignore[assignment]

    def renyi(self, alpha: Any) -> Any:
        return self.x

    hockey_stick = loss_isf = renyi  # type: ignore[assignment]

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
        assert not session.request(fp.PairPerRun((fp.RandomizedResponse(0.01), pair), np.array([1]))), value


def test_what_a_pair_of_ones_own_declares_is_charged_whatever_it_inherits() -> None:
    dear = saying(fp.KOV, 9.0, "zcdp_rho", "pure_epsilon")(0.1, 0.01)
    dear_gaussian = saying(fp.Gaussian, 9.0, "zcdp_rho", "gdp_mu", "renyi")(0.1)
    for charge in (
        fp.zcdp_charge(dear_gaussian),
        fp.gdp_charge(dear_gaussian),
        fp.charges.renyi_charge(dear_gaussian, 4.0),
        fp.charges.approximate_zcdp_charge(dear)[0],
        fp.charges.LinearCharge(fp.charges.approximate_charge(dear, None)[0]),
    ):
        assert charge.exact(1.0)[0] >= 9.0


def test_an_underflow_beside_an_ordinary_charge_is_not_free() -> None:
    request = fp.Gaussian(np.array([1e-200, 0.5]))
    charges = np.asarray(floor_at_tiny(np.array([0.0, 0.125]), request))
    assert charges[0] > 0
    assert charges[1] == 0.125


@pytest.mark.parametrize("scale", [2.0**-9, 2.0**-200, 0.0, -1.0, math.inf, math.nan])
def test_a_scale_at_which_the_least_square_underflows_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="scale must be a double of at least 2\\^-8"):
        SquaredCharge(0.5, scale)
