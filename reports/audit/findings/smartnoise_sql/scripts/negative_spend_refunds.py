"""A negative number of steps, or a negative epsilon, takes away what was spent."""

from snsql import Privacy
from snsql.sql.odometer import Odometer, OdometerHeterogeneous

odometer = Odometer(Privacy(epsilon=1.0, delta=1e-6))
odometer.spend(10)
odometer.spend(-9)
steps = OdometerHeterogeneous(Privacy(epsilon=1.0, delta=1e-6))
for epsilon in (5.0, -4.0):
    steps.spend(Privacy(epsilon=epsilon, delta=0.0))
got = odometer.spent[0], steps.spent[0]
print("expected: an error, or epsilons of at least 9 and 5")
print(f"got: {got[0]} and {got[1]}")
raise SystemExit(0 if got[0] < 9 and got[1] < 5 else 1)
