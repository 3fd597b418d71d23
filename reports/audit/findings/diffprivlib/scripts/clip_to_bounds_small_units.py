"""clip_to_bounds compares bounds with allclose: features in small units are clipped to another feature's bounds."""

import numpy as np
from diffprivlib.validation import clip_to_bounds

bounds = (np.array([0.0, 0.0]), np.array([1e-12, 1e-8]))
got = clip_to_bounds(np.array([[1.0, 0.0]]), bounds)[0, 0]
print("expected: 1e-12, the upper bound of the first feature, to which its noise is scaled")
print(f"got: {got}")
raise SystemExit(0 if got == 1e-8 else 1)
