"""calculate_private_contribution_bounds spends calculation_eps, which the budget accountant never hears of."""

import pipeline_dp as p

accountant = p.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
engine, data = p.DPEngine(accountant, p.LocalBackend()), [(user, user % 3) for user in range(100)]
read = p.DataExtractors(lambda row: row[0], lambda row: row[1], lambda row: 1)
asked = p.CalculatePrivateContributionBoundsParams(p.NoiseKind.LAPLACE, 0.5, 0.0, 0.5, 2)
bounds = engine.calculate_private_contribution_bounds(data, asked, read, [0, 1, 2])
count = p.AggregateParams([p.Metrics.COUNT], max_partitions_contributed=1, max_contributions_per_partition=1)
counts = engine.aggregate(data, count, read, public_partitions=[0, 1, 2])
accountant.compute_budgets()
released = len(list(bounds)) + len(list(counts))
spent = asked.calculation_eps + sum(spec.eps for spec in accountant.mechanism_specs)
print(f"expected: at most 1.0 on all {released} releases of an engine whose accountant has a total of 1.0")
print(f"got: {spent}")
raise SystemExit(0 if spent == 1.5 else 1)
