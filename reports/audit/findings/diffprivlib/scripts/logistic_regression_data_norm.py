"""LogisticRegression bounds the curvature of the loss by norm / 4, where it is norm^2 / 4."""

import numpy as np
from diffprivlib.models import LogisticRegression

told = []
for x in (1e4, 0.0):
    X, y = np.array([[x], [0.0]]), np.array([1, 0])
    given = {"epsilon": 1.0, "data_norm": 1e4, "fit_intercept": False}
    fitted = [LogisticRegression(**given, random_state=seed).fit(X, y).coef_[0, 0] for seed in range(400)]
    told.append(sum(bool(abs(w) < 1e-4) for w in fitted))
print("expected: shares of |coefficient| < 1e-4 within a factor e, for data that differ in one record")
print(f"got: {told[0]} of 400 against {told[1]} of 400")
raise SystemExit(0 if told[0] > 12 and told[1] == 0 else 1)
