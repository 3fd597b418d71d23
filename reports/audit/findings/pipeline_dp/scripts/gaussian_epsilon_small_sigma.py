"""gaussian_epsilon stops where exp(epsilon) overflows, whatever delta is there."""

import mpmath
from pipeline_dp.dp_computations import gaussian_epsilon

mpmath.mp.dps = 50
epsilon = gaussian_epsilon(sigma=0.02, delta=1e-5)
delta = mpmath.ncdf(25 - epsilon / 50) - mpmath.exp(epsilon) * mpmath.ncdf(-25 - epsilon / 50)
print("expected: the Gaussian mechanism with sigma 0.02 is (answer, 1e-5)-DP")
print(f"got: the answer {epsilon:.4f}, at which delta is {float(delta):.6f}")
raise SystemExit(0 if delta > 0.99 else 1)
