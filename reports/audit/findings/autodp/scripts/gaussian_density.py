"""The pair of densities of a Gaussian mechanism has standard deviation sigma^2 where the noise has sigma."""

from contextlib import redirect_stdout
from io import StringIO
from math import exp

from autodp.mechanism_zoo import GaussianMechanism
from scipy.integrate import quad
from scipy.stats import norm

sigma, epsilon = 2.0, 0.5
with redirect_stdout(StringIO()):
    pair = GaussianMechanism(sigma, phi_off=False)
excess = lambda x: max(pair.pdf_p(x) - exp(epsilon) * pair.pdf_q(x), 0.0)  # noqa: E731
got = quad(excess, -60, 0)[0] + quad(excess, 0, 20, limit=500)[0] + quad(excess, 20, 80)[0]
exact = norm.cdf(0.5 / sigma - epsilon * sigma) - exp(epsilon) * norm.cdf(-0.5 / sigma - epsilon * sigma)
print(f"expected: delta {exact:.6f} at epsilon {epsilon} for the pair of N(1, {sigma}^2) and N(0, {sigma}^2)")
print(f"got: {got:.6f} from pdf_p and pdf_q")
raise SystemExit(0 if got < 0.9 * exact else 1)
