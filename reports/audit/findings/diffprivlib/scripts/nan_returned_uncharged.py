"""quantile returns NaN if one entry is NaN, which tells of that entry for certain, and charges nothing."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import median

told = []
for entry in (np.nan, 0.5):
    ledger = BudgetAccountant(epsilon=1.0, delta=0.0)
    answer = median(np.append(np.full(99, 0.5), entry), epsilon=1.0, bounds=(0, 1), accountant=ledger)
    told.append((bool(np.isnan(answer)), float(ledger.total()[0])))
print("expected: both outcomes possible from both data sets, and both calls charged 1.0")
print(f"got: (is NaN, charged) = {told}")
raise SystemExit(0 if told == [(True, 0.0), (False, 1.0)] else 1)
