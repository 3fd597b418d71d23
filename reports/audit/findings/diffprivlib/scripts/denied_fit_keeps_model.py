"""A fit that is denied at its end leaves a fitted model: fits that overlap share one budget."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from unittest.mock import patch

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.models import GaussianNB

X, y = np.linspace(0, 1, 20).reshape(-1, 1), np.arange(20) % 2
ledger, both, check = BudgetAccountant(epsilon=1.0, delta=0.0), Barrier(2), GaussianNB._noisy_class_counts
models = [GaussianNB(epsilon=1.0, bounds=(0, 1), accountant=ledger) for _ in range(2)]
meet = patch.object(GaussianNB, "_noisy_class_counts", lambda *a, **k: (both.wait(9), check(*a, **k))[1])
with meet, ThreadPoolExecutor(2) as pool:
    errors = [pool.submit(model.fit, X, y).exception for model in models]
denied, answering = sum(error() is not None for error in errors), sum(hasattr(m, "theta_") for m in models)
print(f"expected: one of two fits under a ceiling of 1.0, {denied} is denied\ngot: {answering} models fitted")
raise SystemExit(0 if denied == 1 and answering == 2 else 1)
