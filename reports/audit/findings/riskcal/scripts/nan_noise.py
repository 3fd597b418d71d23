"""A step whose noise is NaN is recorded, and from then on no epsilon can be asked."""

from riskcal.accountants import CTDAccountant

accountant, message = CTDAccountant(), ""
accountant.step(noise_multiplier=1.0, sample_rate=0.01)
accountant.step(noise_multiplier=float("nan"), sample_rate=0.01)
try:
    accountant.get_epsilon(delta=1e-5, grid_step=1e-2)
except ValueError as error:
    message = f"{type(error).__name__}: {error}"
print("expected: the step is refused")
print(f"got: {len(accountant)} steps, and then {message}")
raise SystemExit(0 if len(accountant) == 2 and message else 1)
