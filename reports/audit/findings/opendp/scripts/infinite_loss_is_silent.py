"""An odometer releases a query whose loss is infinite, and from then on raises when asked for its loss."""

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
queryable = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())(7.0)
released = queryable(dp.m.make_laplace(*space, scale=0.0))  # no noise
message = ""
try:
    queryable.privacy_loss(1.0)
except dp.OpenDPException as error:
    message = str(error.message)
print("expected: privacy_loss is inf")
print(f"got: released {released}, then {message}")
raise SystemExit(0 if released == 7.0 and "Consider tightening" in message else 1)
