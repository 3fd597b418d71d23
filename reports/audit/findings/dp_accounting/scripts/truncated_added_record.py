import math

import dp_accounting as dp
import numpy as np
from scipy.stats import norm

Q, SIGMA, EPSILON = 0.99, 0.5, 3.0
event = dp.TruncatedSubsampledGaussianDpEvent(3, Q, 3, SIGMA)
got = dp.pld.PLDAccountant().compose(event).get_delta(EPSILON)
x = np.linspace(-12, 12, 200_001)  # the sum of a batch of at most 3 of the records -1, -1, -1, plus noise
p = [math.comb(3, k) * Q**k * (1 - Q) ** (3 - k) for k in range(4)]
three = sum(p[k] * norm.pdf(x, -k, SIGMA) for k in range(4))
drawn = sum(p[k] * norm.pdf(x, (1, 0, -1, -1)[k], SIGMA) * (1, 1, 1, 0.75)[k] for k in range(4))
four = (1 - Q) * three + Q * (drawn + p[3] * 0.25 * norm.pdf(x, -3, SIGMA))  # a record 1 is added
expected = np.maximum(four - math.exp(EPSILON) * three, 0).sum() * (x[1] - x[0])
print(f"expected: delta({EPSILON}) >= {expected:.6f} for a data set of size 3")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected * 0.9 else 1)
