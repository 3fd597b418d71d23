"""PLDBudgetAccountant brackets its search at all of delta, but searches at three quarters where it has thresholds."""

import mpmath
from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant
from pipeline_dp.dp_computations import gaussian_epsilon

epsilon = gaussian_epsilon(sigma=4.0, delta=1e-6) * 1.001
accountant = PLDBudgetAccountant(total_epsilon=epsilon, total_delta=1e-6)
spec = accountant.request_budget(MechanismType.GAUSSIAN_THRESHOLDING)
accountant.compute_budgets()
sigma = mpmath.mpf(spec.noise_standard_deviation)
a, b = 1 / (2 * sigma), epsilon * sigma
delta = mpmath.ncdf(a - b) - mpmath.exp(epsilon) * mpmath.ncdf(-a - b) + spec.thresholding_delta
print(f"expected: at most delta 1e-06 in all at epsilon {epsilon:.6f}\ngot: {float(delta):.4g}")
raise SystemExit(0 if delta > 1.2e-6 else 1)
