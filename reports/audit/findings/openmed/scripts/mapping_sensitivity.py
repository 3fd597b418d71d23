"""release_aggregate gives each entry of a mapping noise of sensitivity / epsilon, and charges epsilon for all."""

from unittest.mock import patch

from openmed.risk import aggregate_dp

ledger = aggregate_dp.AggregateDPBudgetLedger(max_epsilon=1.0, max_delta=0.0)
with patch.object(aggregate_dp, "_laplace_noise", wraps=aggregate_dp._laplace_noise) as drawn:
    aggregate_dp.release_aggregate({f"count_{k}": 1.0 for k in range(5)}, ledger=ledger, epsilon=1.0)
loss = sum(1.0 / call.args[1] for call in drawn.call_args_list)
print(
    "expected: a loss of at most 1.0, where one person is in five counts, each of sensitivity 1 as by default"
)
print(f"got: {loss}, with {ledger.spent_epsilon} charged")
raise SystemExit(0 if loss == 5.0 and ledger.spent_epsilon == 1.0 else 1)
