"""A spend whose epsilon is NaN makes the total NaN, which is above no limit."""

import math

from snsql import Privacy
from snsql.sql.odometer import OdometerHeterogeneous

odometer = OdometerHeterogeneous(Privacy(epsilon=1.0, delta=1e-6))
odometer.spend(Privacy(epsilon=math.nan, delta=0.0))
for _ in range(100):
    odometer.spend()
got = odometer.spent[0]
print("expected: an error, or an epsilon above 10")
print(f"got: {got}, and `spent > 10` is {got > 10}")
raise SystemExit(0 if math.isnan(got) and not got > 10 else 1)
