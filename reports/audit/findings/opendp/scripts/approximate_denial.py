"""A refusal under approximate DP, with delta below its limit, is an error about an unknown ordering."""

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
odometer = dp.c.make_fully_adaptive_composition(*space, dp.approximate(dp.max_divergence()))
queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=(1.0, 1e-6))(7.0)
message = ""
try:
    queryable(dp.c.make_approximate(dp.m.make_laplace(*space, scale=0.5)))  # costs (2, 0)
except dp.OpenDPException as error:
    message = error.message
print("expected: filter is now exhausted")
print(f"got: {message}")
raise SystemExit(0 if "ordering" in message else 1)
