"""A delta below half the spacing of doubles at 1 is reported as 0, beside an epsilon that needs a delta."""

import math

from snsql import Privacy
from snsql.sql.odometer import OdometerHeterogeneous

delta, steps = 1e-17, 1000
odometer = OdometerHeterogeneous(Privacy(epsilon=0.1, delta=delta))
for _ in range(steps):
    odometer.spend()
expected = -math.expm1(steps * math.log1p(-delta))
epsilon, got = odometer.spent
print(f"expected: delta >= {expected:.3g}")
print(f"got: delta = {got}, at epsilon = {epsilon:.4f} (the sum of the epsilons is {0.1 * steps:.0f})")
raise SystemExit(0 if got < expected and epsilon < 99 else 1)
