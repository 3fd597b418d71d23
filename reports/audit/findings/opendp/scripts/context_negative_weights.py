"""A context split by weights of which one is negative answers a query whose loss is above its total."""

import opendp.prelude as dp

dp.enable_features("contrib")
context = dp.Context.compositor(
    data=[1] * 50,
    privacy_unit=dp.unit_of(contributions=1),
    privacy_loss=dp.loss_of(epsilon=1.0),
    split_by_weights=[3, -1],
    domain=dp.vector_domain(dp.atom_domain(T=int)),
)
context.query().count().laplace().release()
(got,) = context.current_privacy_loss()
print("expected: no query's loss is above epsilon = 1.0, the context's total")
print(f"got: the first query's loss is {got}")
raise SystemExit(0 if got > 1.0 else 1)
