"""DPSurrogateBudget accepts target_delta = 0 and then denies every spend, pure ones too."""

from openmed.risk.budget import DPSurrogateBudget, DPSurrogateBudgetExceeded

budget = DPSurrogateBudget(target_epsilon=100.0, target_delta=0.0)
try:
    budget.spend(label="NAME", draw_kind="categorical", mechanism="exponential", epsilon=1e-6)
    got = "admitted"
except DPSurrogateBudgetExceeded as error:
    got = f"denied, reported epsilon {error.attempted_composition.reported_epsilon}"
print("expected: a pure spend of 1e-6 is admitted under (100, 0)")
print(f"got: {got}")
raise SystemExit(0 if got == "denied, reported epsilon inf" else 1)
