"""sklearn.clone copies the accountant of a model: every clone starts from the budget as it was."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import GaussianNB
from sklearn.base import clone

X, y = np.linspace(0, 1, 40).reshape(-1, 1), np.arange(40) % 2
ledger = BudgetAccountant(epsilon=1.0, delta=0.0)
model = GaussianNB(epsilon=1.0, bounds=(0, 1), accountant=ledger)
fitted = [clone(model).fit(X, y) for _ in range(5)]
print("expected: BudgetError at the second of five fits at epsilon = 1 under a ceiling of 1")
print(f"got: {len(fitted)} models fitted, total {float(ledger.total()[0])}")
raise SystemExit(0 if len(fitted) == 5 and ledger.total()[0] == 0 else 1)
