"""KMeans unpacks its two epsilons in the wrong order: in many dimensions the sums get more than all of epsilon."""

from unittest.mock import patch

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.mechanisms import LaplaceBoundedDomain
from diffprivlib.models import KMeans

ledger = BudgetAccountant()
with patch("diffprivlib.models.k_means.LaplaceBoundedDomain", wraps=LaplaceBoundedDomain) as made:
    model = KMeans(n_clusters=1, epsilon=1.0, bounds=(0, 1), accountant=ledger, random_state=0)
    model.fit(np.zeros((2000, 100)))
spent = sum(call.kwargs["epsilon"] for call in made.call_args_list)
print("expected: at most 1.0 on sums over all records")
print(f"got: {spent:.6f}, {ledger.total()[0]} charged")
raise SystemExit(0 if spent > 2.6 and ledger.total()[0] == 1.0 else 1)
