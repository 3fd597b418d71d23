"""GaussianAnalytic loses small tails in (1 + erf) / 2, and its noise is too small where e^epsilon / delta is large."""

import mpmath
from diffprivlib.mechanisms import GaussianAnalytic

mpmath.mp.dps = 60
told = []
for epsilon, delta in ((20, 1e-8), (10, 1e-14), (1, 1e-30)):
    scale = mpmath.mpf(float(GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1)._scale))
    a, b = 1 / (2 * scale), epsilon * scale
    told.append(float((mpmath.ncdf(a - b) - mpmath.exp(epsilon) * mpmath.ncdf(-a - b)) / delta))
print("expected: true delta / delta at most 1 at (20, 1e-8), (10, 1e-14), (1, 1e-30)")
print("got: " + ", ".join(f"{ratio:.6g}" for ratio in told))
raise SystemExit(0 if min(told) > 1.2 else 1)
