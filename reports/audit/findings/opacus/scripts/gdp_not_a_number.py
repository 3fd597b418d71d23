"""GaussianAccountant answers 0 where a parameter is not a number."""

from opacus.accountants import GaussianAccountant

accountant = GaussianAccountant()
accountant.step(noise_multiplier=float("nan"), sample_rate=0.01)
got = accountant.get_epsilon(delta=1e-5)
print("expected: an error, or a value that no budget admits")
print(f"got: {got}")
raise SystemExit(0 if got == 0.0 else 1)
