from math import exp

from dp_accounting.dp_event import MixtureOfGaussiansDpEvent
from dp_accounting.pld import PLDAccountant
from scipy.stats import norm

EPSILON, SCALE = 2.0, 1e-7
# One sensitivity with probability 1 and noise of the same size: the Gaussian mechanism of noise multiplier 1.
got = PLDAccountant().compose(MixtureOfGaussiansDpEvent(SCALE, [SCALE], [1.0])).get_delta(EPSILON)
expected = norm.cdf(0.5 - EPSILON) - exp(EPSILON) * norm.cdf(-0.5 - EPSILON)
print(f"expected: delta({EPSILON}) = {expected:.6e}")
print(f"got: {got:.6e}")
raise SystemExit(0 if got < expected / 2 else 1)
