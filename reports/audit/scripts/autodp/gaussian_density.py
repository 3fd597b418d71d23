"""The densities of the Gaussian mechanism's pair have standard deviation sigma^2 where the noise has sigma."""

from contextlib import redirect_stdout
from io import StringIO
from math import pi, sqrt

from autodp.mechanism_zoo import GaussianMechanism

sigma = 2.0
with redirect_stdout(StringIO()):
    got = GaussianMechanism(sigma, phi_off=False).pdf_q(0.0)
exact = 1 / (sigma * sqrt(2 * pi))
print(f"expected: {exact:.6f}, the density of N(0, {sigma}^2) at 0")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < 0.9 * exact else 1)
