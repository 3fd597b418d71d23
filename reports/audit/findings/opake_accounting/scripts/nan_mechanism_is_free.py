"""A mechanism whose epsilon is NaN is accepted, and charged nothing: neither alone nor in a composition."""

import opake.accounting as acc

accountant = acc.Accountant(budget=acc.epsilon_budget(1.0, delta=1e-5)) | acc.eps_delta(0.5, 0.0)
before = accountant.epsilon_at(1e-5)
accountant = accountant | acc.eps_delta(float("nan"), 0.0) * 100
after = accountant.epsilon_at(1e-5)
print("expected: eps_delta(nan, 0.0) is refused, as eps_delta(1.0, nan) is")
print(f"got: epsilon = {before:.6f} before, {after:.6f} after; exceeded: {accountant.budget_exceeded}")
raise SystemExit(0 if after <= before and not accountant.budget_exceeded else 1)
