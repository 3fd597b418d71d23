"""request_budget takes negative weights, which are refunds to the others: a share exceeds the whole."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import NaiveBudgetAccountant

accountant = NaiveBudgetAccountant(total_epsilon=1.0, total_delta=0.0)
spec, _ = [accountant.request_budget(MechanismType.LAPLACE, weight=weight) for weight in (3, -2)]
accountant.compute_budgets()
print("expected: a ValueError, or shares of at most 1.0")
print(f"got: a share of {spec.eps}")
raise SystemExit(0 if spec.eps == 3.0 else 1)
