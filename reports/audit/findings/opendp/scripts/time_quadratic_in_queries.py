"""At each query a filter asks the maps of all before it again, so that its time is quadratic in their number."""

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
odometer = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=1.0)(7.0)
asked, counts = [], []
query = dp.m.make_user_measurement(
    *space, dp.max_divergence(), lambda x: 0.0, lambda d: asked.append(d) or 0.0009765625, TO=float
)
for _ in range(200):
    before = len(asked)
    queryable(query)
    counts.append(len(asked) - before)
print(f"expected: as many maps at query 200 as at query 2, {counts[1]}")
print(f"got: {counts[1]}, {counts[49]} and {counts[199]} maps at queries 2, 50 and 200, {sum(counts)} in all")
raise SystemExit(0 if counts[199] >= 199 else 1)
