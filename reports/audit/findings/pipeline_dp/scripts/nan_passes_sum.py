"""A value NaN passes the clipping of DPEngine and its noise: a sum or mean is NaN exactly if somebody's value is."""

import math

import pipeline_dp as p

told = []
for metric, name in ((p.Metrics.SUM, "sum"), (p.Metrics.MEAN, "mean")):
    for value in (math.nan, 0.5):
        accountant = p.NaiveBudgetAccountant(1.0, 0.0)
        bounds = p.AggregateParams([metric], p.NoiseKind.LAPLACE, 1, 1, min_value=0, max_value=1)
        read = p.DataExtractors(lambda row: row[0], lambda row: row[0] % 50, lambda row: row[1])
        data = [(k, 0.5) for k in range(50)] + [(50 + k, value) for k in range(50)]
        out = p.DPEngine(accountant, p.LocalBackend()).aggregate(data, bounds, read, list(range(50)))
        accountant.compute_budgets()
        told.append(sum(math.isnan(getattr(answer, name)) for _, answer in out))
print("expected: shares of NaN within a factor e, for partitions that differ in one person")
print(f"got: of 50, {told} (sum with and without NaN, mean)")
raise SystemExit(0 if told == [50, 0] * 2 else 1)
