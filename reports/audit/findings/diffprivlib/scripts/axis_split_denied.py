"""A mean along an axis is charged piece by piece: the last piece may be denied, after the others were charged."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import mean
from diffprivlib.utils import BudgetError

ledger = BudgetAccountant(epsilon=1.0, delta=0.0)
try:
    got = mean(np.full((5, 9), 0.5), epsilon=1.0, bounds=(0, 1), axis=0, accountant=ledger)
except BudgetError:
    got = "BudgetError, no answer"
print("expected: nine means at a cost of 1.0 under a ceiling of 1.0, or a denial that costs nothing")
print(f"got: {got}, {float(ledger.total()[0]):.6f} charged")
raise SystemExit(0 if isinstance(got, str) and ledger.total()[0] > 0.8 else 1)
