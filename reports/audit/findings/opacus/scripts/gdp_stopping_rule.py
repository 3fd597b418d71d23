"""Going on while GaussianAccountant answers at most 1 at delta 1e-5 admits a step whose delta at 1 is 0.0005."""

from math import exp, log

from opacus.accountants import GaussianAccountant
from scipy.stats import norm

q, s, epsilon = 0.125, 1.0, 1.0
accountant = GaussianAccountant()
accountant.step(noise_multiplier=s, sample_rate=q)
said = accountant.get_epsilon(delta=1e-5)
cut = s * s * log((exp(epsilon) - 1 + q) / q) + 0.5  # where the loss of one step is epsilon
got = q * norm.sf((cut - 1) / s) + (1 - q - exp(epsilon)) * norm.sf(cut / s)
print(f"expected: delta at most 1e-5 at epsilon {epsilon}, as the accountant says {said:.4f}")
print(f"got: {got:.6g}")
raise SystemExit(0 if said <= epsilon and got > 1e-5 else 1)
