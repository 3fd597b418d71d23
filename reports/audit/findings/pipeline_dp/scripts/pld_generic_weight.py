"""PLDBudgetAccountant composes generic mechanisms without their weight, and then hands out epsilon by weight."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant

accountant = PLDBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
specs = [accountant.request_budget(MechanismType.GENERIC, weight=weight) for weight in (1, 3)]
accountant.compute_budgets()
epsilon, delta = sum(spec.eps for spec in specs), sum(spec.delta for spec in specs)
print("expected: two generic mechanisms with at most (1.0, 1e-6) together")
print(f"got: ({epsilon:.4f}, {delta:.3g}) together")
raise SystemExit(0 if epsilon > 1.99 and delta > 1.9e-6 else 1)
