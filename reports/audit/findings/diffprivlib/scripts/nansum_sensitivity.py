"""nansum takes upper - lower as sensitivity, though replacing NaN by a number changes the sum by up to |upper|."""

import numpy as np
from diffprivlib.tools import nansum

above = []
for entry in (1009.0, np.nan):
    data = np.array([entry] + [1000.0, 1009.0] * 50)
    above.append(sum(nansum(data, epsilon=1.0, bounds=(1000, 1010)) > 101_200 for _ in range(200)))
print("expected: shares of answers above 101200 within a factor e, for data that differ in one entry")
print(f"got: {above[0]} of 200 against {above[1]} of 200")
raise SystemExit(0 if above == [200, 0] else 1)
