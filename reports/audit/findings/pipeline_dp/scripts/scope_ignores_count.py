"""A scope is scaled without counts: one with a repeated mechanism takes more than its part of the budget."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import NaiveBudgetAccountant

accountant, specs = NaiveBudgetAccountant(total_epsilon=1.0, total_delta=0.0), []
for count in (9, 1):
    with accountant.scope(weight=0.5):
        specs.append(accountant.request_budget(MechanismType.LAPLACE, count=count))
accountant.compute_budgets()
shares = [round(spec.count * spec.eps, 6) for spec in specs]
print("expected: at most half of epsilon 1.0 for each of two scopes of weight 1/2")
print(f"got: {shares}")
raise SystemExit(0 if shares == [0.9, 0.1] else 1)
