"""LinearRegression reads the lower bound twice: for bounds (0, 1) the sums of squares get no noise at all."""

import numpy as np
from diffprivlib.models import LinearRegression

told = []
for entry in (0.25, 1.0):
    model = LinearRegression(epsilon=1.0, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
    model.fit(np.array([[0.5], [entry]]), np.array([0.0, 0.0]))
    told.append(float(model._obj_coefs[2][0, 0]))
print("expected: sums of squares 0.3125 and 1.25 with Laplace noise on them, the bound on one square being 1")
print(f"got: {told[0]} and {told[1]}")
raise SystemExit(0 if told == [0.3125, 1.25] else 1)
