"""LinearRegression with an intercept spends epsilon / (d + 1) on the mean of y on top of epsilon."""

from unittest.mock import patch

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.mechanisms.base import DPMechanism
from diffprivlib.models import LinearRegression

X, ledger = np.linspace(0, 1, 20).reshape(-1, 1), BudgetAccountant()
model = LinearRegression(epsilon=1.0, bounds_X=(0, 1), bounds_y=(0, 1), accountant=ledger)
with patch.object(DPMechanism, "__init__", autospec=True, side_effect=DPMechanism.__init__) as made:
    model.fit(X, X[:, 0])
used = [call.kwargs["epsilon"] for call in made.call_args_list]
print(f"expected: the {len(used)} mechanisms that see all records spend 1.0 together, which is charged")
print(f"got: {sum(used):.6f} spent, {ledger.total()[0]} charged")
raise SystemExit(0 if abs(sum(used) - 1.5) < 1e-9 and ledger.total()[0] == 1.0 else 1)
