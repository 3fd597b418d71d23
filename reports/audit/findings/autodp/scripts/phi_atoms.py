"""With phi_off=False a Laplace mechanism has a negative delta, and randomized response has one too."""

from math import exp

from autodp.mechanism_zoo import LaplaceMechanism, RandresponseMechanism

laplace = LaplaceMechanism(b=0.5, RDP_off=True, phi_off=False).get_approx_delta(1.0)
response = RandresponseMechanism(p=0.9, RDP_off=True, phi_off=False).get_approx_delta(1.0)
exact = 1 - exp((1.0 - 1 / 0.5) / 2), 0.9 - exp(1.0) * 0.1
print(f"expected: at least {exact[0]:.6f} for Laplace and {exact[1]:.6f} for randomized response")
print(f"got: {laplace:.6f} and {response:.6f}")
raise SystemExit(0 if laplace < exact[0] or response < exact[1] else 1)
