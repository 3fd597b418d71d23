"""With phi_off=False a Gaussian mechanism of noise 1 has a negative epsilon at delta 1e-5."""

from contextlib import redirect_stdout
from io import StringIO
from math import exp

from autodp.mechanism_zoo import GaussianMechanism
from scipy.optimize import brentq
from scipy.stats import norm

with redirect_stdout(StringIO()):  # it prints its search
    got = GaussianMechanism(sigma=1.0, phi_off=False).get_eps(1e-5)
exact = brentq(lambda e: norm.cdf(0.5 - e) - exp(e) * norm.cdf(-0.5 - e) - 1e-5, 0.0, 20.0)
print(f"expected: at least {exact:.6f}")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < exact - 0.1 else 1)
