from dp_accounting.dp_event import MixtureOfGaussiansDpEvent
from dp_accounting.pld import PLDAccountant
from scipy.stats import norm

Q = 1e-8
got = PLDAccountant().compose(MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [1 - Q, Q])).get_delta(0.0)
expected = Q * (2 * norm.cdf(0.5) - 1)  # the total variation of the mixture from N(0, 1)
print(f"expected: delta(0) = {expected:.6e}")
print(f"got: {got:.6e}")
raise SystemExit(0 if got < expected / 2 else 1)
