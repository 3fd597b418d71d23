"""KMeans keeps inertia_ without noise: who knows all records but one reads that one off a fitted model."""

import numpy as np
from diffprivlib.models import KMeans

told = []
for secret in (0.37, 0.91):
    model = KMeans(n_clusters=1, epsilon=1.0, bounds=(0, 1), random_state=0)
    model.fit(np.append(np.zeros(99), secret).reshape(-1, 1))
    centre = model.cluster_centers_[0, 0]
    distance = abs(model.inertia_ - 99 * centre**2) ** 0.5
    told.append([round(float(centre + side * distance), 9) for side in (-1, 1)])
print("expected: nothing that epsilon = 1 does not allow to be told of the records 0.37 and 0.91")
print(f"got: each is one of two numbers, {told}")
raise SystemExit(0 if 0.37 in told[0] and 0.91 in told[1] else 1)
