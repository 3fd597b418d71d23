"""mean, var and sum return NaN exactly if an entry is NaN: one record is told for certain at epsilon = 1."""

import numpy as np
from diffprivlib.tools import mean, var
from diffprivlib.tools import sum as dp_sum

told = []
for tool in (mean, var, dp_sum):
    for entry in (np.nan, 0.5):
        data = np.append(np.full(99, 0.5), entry)
        told.append(sum(bool(np.isnan(tool(data, epsilon=1.0, bounds=(0, 1)))) for _ in range(50)))
print("expected: shares of NaN within a factor e, for data that differ in one entry")
print(f"got: of 50, {told} (mean with and without NaN, var, sum)")
raise SystemExit(0 if told == [50, 0] * 3 else 1)
