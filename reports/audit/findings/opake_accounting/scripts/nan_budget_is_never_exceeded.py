"""A budget whose epsilon is NaN is accepted, and nothing exceeds it."""

import opake.accounting as acc

budget = acc.epsilon_budget(float("nan"), delta=1e-5)
accountant = acc.Accountant(budget=budget) | acc.nonprivate()
print("expected: epsilon_budget(nan, 1e-5) is refused, as epsilon_budget(1.0, nan) is")
print(f"got: {budget}, exceeded by epsilon = {accountant.epsilon_at(1e-5)}: {accountant.budget_exceeded}")
raise SystemExit(0 if not accountant.budget_exceeded else 1)
