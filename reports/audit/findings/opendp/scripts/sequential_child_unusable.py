"""Under approximate zCDP an interactive query is charged, and its child then answers nothing."""

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
measure = dp.approximate(dp.zero_concentrated_divergence())
queryable = dp.c.make_fully_adaptive_composition(*space, measure)(7.0)
child = queryable(dp.c.make_adaptive_composition(*space, measure, d_in=1.0, d_mids=[(0.5, 0.0)]))
message = ""
try:
    child(dp.c.make_approximate(dp.m.make_gaussian(*space, scale=1.0)))
except dp.OpenDPException as error:
    message = error.message
print("expected: the most recent child answers")
print(f"got: {message}, at a loss of {queryable.privacy_loss(1.0)}")
raise SystemExit(0 if "downcast" in message else 1)
