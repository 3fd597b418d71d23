"""GaussianNB takes upper - lower as sensitivity of a class's sum, which a changed label moves by up to |upper|."""

import warnings

import numpy as np
from diffprivlib.models import GaussianNB

warnings.simplefilter("ignore")
told = []
for label in (0, 1):
    X, y = np.full((20, 1), 100.5), np.array([label] + [0] * 9 + [1] * 10)
    models = [GaussianNB(epsilon=1.0, bounds=(100, 101), random_state=seed).fit(X, y) for seed in range(1000)]
    told.append(sum(bool(m.class_count_[0] == 10 and 100 < m.theta_[0, 0] < 101) for m in models))
print(
    "expected: shares of (10 in class 0, mean inside bounds) within a factor e, for data of which one label differs"
)
print(f"got: {told[0]} of 1000 against {told[1]} of 1000")
raise SystemExit(0 if told[0] > 30 and told[1] == 0 else 1)
