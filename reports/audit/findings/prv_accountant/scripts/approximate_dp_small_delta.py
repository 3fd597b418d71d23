"""A thousand (epsilon, 5e-17)-DP mechanisms are said to have no mass at infinity."""

from prv_accountant import ApproximateDPMechanism, PRVAccountant

epsilon, delta, count = 1e-4, 5e-17, 1000
prv = ApproximateDPMechanism(epsilon, delta)
accountant = PRVAccountant(prv, eps_error=0.1, delta_error=1e-15, max_self_compositions=count)
low, estimate, high = accountant.compute_delta(20.0, count)  # beyond the sum of all epsilon, which is 0.1
print(f"expected: at least {1 - (1 - delta * count)}, which is 1 - (1 - delta)^{count}")
print(f"got: upper bound {high}, estimate {estimate}")
raise SystemExit(0 if high < count * delta / 2 else 1)
