"""Faults of pipeline-dp: each test fails in a version that has the fault."""

import math
from unittest.mock import patch

import mpmath
import pipeline_dp as p
from pipeline_dp import dp_computations as dp
from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import NaiveBudgetAccountant, PLDBudgetAccountant


def asked_of(accountant, *requests):
    """What mechanisms get of a budget, each requested by its kind and by what else is said of it."""
    specs = [accountant.request_budget(MechanismType[kind], **more) for kind, more in requests]
    accountant.compute_budgets()
    return specs


def by_loss(*requests, delta=1e-6):
    return asked_of(PLDBudgetAccountant(total_epsilon=1.0, total_delta=delta), *requests)


def aggregated(data, partitions, metrics, **bounds):
    """What Laplace noise makes of rows (user, partition, value) by an engine with epsilon 1."""
    accountant = p.NaiveBudgetAccountant(1.0, 0.0)
    params = p.AggregateParams(metrics, p.NoiseKind.LAPLACE, 1, 1, **bounds)
    read = p.DataExtractors(lambda row: row[0], lambda row: row[1], lambda row: row[2])
    out = p.DPEngine(accountant, p.LocalBackend()).aggregate(data, params, read, partitions)
    accountant.compute_budgets()
    return out


def gaussian_delta(sigma, epsilon):
    mpmath.mp.dps = 50
    a, b = 1 / (2 * mpmath.mpf(sigma)), epsilon * mpmath.mpf(sigma)
    return float(mpmath.ncdf(a - b) - mpmath.exp(epsilon) * mpmath.ncdf(-a - b))


class TestPipelineDP:
    def test_contribution_bounds_uncharged(self):
        accountant = p.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
        engine, data = p.DPEngine(accountant, p.LocalBackend()), [(user, user % 3) for user in range(100)]
        read = p.DataExtractors(lambda row: row[0], lambda row: row[1], lambda row: 1)
        params = p.CalculatePrivateContributionBoundsParams(p.NoiseKind.LAPLACE, 0.5, 0.0, 0.5, 2)
        bounds = engine.calculate_private_contribution_bounds(data, params, read, [0, 1, 2])
        most = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
        counts = engine.aggregate(data, p.AggregateParams([p.Metrics.COUNT], **most), read, [0, 1, 2])
        accountant.compute_budgets()
        released = len(list(bounds)) + len(list(counts))
        spent = params.calculation_eps + sum(spec.eps for spec in accountant.mechanism_specs)
        assert spent <= 1.0, f"{spent} on {released} releases"

    def test_gaussian_epsilon_small_sigma(self):
        got = dp.gaussian_epsilon(sigma=0.02, delta=1e-5)
        assert got >= 1462.285016, f"the answer {got:.4f}, at which delta is {gaussian_delta(0.02, got):.6f}"

    def test_nan_passes_sum(self):
        counts, people = [], [(k, k % 50, 0.5) for k in range(50)]
        for metric, name in ((p.Metrics.SUM, "sum"), (p.Metrics.MEAN, "mean")):
            for value in (math.nan, 0.5):
                data = people + [(50 + k, k, value) for k in range(50)]
                out = aggregated(data, list(range(50)), [metric], min_value=0, max_value=1)
                counts.append(sum(math.isnan(getattr(answer, name)) for _, answer in out))
        assert counts != [50, 0] * 2, f"of 50, {counts} (sum with and without NaN, mean)"

    def test_negative_weight(self):
        accountant = NaiveBudgetAccountant(total_epsilon=1.0, total_delta=0.0)
        spec, _ = asked_of(accountant, *(("LAPLACE", {"weight": weight}) for weight in (3, -2)))
        assert spec.eps <= 1.0, f"a share of {spec.eps}"

    def test_pld_count_ignored(self):
        (spec,) = by_loss(("LAPLACE", {"count": 5}), delta=0.0)
        total = spec.count * 2**0.5 / spec.noise_standard_deviation
        assert total <= 4.99, f"{total:.6f} together"

    def test_pld_generic_weight(self):
        specs = by_loss(*(("GENERIC", {"weight": weight}) for weight in (1, 3)))
        epsilon, delta = sum(spec.eps for spec in specs), sum(spec.delta for spec in specs)
        assert not (epsilon > 1.99 and delta > 1.9e-6), f"({epsilon:.4f}, {delta:.3g}) together"

    def test_pld_largest_noise(self):
        epsilon = dp.gaussian_epsilon(sigma=4.0, delta=1e-6) * 1.001
        accountant = PLDBudgetAccountant(total_epsilon=epsilon, total_delta=1e-6)
        (spec,) = asked_of(accountant, ("GAUSSIAN_THRESHOLDING", {}))
        delta = gaussian_delta(spec.noise_standard_deviation, epsilon) + spec.thresholding_delta
        assert delta <= 1.2e-6, f"{delta:.4g}"

    def test_pld_sensitivity(self):
        epsilons = []
        for delta in (0.0, 1e-12):
            (spec,) = by_loss(("LAPLACE", {"sensitivity": 10.0}), delta=delta)
            epsilons.append(10.0 * 2**0.5 / spec.noise_standard_deviation)
        assert epsilons[1] <= 9.9, f"{epsilons[0]:.4f} and {epsilons[1]:.4f}"

    def test_pld_thresholding_count(self):
        (spec,) = by_loss(("LAPLACE_THRESHOLDING", {"count": 8}))
        total = spec.count * spec.thresholding_delta
        assert total <= 1.9e-6, f"{total:.3g} together"

    def test_pld_truncated_geometric(self):
        _, selection = by_loss(("LAPLACE", {"weight": 0.01}), ("TRUNCATED_GEOMETRIC", {"weight": 1}))
        assert selection.eps <= 49, f"epsilon {selection.eps:.3f}, delta {selection.delta:.3g}"

    def test_variance_squares(self):
        metrics, draws = [p.Metrics.VARIANCE, p.Metrics.MEAN, p.Metrics.COUNT], []
        for data in ([(1, "a", 0.0)], [(1, "a", 0.0), (2, "a", 1.0)]):
            out = aggregated(data, ["a"], metrics, min_value=-1, max_value=1)
            with patch.object(dp, "_add_random_noise", wraps=dp._add_random_noise) as noise:
                draws.append((list(out), [call.args for call in noise.call_args_list])[1])
        loss = sum(abs(a[0] - b[0]) * a[1] / (a[3] * a[4]) for a, b in zip(*draws, strict=True))
        assert loss <= 1.3, f"{loss:.4f} where one person is added"
