"""PLDBudgetAccountant has no branch for the truncated geometric mechanism: it composes the one before it again."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant

accountant = PLDBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
accountant.request_budget(MechanismType.LAPLACE, weight=0.01)
selection = accountant.request_budget(MechanismType.TRUNCATED_GEOMETRIC, weight=1)
accountant.compute_budgets()
print("expected: a partition selection with epsilon at most 1.0")
print(f"got: epsilon {selection.eps:.3f}, delta {selection.delta:.3g}")
raise SystemExit(0 if selection.eps > 49 else 1)
