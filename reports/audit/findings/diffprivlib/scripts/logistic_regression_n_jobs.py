"""LogisticRegression with n_jobs=2 sends one generator to each process: all classes get the same noise."""

import numpy as np
from diffprivlib.models import LogisticRegression

told, y = [], np.arange(30) % 3
for entry in (0.0, 1.0):
    X = np.append(entry, np.zeros(29)).reshape(-1, 1)
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False, n_jobs=2)
    told.append(np.ravel(model.fit(X, y).coef_).round(9).tolist())
alike = [len(set(rows)) for rows in told]
print("expected: noise of its own for each of three classes, so that how many are alike tells nothing")
print(
    f"got: {alike[0]} coefficient where all records are 0, {alike[1]} where one is 1: {told[0]} and {told[1]}"
)
raise SystemExit(0 if alike[0] == 1 < alike[1] else 1)
