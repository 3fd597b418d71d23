"""delta of a composition is below the truth where it is tiny, and below infinity_mass, which it never is, it says."""

import math

from opake.api.accounting.core import opake_accounting as native

# 10,000 releases with noise 100 are one with noise 1
loss = native.gaussian_pld(100.0, native.DiscretizationConfig()).self_compose(10_000)


def true(epsilon: float) -> float:
    upper, lower = (math.erfc((epsilon + sign / 2) / math.sqrt(2)) / 2 for sign in (-1, 1))
    return upper - math.exp(epsilon) * lower


worst = min((7.5 + i / 100 for i in range(90)), key=lambda e: loss.delta_at(e) / true(e))
print(f"expected: at least {true(worst):.4g}, and at least infinity_mass = {loss.infinity_mass:.4g}")
print(f"got: {loss.delta_at(worst):.4g} at epsilon = {worst}")
raise SystemExit(0 if loss.delta_at(worst) < min(0.9 * true(worst), loss.infinity_mass) else 1)
