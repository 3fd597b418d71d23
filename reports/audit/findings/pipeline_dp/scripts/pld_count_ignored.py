"""At delta = 0 PLDBudgetAccountant ignores how often a mechanism is applied."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant

accountant = PLDBudgetAccountant(total_epsilon=1.0, total_delta=0.0)
spec = accountant.request_budget(MechanismType.LAPLACE, count=5)
accountant.compute_budgets()
total = spec.count * 2**0.5 / spec.noise_standard_deviation
print("expected: five Laplace queries of epsilon 0.2, 1.0 together")
print(f"got: {total:.6f} together")
raise SystemExit(0 if total > 4.99 else 1)
