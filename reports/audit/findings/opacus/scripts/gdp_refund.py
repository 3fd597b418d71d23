"""A step that GaussianAccountant refuses erases the steps that it has recorded."""

from contextlib import suppress

from opacus.accountants import GaussianAccountant

accountant = GaussianAccountant()
for _ in range(100):
    accountant.step(noise_multiplier=0.5, sample_rate=0.1)
expected = accountant.get_epsilon(delta=1e-5)
with suppress(ValueError):  # refused, as documented
    accountant.step(noise_multiplier=0.6, sample_rate=0.1)
accountant.step(noise_multiplier=0.5, sample_rate=0.1)
got = accountant.get_epsilon(delta=1e-5)
print(f"expected: epsilon at least {expected:.4f}, since 101 steps were taken")
print(f"got: {got:.4f} from the history {accountant.history}")
raise SystemExit(0 if got < expected else 1)
