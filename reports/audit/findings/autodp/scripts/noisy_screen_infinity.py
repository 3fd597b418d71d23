"""At order infinity RDP_noisy_screen is below its own values at finite orders."""

from math import inf, log

from autodp.rdp_bank import RDP_noisy_screen

params = {"logp": log(0.5), "logq": log(0.99)}
got, at_1000 = RDP_noisy_screen(params, inf), RDP_noisy_screen(params, 1000.0)
print(
    f"expected: {log(0.5 / 0.01):.6f}, the larger of the two log ratios; {at_1000:.6f} is its own at order 1000"
)
print(f"got: {got:.6f}")
raise SystemExit(0 if got < at_1000 else 1)
