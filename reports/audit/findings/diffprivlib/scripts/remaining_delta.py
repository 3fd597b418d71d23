"""remaining() reports more delta than the ceiling of an accountant that has spent nothing."""

from diffprivlib import BudgetAccountant
from diffprivlib.utils import BudgetError

ledger = BudgetAccountant(epsilon=1.0, delta=1e-16)
left = ledger.remaining()
try:
    ledger.spend(*left)
    denied = False
except BudgetError:
    denied = True
print("expected: (1.0, 1e-16) remaining, which can be spent")
print(f"got: {left} remaining, {'denied' if denied else 'spent'}")
raise SystemExit(0 if left[1] > 1.1e-16 and denied else 1)
