"""After one refusal a privacy filter answers nothing more, whatever it costs, and its loss cannot be read."""

import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
odometer = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=1.0)(7.0)
errors = []
dear, cheap = (dp.m.make_laplace(*space, scale=scale) for scale in (0.1, 100.0))  # they cost 10 and 0.01
for ask, argument in ((queryable, dear), (queryable, cheap), (queryable.privacy_loss, 1.0)):
    try:
        ask(argument)
    except dp.OpenDPException as error:
        errors.append(error.message)
print("expected: refused, answered, 0.01")
print(f"got: {errors}")
raise SystemExit(0 if len(errors) == 3 else 1)
