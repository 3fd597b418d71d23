"""median raises on one data set and answers on its neighbour, and the error is charged nothing."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import median

told = []
for last in (500.0, 900.0):
    ledger = BudgetAccountant(epsilon=1.0, delta=0.0)
    try:
        median(np.append(np.full(2981, 500.0), last), epsilon=1.0, bounds=(0, 1000), accountant=ledger)
        told.append(("answer", ledger.total()[0]))
    except RuntimeError:
        told.append(("RuntimeError", ledger.total()[0]))
print("expected: the same kind of outcome from data that differ in one entry, or a charge for the difference")
print(f"got: {told}")
raise SystemExit(0 if told == [("RuntimeError", 0), ("answer", 1.0)] else 1)
