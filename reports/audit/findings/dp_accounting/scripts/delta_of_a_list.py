from math import exp

from dp_accounting.pld import privacy_loss_distribution as pld
from scipy.stats import norm

SIGMA, EPSILON = 0.02, 1000.0
distribution = pld.from_gaussian_mechanism(SIGMA, value_discretization_interval=0.1)
got, scalar = distribution.get_delta_for_epsilon([EPSILON])[0], distribution.get_delta_for_epsilon(EPSILON)
upper = norm.cdf(0.5 / SIGMA - EPSILON * SIGMA)
expected = upper - exp(EPSILON + norm.logcdf(-0.5 / SIGMA - EPSILON * SIGMA))
print(f"expected: delta({EPSILON}) = {expected:.6f} (asked as a number: {scalar:.6f})")
print(f"got: {got:.6f} when asked as a list")
raise SystemExit(0 if got != got else 1)
