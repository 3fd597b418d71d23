"""The Laplace threshold mechanism keeps values equal to the threshold; its delta leaves that case out."""

import math

import opendp.prelude as dp

dp.enable_features("contrib")
scale, threshold = 1.0, 10
domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
metric = dp.l01inf_distance(dp.absolute_distance(T=int))
mechanism = dp.m.make_laplace_threshold(domain, metric, scale=scale, threshold=threshold)
keeps_equal = any(mechanism({"a": threshold}).get("a") == threshold for _ in range(200))
# {} never releases "a"; {"a": 1} releases it when 1 + Z >= threshold, Z discrete Laplace.
expected = math.exp(-(threshold - 1) / scale) / (1 + math.exp(-1 / scale))
got = mechanism.map((1, 1, 1))[1]
print(f"expected: delta >= {expected:.6g} (a value equal to the threshold is kept: {keeps_equal})")
print(f"got: delta = {got:.6g}")
raise SystemExit(0 if keeps_equal and got < 0.999 * expected else 1)
