"""histogram(bins="auto") chooses the bins from the exact data, and does not warn although a range is given."""

import warnings

import numpy as np
from diffprivlib.tools import histogram

sample = np.linspace(0, 1, 4) ** 3
other = np.append(1.0, sample[1:])
with warnings.catch_warnings(record=True) as said:
    told = [{len(histogram(one, bins="auto", range=(0, 1))[0]) for _ in range(50)} for one in (sample, other)]
print("expected: the same numbers of bins for samples that differ in one record, at epsilon 1, or a warning")
print(f"got: {told[0]} against {told[1]} bins in 50 histograms each, {len(said)} warnings")
raise SystemExit(0 if not told[0] & told[1] and not said else 1)
