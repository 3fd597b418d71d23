"""The Gaussian threshold mechanism keeps values equal to the threshold; its delta leaves that case out."""

import math

import opendp.prelude as dp

dp.enable_features("contrib")
scale, threshold = 1.0, 3
domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
metric = dp.l02inf_distance(dp.absolute_distance(T=int))
mechanism = dp.m.make_gaussian_threshold(domain, metric, scale=scale, threshold=threshold)
keeps_equal = any(mechanism({"a": threshold}).get("a") == threshold for _ in range(200))
weight = {z: math.exp(-((z / scale) ** 2) / 2) for z in range(-40, 41)}
# {} never releases "a"; {"a": 1} releases it when 1 + Z >= threshold, Z discrete Gaussian.
expected = sum(w for z, w in weight.items() if 1 + z >= threshold) / sum(weight.values())
got = mechanism.map((1, 1, 1))[1]
print(f"expected: delta >= {expected:.6g} (a value equal to the threshold is kept: {keeps_equal})")
print(f"got: delta = {got:.6g}")
raise SystemExit(0 if keeps_equal and got < 0.999 * expected else 1)
