"""PLDBudgetAccountant composes noise of std sensitivity * s as if it hid a query of sensitivity 1."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant

told = []
for delta in (0.0, 1e-12):
    accountant = PLDBudgetAccountant(total_epsilon=1.0, total_delta=delta)
    spec = accountant.request_budget(MechanismType.LAPLACE, sensitivity=10.0)
    accountant.compute_budgets()
    told.append(10.0 * 2**0.5 / spec.noise_standard_deviation)
print("expected: a Laplace query of sensitivity 10 has epsilon 1.0, at delta 0 and at delta 1e-12")
print(f"got: {told[0]:.4f} and {told[1]:.4f}")
raise SystemExit(0 if told[1] > 9.9 else 1)
