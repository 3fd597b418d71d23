"""The noise that ana_gaussian_calibrator finds for (1, 1e-16)-DP gives a delta of 4e-14, within its tolerance."""

from math import exp

from autodp.calibrator_zoo import ana_gaussian_calibrator
from autodp.mechanism_zoo import ExactGaussianMechanism
from scipy.stats import norm

epsilon, delta = 1.0, 1e-16
sigma = ana_gaussian_calibrator()(ExactGaussianMechanism, epsilon, delta).params["sigma"]
got = norm.cdf(0.5 / sigma - epsilon * sigma) - exp(epsilon) * norm.cdf(-0.5 / sigma - epsilon * sigma)
print(f"expected: delta at most {delta} at epsilon {epsilon}")
print(f"got: {got:.4g} with sigma {sigma:.6f}")
raise SystemExit(0 if got > 2 * delta else 1)
