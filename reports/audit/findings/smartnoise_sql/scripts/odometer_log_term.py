"""Odometer has log(epsilon + ...) where the theorem that it cites has log(e + ...)."""

import math

from snsql import Privacy
from snsql.sql.odometer import Odometer

epsilon, delta, k = 0.01, 0.01, 5
odometer = Odometer(Privacy(epsilon=epsilon, delta=delta))
odometer.spend(k)
drift, slack = k * epsilon * math.tanh(epsilon / 2), delta / 2
logs = math.log(math.e + math.sqrt(k) * epsilon / slack), math.log(1 / slack)
expected = min(k * epsilon, *(drift + epsilon * math.sqrt(2 * k * log) for log in logs))
got = float(odometer.spent[0])
print(f"expected: epsilon = {expected:.6f} (the theorem)")
print(f"got: epsilon = {got:.6f}")
raise SystemExit(0 if got < 0.99 * expected else 1)
