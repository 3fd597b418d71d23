"""Entering one accountant twice loses the default before it: later queries are charged to one without a ceiling."""

from contextlib import suppress

from diffprivlib import BudgetAccountant
from diffprivlib.tools import mean

ceiling = BudgetAccountant(epsilon=1.0, delta=0.0).set_default()
other = BudgetAccountant(epsilon=1.0, delta=0.0)
with suppress(AttributeError), other, other:
    pass
for _ in range(5):
    mean([0.5], epsilon=1.0, bounds=(0, 1))
now = BudgetAccountant.load_default(None)
print(
    "expected: the default accountant with its ceiling of 1.0 is back, and denies the second of five queries"
)
print(f"got: five answers, the default is {now!r}")
raise SystemExit(0 if now is not ceiling and len(now) == 5 else 1)
