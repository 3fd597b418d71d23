"""LinearRegression(fit_intercept=False) does not clip to its bounds, on which its noise is scaled."""

import numpy as np
from diffprivlib.models import LinearRegression

told = []
for entry in (1000.0, 0.0):
    model = LinearRegression(epsilon=1.0, bounds_X=(-1, 1), bounds_y=(-1, 1), fit_intercept=False)
    told.append(float(model.fit(np.array([[0.0], [entry]]), np.array([0.0, 0.0]))._obj_coefs[2][0, 0]))
print("expected: a sum of squares of at most 2 with noise of scale 3, as the entry 1000 is clipped to 1")
print(f"got: {told[0]:.1f} against {told[1]:.1f} without that entry")
raise SystemExit(0 if told[0] > 900_000 and told[1] < 1000 else 1)
