"""LinearRegression divides epsilon by one query for y^2, though it asks one for each target."""

from unittest.mock import patch

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.mechanisms.base import DPMechanism
from diffprivlib.models import LinearRegression

X, ledger, bounds = np.linspace(-1, 1, 20).reshape(-1, 1), BudgetAccountant(), (-1, 1)
model = LinearRegression(
    bounds_X=bounds, bounds_y=bounds, fit_intercept=False, accountant=ledger
)  # epsilon=1.0
with patch.object(DPMechanism, "__init__", autospec=True, side_effect=DPMechanism.__init__) as made:
    model.fit(X, np.hstack([X] * 3))
used = [call.kwargs["epsilon"] for call in made.call_args_list]
print(f"expected: the {len(used)} mechanisms that see all records spend 1.0 together, which is charged")
print(f"got: {sum(used):.6f} spent, {ledger.total()[0]} charged")
raise SystemExit(0 if abs(sum(used) - 1.4) < 1e-9 and ledger.total()[0] == 1.0 else 1)
