"""gaussian_privacy_delta, said to be conservative, is below the truth in far tails: exp(b * b) loses b^2 ulps."""

import mpmath
from openmed.risk.differential_privacy import gaussian_privacy_delta, gaussian_scale

mpmath.mp.dps = 300
told = []
for sigma, epsilon, claimed in (
    (10**4.5, 1e-3, gaussian_privacy_delta(10**4.5, 1.0, 1e-3)),
    (gaussian_scale(1.0, 1e-3, 1e-300), 1e-3, 1e-300),
):
    a, b = 1 / (2 * mpmath.mpf(sigma)), mpmath.mpf(epsilon) * mpmath.mpf(sigma)
    told.append(float((mpmath.ncdf(a - b) - mpmath.exp(epsilon) * mpmath.ncdf(-a - b)) / claimed - 1))
print("expected: (true delta / claimed delta) - 1 at most 0, for a profile and for a calibrated scale")
print(f"got: {told[0]:.3g} and {told[1]:.3g}")
raise SystemExit(0 if told[0] > 1e-8 and told[1] > 1e-9 else 1)
