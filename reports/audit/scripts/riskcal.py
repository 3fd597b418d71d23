"""Faults of riskcal: each test fails in a version that has the fault."""

import math

from dp_accounting.pld import privacy_loss_distribution as pld
from riskcal.analysis import get_beta_from_pld, get_beta_from_rdp, get_beta_from_zcdp
from scipy.stats import norm


class TestRiskcal:
    def test_order_of_the_pair(self):
        # Gaussian noise 1, a record sampled with chance 0.1, in cells of 0.01: without the record, and with it
        cells = [i / 100 for i in range(-500, 600)]
        mass = [[norm.cdf(x + 0.01, mean) - norm.cdf(x, mean) for x in cells] for mean in (0, 1)]
        without = {x: math.log(p) for x, p in zip(cells, mass[0], strict=True)}
        with_it = {x: math.log(0.9 * p + 0.1 * r) for x, p, r in zip(cells, *mass, strict=True)}
        orders = [(without, with_it), (with_it, without)]
        distributions = [pld.from_two_probability_mass_functions(*order, symmetric=False) for order in orders]
        got = [get_beta_from_pld(distribution, 0.001) for distribution in distributions]
        assert max(got) <= 0.9972701532 + 1e-3, got

    def test_zcdp_small_rho(self):
        got, at_order = get_beta_from_zcdp(0.001, alpha=0.2), get_beta_from_rdp(0.443, alpha=0.2, order=443.0)
        assert got <= 0.787245408 + 1e-3, f"{got:.6f}, and {at_order:.6f} from order 443 alone"
