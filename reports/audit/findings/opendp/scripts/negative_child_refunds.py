"""A compositor or filter built with a negative loss is a query whose charge is negative: a filter pays it out."""

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
measure = dp.max_divergence()
odometer = dp.c.make_fully_adaptive_composition(*space, measure)
queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=1.0)(7.0)
costly = dp.m.make_laplace(*space, scale=0.002)  # 500 at d_in = 1
queryable(dp.c.make_adaptive_composition(*space, measure, d_in=1.0, d_mids=[-1000.0]))
released = queryable(costly)
print("expected: a filter with d_out = 1.0 refuses a query whose loss is 500")
print(f"got: it releases {released:.4f}; privacy_loss = {queryable.privacy_loss(1.0)}")
raise SystemExit(0 if queryable.privacy_loss(1.0) < 0 else 1)
