"""Gaussian noise of 1e-5 is said to lose nothing, and two releases with noise 0.02 less than one."""

import math

from opake.api.accounting.core import opake_accounting as native

config = native.DiscretizationConfig()
tiny, small = native.gaussian_pld(1e-5, config), native.gaussian_pld(0.02, config)
expected = math.erf(1 / (2e-5 * math.sqrt(2)))
print(f"expected: advantage = {expected:.6f} with noise 1e-5")
print(f"got: {tiny.advantage():.6f}, and epsilon = {tiny.epsilon_at(1e-5)}; with noise 0.02 ", end="")
print(f"{small.epsilon_at(1e-5)} for one release, {small.self_compose(2).epsilon_at(1e-5):.2f} for two")
raise SystemExit(0 if tiny.advantage() < 0.5 * expected else 1)
