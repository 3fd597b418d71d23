"""Variance adds noise to sums of squares for half of what one value changes, where the bounds are symmetric."""

from unittest.mock import patch

import pipeline_dp as p
from pipeline_dp import dp_computations as dp

asked, made = [p.Metrics.VARIANCE, p.Metrics.MEAN, p.Metrics.COUNT], []
bounds = p.AggregateParams(asked, p.NoiseKind.LAPLACE, 1, 1, min_value=-1, max_value=1)
read = p.DataExtractors(lambda row: row[0], lambda row: "a", lambda row: row[1])
for data in ([(1, 0.0)], [(1, 0.0), (2, 1.0)]):
    accountant = p.NaiveBudgetAccountant(1.0, 0.0)
    out = p.DPEngine(accountant, p.LocalBackend()).aggregate(data, bounds, read, ["a"])
    accountant.compute_budgets()
    with patch.object(dp, "_add_random_noise", wraps=dp._add_random_noise) as noise:
        made.append((list(out), [call.args for call in noise.call_args_list])[1])
loss = sum(abs(a[0] - b[0]) * a[1] / (a[3] * a[4]) for a, b in zip(*made, strict=True))
print(f"expected: a loss of at most 1.0, of three mechanisms\ngot: {loss:.4f} where one person is added")
raise SystemExit(0 if loss > 1.3 else 1)
