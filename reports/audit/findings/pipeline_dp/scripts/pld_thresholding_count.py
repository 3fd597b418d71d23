"""PLDBudgetAccountant divides the delta of thresholds by mechanisms, not by how often they are applied."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant

accountant = PLDBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
spec = accountant.request_budget(MechanismType.LAPLACE_THRESHOLDING, count=8)
accountant.compute_budgets()
total = spec.count * spec.thresholding_delta
print("expected: the thresholds of eight applications cost at most 1e-6 together")
print(f"got: {total:.3g} together")
raise SystemExit(0 if total > 1.9e-6 else 1)
