"""Faults of diffprivlib: each test fails in a version that has the fault."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from math import exp, log
from threading import Barrier
from unittest.mock import MagicMock, patch

import mpmath
import numpy as np
from diffprivlib import BudgetAccountant, mechanisms
from diffprivlib.mechanisms import LaplaceBoundedDomain
from diffprivlib.mechanisms.base import DPMechanism
from diffprivlib.models import GaussianNB, KMeans, LinearRegression, LogisticRegression
from diffprivlib.models import RandomForestClassifier as RandomForest
from diffprivlib.tools import histogram, mean, median, nanmean, nansum, var
from diffprivlib.tools import sum as dp_sum
from diffprivlib.validation import clip_to_bounds
from sklearn.base import clone


def unit_accountant(delta=0.0):
    return BudgetAccountant(epsilon=1.0, delta=delta)


def never_with_the_other(happens, *neighbours):
    """Fails if something happens always with the first data, and never with the second, of which one entry differs."""
    counts = [sum(bool(happens(data)) for _ in range(200)) for data in neighbours]
    assert counts != [200, 0], f"{counts[0]} of 200 against {counts[1]} of 200"


def spends(model, X, y):
    """Fits the model to all records, and fails if its mechanisms spend more together than is charged."""
    model.accountant = BudgetAccountant()
    with patch.object(DPMechanism, "__init__", autospec=True, side_effect=DPMechanism.__init__) as created:
        model.fit(X, y)
    used, charged = [call.kwargs["epsilon"] for call in created.call_args_list], model.accountant.total()[0]
    got = f"{sum(used):.6f} spent by {len(used)} mechanisms, {charged} charged"
    assert sum(used) < charged * 1.000001, got


def sum_of_squares(lower, entries):
    model = LinearRegression(epsilon=1.0, bounds_X=(lower, 1), bounds_y=(lower, 1), fit_intercept=False)
    return float(model.fit(np.array([entries]).T, np.zeros(2))._obj_coefs[2][0, 0])


class TestDiffprivlib:
    def test_bingham_acceptance(self):
        mechanism, densities, zs = mechanisms.Bingham(epsilon=1.0), [], np.linspace(0, 1, 201)
        mechanism._rng = rng = MagicMock(**{"random.return_value.__le__.return_value": True})
        for top, z in [(top, z) for top in (100.0, 101.0) for z in zs]:  # z: cosine to the top eigenvector
            x = np.append(z, np.full(49, np.sqrt((1 - z * z) / 49)))
            rng.multivariate_normal.return_value = np.tile(x / 4, (4, 1))
            mechanism.randomise(np.diag(np.append(top, np.zeros(49))))
            angular = (x @ np.linalg.solve(4 * rng.multivariate_normal.call_args[0][1], x)) ** -25
            densities.append(angular * rng.random().__le__.call_args[0][0])  # by the chance of acceptance
        p = np.reshape(densities, (2, 201))
        loss = np.diff(np.log(np.trapezoid(p * (1 - zs**2) ** 23.5) / p[:, 0]))[0]
        assert loss <= 1.1, f"{loss:.4f}"

    def test_clip_to_bounds_small_units(self):
        bounds = (np.array([0.0, 0.0]), np.array([1e-12, 1e-8]))
        got = clip_to_bounds(np.array([[1.0, 0.0]]), bounds)[0, 0]
        assert got <= 1e-12, got

    def test_clone_forks_budget(self):
        X, y, spent = np.linspace(0, 1, 40).reshape(-1, 1), np.arange(40) % 2, unit_accountant()
        model = GaussianNB(epsilon=1.0, bounds=(0, 1), accountant=spent)
        fitted = [clone(model).fit(X, y) for _ in range(5)]
        assert spent.total()[0] > 0, f"{len(fitted)} models fitted, total {float(spent.total()[0])}"

    def test_denied_fit_keeps_model(self):
        X, y = np.linspace(0, 1, 20).reshape(-1, 1), np.arange(20) % 2
        spent, both, check = unit_accountant(), Barrier(2), GaussianNB._noisy_class_counts
        models = [GaussianNB(epsilon=1.0, bounds=(0, 1), accountant=spent) for _ in range(2)]
        met = lambda *given, **more: (both.wait(9), check(*given, **more))[1]  # noqa: E731
        with patch.object(GaussianNB, "_noisy_class_counts", met), ThreadPoolExecutor(2) as pool:
            errors = [pool.submit(model.fit, X, y).exception for model in models]
        denied, fitted = (
            sum(error() is not None for error in errors),
            sum(hasattr(m, "theta_") for m in models),
        )
        assert not (denied == 1 and fitted == 2), f"{fitted} models fitted, {denied} fit denied"

    def test_exponential_categorical_balance(self):
        low, high = exp(-2.0), 0.99
        even, rest = (high + low) / 2, (high + 3 * low) / 4  # all sums of weights at a value are alike
        weights = {"ay": low, "pq": low, "rs": high, "yp": high, "yq": high, "yr": low, "ys": low}
        weights |= {"a" + o: even for o in "pqrs"} | dict.fromkeys(("pr", "ps", "qr", "qs"), rest)
        utilities = [(*two, -2 * log(w) / 4.0) for two, w in weights.items()]
        mechanism = mechanisms.ExponentialCategorical(epsilon=4.0, utility_list=utilities)
        chance = {x: mechanism._get_prob(x, "a") / mechanism._normalising_constant[x] for x in "ay"}
        loss = log(chance["a"] / chance["y"])
        assert loss <= 4.2, f"{loss:.4f} at the output 'a'"

    def test_gaussian_analytic_small_delta(self):
        mpmath.mp.dps, ratios = 60, []
        for epsilon, delta in ((20, 1e-8), (10, 1e-14), (1, 1e-30)):
            mechanism = mechanisms.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1)
            scale = mpmath.mpf(float(mechanism._scale))
            a, b = 1 / (2 * scale), epsilon * scale
            ratios.append(float((mpmath.ncdf(a - b) - mpmath.exp(epsilon) * mpmath.ncdf(-a - b)) / delta))
        assert min(ratios) <= 1.2, ", ".join(f"{ratio:.6g}" for ratio in ratios)

    def test_gaussian_discrete_tolerance(self):
        mpmath.mp.dps, ratios = 60, []
        for epsilon, delta in ((15, 1e-6), (30, 1e-12)):
            scale = mpmath.mpf(float(mechanisms.GaussianDiscrete(epsilon=epsilon, delta=delta)._scale))
            mass = [mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * scale**2)) for k in range(-60, 62)]
            excess = sum(max(0, p - mpmath.exp(epsilon) * q) for p, q in pairwise(mass))
            ratios.append(float(excess / sum(mass) / delta))
        assert not (ratios[0] > 1.03 and ratios[1] > 390), f"{ratios[0]:.6f} and {ratios[1]:.6f}"

    def test_gaussian_nb_absent_class(self):
        def counts_none(label):
            y = np.append(np.zeros(19, dtype=int), label)
            model = GaussianNB(epsilon=1.0, bounds=(0, 1))
            return model.partial_fit(np.full((20, 1), 0.5), y, classes=[0, 1]).class_count_[1] == 0

        never_with_the_other(counts_none, 0, 1)

    def test_gaussian_nb_sum_sensitivity(self):
        warnings.simplefilter("ignore")
        X, counts = np.full((20, 1), 100.5), []
        for label in (0, 1):
            y = np.array([label] + [0] * 9 + [1] * 10)
            models = [GaussianNB(bounds=(100, 101), random_state=seed).fit(X, y) for seed in range(1000)]
            counts.append(sum(bool(m.class_count_[0] == 10 and 100 < m.theta_[0, 0] < 101) for m in models))
        assert not (counts[0] > 30 and counts[1] == 0), f"{counts[0]} of 1000 against {counts[1]} of 1000"

    def test_geometric_large_integers(self):
        add_noise = mechanisms.Geometric(epsilon=1.0).randomise
        answers = [{add_noise(2**60 + k) - 2**60 for _ in range(200)} for k in (128, 129)]
        got = f"2^60 + {sorted(answers[0])} against 2^60 + {sorted(answers[1])}, of 200 answers each"
        assert answers != [{0}, {256}], got

    def test_histogram_adjacency(self):
        def happens(sample, seed):
            left, right = histogram(sample, epsilon=1.0, bins=2, range=(0, 1), random_state=seed)[0]
            return bool(left >= 5 and right <= 0)

        samples = [0.2] * 5, [0.2] * 4 + [0.8]
        counts = [sum(happens(sample, seed) for seed in range(3000)) for sample in samples]
        assert counts[0] <= 5 * counts[1], f"{counts[0]} of 3000 against {counts[1]} of 3000"

    def test_histogram_bin_estimator(self):
        sample, given = np.linspace(0, 1, 4) ** 3, {"bins": "auto", "range": (0, 1)}
        both = sample, np.append(1.0, sample[1:])
        with warnings.catch_warnings(record=True) as caught:
            bins = [{len(histogram(data, **given)[0]) for _ in range(50)} for data in both]
        got = f"{bins[0]} against {bins[1]} bins in 50 histograms each, {len(caught)} warnings"
        assert bins[0] & bins[1] or caught, got

    def test_histogram_weights(self):
        def above(sample):
            options = {"bins": 1, "range": (0, 1), "weights": [1000.0] * len(sample)}
            return histogram(sample, epsilon=1.0, **options)[0][0] > 500

        never_with_the_other(above, [0.5], [])

    def test_kmeans_epsilon_swapped(self):
        spent = BudgetAccountant()
        with patch("diffprivlib.models.k_means.LaplaceBoundedDomain", wraps=LaplaceBoundedDomain) as created:
            KMeans(1, epsilon=1.0, bounds=(0, 1), accountant=spent, random_state=0).fit(np.zeros((2000, 100)))
        used = sum(call.kwargs["epsilon"] for call in created.call_args_list)
        assert not used > 2.6 * spent.total()[0], f"{used:.6f}, {spent.total()[0]} charged"

    def test_kmeans_inertia(self):
        answers = []
        for secret in (0.37, 0.91):
            model = KMeans(n_clusters=1, epsilon=1.0, bounds=(0, 1), random_state=0)
            model.fit(np.append(np.zeros(99), secret).reshape(-1, 1))
            centre = model.cluster_centers_[0, 0]
            distance = abs(model.inertia_ - 99 * centre**2) ** 0.5
            answers.append([round(float(centre + side * distance), 9) for side in (-1, 1)])
        assert not (0.37 in answers[0] and 0.91 in answers[1]), f"each is one of two numbers, {answers}"

    def test_linear_regression_intercept_budget(self):
        X = np.linspace(0, 1, 20).reshape(-1, 1)
        spends(LinearRegression(epsilon=1.0, bounds_X=(0, 1), bounds_y=(0, 1)), X, X[:, 0])

    def test_linear_regression_targets_budget(self):
        X = np.linspace(-1, 1, 20).reshape(-1, 1)
        model = LinearRegression(epsilon=1.0, bounds_X=(-1, 1), bounds_y=(-1, 1), fit_intercept=False)
        spends(model, X, np.hstack([X] * 3))

    def test_linear_regression_not_clipped(self):
        sums = [sum_of_squares(-1, [0.0, entry]) for entry in (1000.0, 0.0)]
        got = f"{sums[0]:.1f} against {sums[1]:.1f} without that entry"
        assert not (sums[0] > 900_000 and sums[1] < 1000), got

    def test_linear_regression_square_sensitivity(self):
        sums = [sum_of_squares(0, [0.5, entry]) for entry in (0.25, 1.0)]
        assert sums != [0.3125, 1.25], f"{sums[0]} and {sums[1]}"

    def test_logistic_regression_data_norm(self):
        given, counts = {"epsilon": 1.0, "data_norm": 1e4, "fit_intercept": False}, []
        for x in (1e4, 0.0):
            models = [LogisticRegression(**given, random_state=seed) for seed in range(400)]
            counts.append(sum(bool(abs(m.fit([[x], [0.0]], [1, 0]).coef_[0, 0]) < 1e-4) for m in models))
        assert not (counts[0] > 12 and counts[1] == 0), f"{counts[0]} of 400 against {counts[1]} of 400"

    def test_logistic_regression_intercept(self):
        logs, s, rng = [], 1 / (1 + np.exp(6)), MagicMock(spec=np.random.RandomState)
        for x, centre in ((1.0, np.array([-5.5, 0.5 - s])), (0.0, np.array([-6, 1 - 2 * s]))):  # for (6, -6)
            fitted, model = [], LogisticRegression(data_norm=1.0, tol=1e-13, max_iter=10**4, random_state=rng)
            for noise in centre + 1e-4 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0]]):
                rng.standard_normal.return_value = np.outer(noise, np.ones(4))
                rng.gamma.return_value = np.full(4, np.linalg.norm(noise) / 4)
                model.fit([[x], [0.0]], [1, 0])
                fitted.append(np.append(model.coef_, model.intercept_))
            volume = np.log(abs(np.linalg.det([fitted[0] - fitted[1], fitted[2] - fitted[3]])))
            logs.append(-np.linalg.norm(centre) / rng.gamma.call_args[0][1] - volume)
        assert logs[0] - logs[1] <= 4, f"{logs[0] - logs[1]:.4f} at {fitted[4].round(3)}"

    def test_logistic_regression_n_jobs(self):
        coefs, y = [], np.arange(30) % 3
        for entry in (0.0, 1.0):
            X = np.append(entry, np.zeros(29)).reshape(-1, 1)
            model = LogisticRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False, n_jobs=2)
            coefs.append(np.ravel(model.fit(X, y).coef_).round(9).tolist())
        kinds = [len(set(rows)) for rows in coefs]
        got = f"{kinds[0]} coefficient where all records are 0, {kinds[1]} where one is 1: {coefs[0]} and {coefs[1]}"
        assert not kinds[0] == 1 < kinds[1], got

    def test_mean_integer_dtype(self):
        data, given = np.ones(999), {"epsilon": 1.0, "bounds": (0, 1), "dtype": int}
        above = lambda entry: mean(np.append(data, entry), **given) > 0.5  # noqa: E731
        never_with_the_other(above, 1, 0)

    def test_median_error_uncharged(self):
        results = []
        for last in (500.0, 900.0):
            spent, result = unit_accountant(), "answer"
            try:
                median(np.append(np.full(2981, 500.0), last), epsilon=1.0, bounds=(0, 1000), accountant=spent)
            except RuntimeError:
                result = "RuntimeError"
            results.append((result, spent.total()[0]))
        assert results != [("RuntimeError", 0), ("answer", 1.0)], results

    def test_nan_passes_mean(self):
        counts = []
        for tool in (mean, var, dp_sum):
            for entry in (np.nan, 0.5):
                data = np.append(np.full(99, 0.5), entry)
                counts.append(sum(bool(np.isnan(tool(data, epsilon=1.0, bounds=(0, 1)))) for _ in range(50)))
        assert counts != [50, 0] * 3, f"of 50, {counts} (mean with and without NaN, var, sum)"

    def test_nan_returned_uncharged(self):
        results = []
        for entry in (np.nan, 0.5):
            data, spent = np.append(np.full(99, 0.5), entry), unit_accountant()
            answer = median(data, epsilon=1.0, bounds=(0, 1), accountant=spent)
            results.append((bool(np.isnan(answer)), float(spent.total()[0])))
        assert results != [(True, 0.0), (False, 1.0)], f"(is NaN, charged) = {results}"

    def test_nanmean_sensitivity(self):
        data = np.full(999, np.nan)
        above = lambda entry: nanmean(np.append(entry, data), epsilon=1.0, bounds=(0, 1)) > 0.5  # noqa: E731
        never_with_the_other(above, 1.0, 0.0)

    def test_nansum_sensitivity(self):
        data = [1000.0, 1009.0] * 50
        above = lambda entry: nansum(np.append(entry, data), epsilon=1.0, bounds=(1000, 1010)) > 101_200  # noqa: E731
        never_with_the_other(above, 1009.0, np.nan)

    def test_nested_with(self):
        ceiling, other = unit_accountant().set_default(), unit_accountant()
        with suppress(AttributeError), other, other:
            pass
        for _ in range(5):
            mean([0.5], epsilon=1.0, bounds=(0, 1))
        now = BudgetAccountant.load_default(None)
        assert now is ceiling, f"five answers, the default is {now!r}"

    def test_random_forest_partition(self):
        counts, labels = [], np.repeat([0, 1] * 5, 2)  # two records of one label for each of ten trees
        for y in (labels, np.append(labels, 0)):
            turned, given = 0, {"epsilon": 1.0, "bounds": (0, 1), "classes": [0, 1]}
            for seed in range(80):
                forest = RandomForest(10, random_state=seed, **given).fit(np.zeros((len(y), 1)), y)
                answers = np.array([tree.predict([[0.0]])[0] for tree in forest.estimators_])
                turned += bool((answers != labels[::2]).sum() >= 4)
            counts.append(turned)
        assert not counts[1] > 40 > 10 * counts[0], f"{counts[0]} of 80 against {counts[1]} of 80"

    def test_random_forest_seeds(self):
        X, known, matches = np.zeros((11, 1)), np.array([0, 1] * 5), []
        for secret in [0, 1] * 40:
            forest = RandomForest(1, epsilon=1.0, bounds=(0, 1), classes=[0, 1], max_depth=1)
            (tree,) = forest.fit(X, np.append(known, secret)).estimators_
            again = [clone(tree).fit(X, np.append(known, guess)) for guess in (secret, 1 - secret)]
            matches.append(
                [bool(np.array_equal(forest_again.tree_.value, tree.tree_.value)) for forest_again in again]
            )
        right, wrong = np.sum(matches, axis=0)
        got = f"{right} of 80 forests arise again from the true label and the kept seed, {wrong} from the other label"
        assert not right == 80 > wrong + 10, got
