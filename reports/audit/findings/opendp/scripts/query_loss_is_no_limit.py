"""The loss given to Context.query is used to find a missing parameter, and is no limit on the query."""

import opendp.prelude as dp

dp.enable_features("contrib")
context = dp.Context.compositor(
    data=["a"] * 50,
    privacy_unit=dp.unit_of(contributions=1),
    privacy_loss=dp.loss_of(epsilon=2.0, delta=0.01),
    domain=dp.vector_domain(dp.atom_domain(T=str)),
)
context.query(epsilon=1.0, delta=1e-9).count_by().laplace_threshold(threshold=5).release()
got = context.current_privacy_loss()
print("expected: a loss of at most (1.0, 1e-09), as the query says")
print(f"got: {got}")
raise SystemExit(0 if got[1] > 1e-9 else 1)
