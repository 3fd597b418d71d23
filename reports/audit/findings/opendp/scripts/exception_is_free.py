"""A query whose function raises is run on the data and not charged; its message reaches the analyst."""

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
odometer = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=1.0)(7.0)
raises = dp.m.make_user_measurement(
    *space, dp.max_divergence(), lambda x: {}[f"saw {x}"], lambda d: 0.5, TO=float
)
try:
    queryable(raises)
except dp.OpenDPException as error:
    print("expected: a loss of 0.5")
    print(f"got: {queryable.privacy_loss(1.0)}, and 'saw 7.0' in the message: {'saw 7.0' in str(error)}")
raise SystemExit(0 if queryable.privacy_loss(1.0) == 0.0 else 1)
