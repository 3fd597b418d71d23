"""GaussianDiscrete searches its scale to a relative 1e-6 and takes the middle, where delta may still be far above."""

import mpmath
from diffprivlib.mechanisms import GaussianDiscrete

mpmath.mp.dps = 60
told = []
for epsilon, delta in ((15, 1e-6), (30, 1e-12)):
    scale = mpmath.mpf(float(GaussianDiscrete(epsilon=epsilon, delta=delta)._scale))
    mass = {k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * scale**2)) for k in range(-60, 62)}
    excess = [max(0, mass[k] - mpmath.exp(epsilon) * mass[k + 1]) for k in range(-60, 61)]
    told.append(float(sum(excess) / sum(mass.values()) / delta))
print("expected: true delta / delta at most 1 at (15, 1e-6) and (30, 1e-12)")
print(f"got: {told[0]:.6f} and {told[1]:.6f}")
raise SystemExit(0 if told[0] > 1.03 and told[1] > 390 else 1)
