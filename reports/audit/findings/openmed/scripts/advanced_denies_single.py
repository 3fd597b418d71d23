"""Under an advanced policy one release costs more than its own epsilon: the basic bound is not taken where smaller."""

from openmed.risk.budget import DPGenerationBudgetAccountant

decision = DPGenerationBudgetAccountant.from_config().check_budget(0.5, 0.0, "strict_minimal")
print(f"expected: a single release at 0.5 costs 0.5, under a ceiling of {decision.max_epsilon}")
print(f"got: cost {decision.projected_epsilon:.6f}, allowed={decision.allowed}")
raise SystemExit(0 if decision.projected_epsilon > 3.7 and not decision.allowed else 1)
