"""eps_delta_calibrator returns a mechanism whose epsilon is above the budget by up to 0.001."""

from autodp.calibrator_zoo import eps_delta_calibrator
from autodp.mechanism_zoo import ExactGaussianMechanism

mechanism = eps_delta_calibrator()(ExactGaussianMechanism, 1.0, 1e-6, [0.1, 1000.0])
got = mechanism.get_approxDP(1e-6)
print("expected: epsilon at most 1")
print(f"got: {got:.9f}")
raise SystemExit(0 if got > 1 else 1)
