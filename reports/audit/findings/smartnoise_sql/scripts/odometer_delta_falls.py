"""The delta that Odometer reports falls as more is spent, and ends far below the truth."""

from snsql import Privacy
from snsql.sql.odometer import Odometer

epsilon, delta = 0.1, 0.01
odometer = Odometer(Privacy(epsilon=epsilon, delta=delta))
reported = []
for k in (50, 1000):
    odometer.reset()
    odometer.spend(k)
    reported.append(odometer.spent)
# A step may reveal everything with probability delta: after k steps the truth is at least this, at any epsilon.
expected = 1 - (1 - delta) ** 1000
print(f"expected: delta >= {expected:.6f} after 1000 steps")
print(f"got: delta = {reported[1][1]:.6f} after 1000 steps, {reported[0][1]:.6f} after 50")
raise SystemExit(0 if reported[1][1] < min(reported[0][1], 0.5 * expected) else 1)
