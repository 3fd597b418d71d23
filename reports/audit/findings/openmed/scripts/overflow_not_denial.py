"""A request beyond exp's range raises OverflowError, from guard_generation and from can_spend, and not a denial."""

from openmed.risk.budget import DPGenerationBudgetAccountant, DPSurrogateBudget

told = []
surrogate = DPSurrogateBudget(target_epsilon=1.0, target_delta=1e-6)
try:
    DPGenerationBudgetAccountant.from_config().guard_generation(1000.0, 0.0, "strict_minimal")
except ArithmeticError as error:
    told.append(type(error).__name__)
try:
    surrogate.can_spend(label="NAME", draw_kind="numeric", mechanism="laplace", epsilon=1e200)
except ArithmeticError as error:
    told.append(type(error).__name__)
print("expected: BudgetExceeded and False\ngot: " + " and ".join(told))
raise SystemExit(0 if told == ["OverflowError"] * 2 else 1)
