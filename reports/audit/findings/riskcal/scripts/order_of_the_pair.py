"""Two neighbours handed over in the other order are reported to be harder to tell apart."""

import math

from dp_accounting.pld import privacy_loss_distribution as pld
from riskcal.analysis import get_beta_from_pld
from scipy.stats import norm

# Gaussian noise 1, a record sampled with chance 0.1, in cells of 0.01: without the record, and with it
fpr, rate, cells = 0.001, 0.1, [i / 100 for i in range(-500, 600)]
mass = [[norm.cdf(x + 0.01, mean) - norm.cdf(x, mean) for x in cells] for mean in (0, 1)]
without = {x: math.log(p) for x, p in zip(cells, mass[0], strict=True)}
with_it = {x: math.log((1 - rate) * p + rate * r) for x, p, r in zip(cells, *mass, strict=True)}
orders = [(without, with_it), (with_it, without)]
got = [get_beta_from_pld(pld.from_two_probability_mass_functions(*o, symmetric=False), fpr) for o in orders]
expected = (1 - rate) * norm.cdf(norm.isf(fpr)) + rate * norm.cdf(norm.isf(fpr) - 1)
print(f"expected: a false negative rate of at most {expected:.6f} in either order\ngot: {got}")
raise SystemExit(0 if max(got) > expected + 1e-3 else 1)
