"""The rejection step of make_private_eigenvector divides where it should multiply, and samples another law."""

import numpy as np
import opendp.extras.sklearn._make_eigenvector as module
import opendp.prelude as dp

dp.enable_features("contrib", "idealized-numerics")
spy = type("Spy", (), {"random": lambda s: s, "__lt__": lambda s, p: setattr(s, "p", p) or True})()
spy.multivariate_normal = lambda mean, cov: setattr(spy, "omega", np.linalg.inv(cov)) or spy.u
module.get_np_csprng = lambda: spy  # proposes spy.u, and is told with what chance it is accepted
space = module._sscp_domain(norm=1.0, p=2, size=204, num_features=3), dp.symmetric_distance()
sampler, logs = module.make_private_eigenvector(*space, 1.0), []
for spy.u in np.eye(3)[:2]:
    sampler(np.diag([104.0, 100.0, 0.0]))
    logs.append(np.log(spy.p * (spy.u @ spy.omega @ spy.u) ** -1.5))
expected, got = 1.0 / 4 * (104 - 100), logs[0] - logs[1]
print(f"expected: log-ratio of the densities at two axes = {expected}\ngot: {got:.6f}")
raise SystemExit(0 if abs(got - expected) > 0.5 else 1)
