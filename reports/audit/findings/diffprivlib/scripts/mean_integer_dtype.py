"""mean(dtype=int) rounds the exact mean before noise is added, and keeps the sensitivity of the unrounded mean."""

import numpy as np
from diffprivlib.tools import mean

above = []
for entry in (1, 0):
    data = np.append(np.ones(999), entry)
    above.append(sum(mean(data, epsilon=1.0, bounds=(0, 1), dtype=int) > 0.5 for _ in range(200)))
print("expected: shares of answers above 1/2 within a factor e, for data that differ in one entry")
print(f"got: {above[0]} of 200 against {above[1]} of 200")
raise SystemExit(0 if above == [200, 0] else 1)
