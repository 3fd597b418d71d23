"""LinearRegression divides epsilon by one query for y^2, though it asks one for each target."""

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.mechanisms.base import DPMechanism
from diffprivlib.models import LinearRegression

used, make = [], DPMechanism.__init__
DPMechanism.__init__ = lambda self, **given: (used.append(given["epsilon"]), make(self, **given))[1]
X, ledger = np.linspace(-1, 1, 20).reshape(-1, 1), BudgetAccountant()
model = LinearRegression(
    epsilon=1.0, bounds_X=(-1, 1), bounds_y=(-1, 1), fit_intercept=False, accountant=ledger
)
model.fit(X, np.hstack([X] * 3))
print(f"expected: the {len(used)} mechanisms that see all records spend 1.0 together, which is charged")
print(f"got: {sum(used):.6f} spent, {ledger.total()[0]} charged")
raise SystemExit(0 if abs(sum(used) - 1.4) < 1e-9 and ledger.total()[0] == 1.0 else 1)
