"""One added record changes two of the rows that the Theil-Sen medians are taken of; the map counts one."""

import numpy as np
import opendp.prelude as dp
from opendp.extras.sklearn.linear_model._make_private_theil_sen import pairwise_predict

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
fit = dp.sklearn.linear_model.LinearRegression(dp.max_divergence(), [(0, 100)], (0, 100), scale=1.0)
old = np.array([[90.0, 99.5], [95.0, 99.5], [100.0, 99.5], [50.0, -1e6]])
added = np.vstack([[50.0, 1e6], old])  # an odd number: the last record is left out
chances, (node, weight) = [], np.polynomial.legendre.leggauss(80)
for data in (old, added):
    for rows in pairwise_predict(data, np.array([25.0, 75.0])).T:
        score = np.array([abs(int(sum(rows < c)) - int(sum(rows > c))) for c in np.linspace(0, 100, 100)])
        accept = np.exp((min(score) - score) / 2)  # of permute-and-flip at scale 1.0 times 2
        chances.append(accept[-1] * weight @ [np.prod(1 - (1 + t) / 2 * accept[:-1]) for t in node] / 2)
got, expected = fit.measurement.map(1), np.log(chances[2] * chances[3] / chances[0] / chances[1])
print(f"expected: epsilon >= {expected:.6f}\ngot: epsilon = {got}")
raise SystemExit(0 if got < 0.999 * expected else 1)
