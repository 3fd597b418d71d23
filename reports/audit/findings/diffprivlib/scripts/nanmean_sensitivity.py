"""nanmean scales its noise to all entries, though the mean is taken over those that are not NaN."""

import numpy as np
from diffprivlib.tools import nanmean

data = np.full(1000, np.nan)
above = []
for entry in (1.0, 0.0):
    data[0] = entry
    above.append(sum(nanmean(data, epsilon=1.0, bounds=(0, 1)) > 0.5 for _ in range(200)))
print("expected: shares of answers above 1/2 within a factor e, for data that differ in one entry")
print(f"got: {above[0]} of 200 against {above[1]} of 200")
raise SystemExit(0 if above == [200, 0] else 1)
