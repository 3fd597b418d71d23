"""A privacy filter runs the query on the data, then asks what it cost, and then refuses."""

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
odometer = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=1.0)(7.0)
seen: list[float] = []
query = dp.m.make_user_measurement(
    *space, dp.max_divergence(), lambda x: seen.append(x) or 0.0, lambda d: 5.0, TO=float
)
try:
    queryable(query)
except dp.OpenDPException:
    print("expected: a refused query has seen []")
    print(f"got: it has seen {seen}")
raise SystemExit(0 if seen == [7.0] else 1)
