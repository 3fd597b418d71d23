"""The length of an accountant is the number of its different settings, not of its steps."""

from opacus.accountants import RDPAccountant

accountant = RDPAccountant()
for _ in range(100):
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
print("expected: 100 optimization steps taken so far")
print(f"got: {len(accountant)}")
raise SystemExit(0 if len(accountant) != 100 else 1)
