"""LogisticRegression leaves the intercept without the regularisation that objective perturbation needs."""

from unittest.mock import MagicMock

import numpy as np
from diffprivlib.models import LogisticRegression

logs, s, rng = [], 1 / (1 + np.exp(6)), MagicMock(spec=np.random.RandomState)
for x, centre in ((1.0, np.array([-5.5, 0.5 - s])), (0.0, np.array([-6, 1 - 2 * s]))):  # noise for (6, -6)
    fitted, model = [], LogisticRegression(data_norm=1.0, tol=1e-13, max_iter=10**4, random_state=rng)
    for noise in centre + 1e-4 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0]]):
        rng.standard_normal.return_value = np.outer(noise, np.ones(4))
        rng.gamma.return_value = np.full(4, np.linalg.norm(noise) / 4)
        model.fit([[x], [0.0]], [1, 0])
        fitted.append(np.append(model.coef_, model.intercept_))
    volume = np.log(abs(np.linalg.det([fitted[0] - fitted[1], fitted[2] - fitted[3]])))
    logs.append(-np.linalg.norm(centre) / rng.gamma.call_args[0][1] - volume)
print(f"expected: |log density ratio| <= epsilon = 1\ngot: {logs[0] - logs[1]:.4f} at {fitted[4].round(3)}")
raise SystemExit(0 if logs[0] - logs[1] > 4 else 1)
