"""Bingham divides by (x' Omega x)^(d/2) where its rejection step must multiply: samples are too concentrated."""

from unittest.mock import MagicMock

import numpy as np
from diffprivlib.mechanisms import Bingham

mechanism, densities, zs = Bingham(epsilon=1.0), [], np.linspace(0, 1, 201)
mechanism._rng = rng = MagicMock(**{"random.return_value.__le__.return_value": True})
for top, z in [(top, z) for top in (100.0, 101.0) for z in zs]:  # z: cosine to the top eigenvector
    x = np.append(z, np.full(49, np.sqrt((1 - z * z) / 49)))
    rng.multivariate_normal.return_value = np.tile(x / 4, (4, 1))
    mechanism.randomise(np.diag(np.append(top, np.zeros(49))))
    angular = (x @ np.linalg.solve(4 * rng.multivariate_normal.call_args[0][1], x)) ** -25
    densities.append(angular * rng.random().__le__.call_args[0][0])  # by the chance of acceptance
p = np.reshape(densities, (2, 201))
loss = np.diff(np.log(np.trapezoid(p * (1 - zs**2) ** 23.5) / p[:, 0]))[0]
print(f"expected: |loss| <= 1 between matrices that differ by one unit vector\ngot: {loss:.4f}")
raise SystemExit(0 if loss > 1.1 else 1)
