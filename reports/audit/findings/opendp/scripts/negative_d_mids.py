"""make_adaptive_composition accepts a negative entry of d_mids, and its map adds it to the others."""

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
compositor = dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=1.0, d_mids=[2.0, -1.0])
query = dp.m.make_laplace(*space, scale=0.5)
compositor(7.0)(query)  # is answered
expected, got = query.map(1.0), compositor.map(1.0)
print(f"expected: the compositor's map is at least {expected}, the loss of its first query alone")
print(f"got: {got}")
raise SystemExit(0 if got < expected else 1)
