from math import exp, log

import dp_accounting as dp

Q, COUNT = 0.5, 100
expected = log(1 + Q**2 * (exp(COUNT) - 1))  # the Renyi divergence of order 2 in closed form
reported = {}
for kind in (int, float):
    event = dp.PoissonSampledDpEvent(Q, dp.SelfComposedDpEvent(dp.GaussianDpEvent(kind(1)), COUNT))
    reported[kind] = dp.rdp.RdpAccountant(orders=[2]).compose(event).rdp[0]
got = reported[int]
print(
    f"expected: a divergence of order 2 of {expected:.6f} (with noise_multiplier=1.0: {reported[float]:.6f})"
)
print(f"got: {got:.6f} with noise_multiplier=1")
raise SystemExit(0 if got < expected / 2 else 1)
