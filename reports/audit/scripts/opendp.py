"""Faults of opendp: each test fails in a version that has the fault."""

import math

import numpy as np
import opendp.extras.sklearn._make_eigenvector as eigenvector
import opendp.prelude as dp
from opendp.extras.sklearn.linear_model._make_private_theil_sen import pairwise_predict

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
SPACE = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
PURE = dp.max_divergence()


def odometer(measure=PURE, space=SPACE):
    return dp.c.make_fully_adaptive_composition(*space, measure)


def filtered(d_out=1.0, measure=PURE):
    return dp.c.make_privacy_filter(odometer(measure), d_in=1.0, d_out=d_out)(7.0)


def slots(*d_mids, measure=PURE):
    return dp.c.make_adaptive_composition(*SPACE, measure, d_in=1.0, d_mids=list(d_mids))


def laplace(scale):
    return dp.m.make_laplace(*SPACE, scale=scale)


def measurement(function, privacy_map):
    return dp.m.make_user_measurement(*SPACE, PURE, function, privacy_map, TO=float)


def context_of(data, loss, **more):
    unit, domain = dp.unit_of(contributions=1), dp.vector_domain(dp.atom_domain(T=type(data[0])))
    return dp.Context.compositor(data=data, privacy_unit=unit, privacy_loss=loss, domain=domain, **more)


def amplified():
    """Whether a 1 is in a sample of two of six records, told with epsilon = 1, and the space of the sample."""
    space = dp.vector_domain(dp.atom_domain(T=int), size=2), dp.change_one_distance()
    bit = dp.atom_domain(T=bool), dp.discrete_distance()
    has_one = dp.t.make_user_transformation(*space, *bit, lambda x: 1 in x, lambda d: min(d, 1))
    response = dp.m.make_randomized_response_bool(math.e / (1 + math.e))
    return dp.c.make_population_amplification(has_one >> response, 6), space


def threshold_delta(make, distance, threshold, truth):
    """Fails if a value at the threshold is kept, and the delta is below the chance that a count of 1 reaches it."""
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    mechanism = make(domain, distance(dp.absolute_distance(T=int)), scale=1.0, threshold=threshold)
    released = any(mechanism({"a": threshold}).get("a") == threshold for _ in range(200))
    got = mechanism.map((1, 1, 1))[1]
    words = f"delta = {got:.6g} (a value equal to the threshold is kept: {released})"
    assert not released or got >= 0.999 * truth, words


class TestOpenDP:
    def test_amplification_two_changes(self):
        got = amplified()[0].map(2)
        assert got >= 0.999 * 0.7085130669, f"epsilon = {got:.6f}"

    def test_amplified_on_one_sample(self):
        query, space = amplified()
        queryable = dp.c.make_privacy_filter(odometer(space=space), d_in=1, d_out=1.0)([1, 0])
        queryable(query), queryable(query)
        got = queryable.privacy_loss(1)
        assert got >= 1.140932478, f"epsilon = {got:.6f}, within d_out = 1.0"

    def test_context_negative_weights(self):
        context = context_of([1] * 50, dp.loss_of(epsilon=1.0), split_by_weights=[3, -1])
        context.query().count().laplace().release()
        (got,) = context.current_privacy_loss()
        assert got <= 1.0, f"the first query's loss is {got}"

    def test_eigenvector_sampler(self):
        spy = type("Spy", (), {"random": lambda s: s, "__lt__": lambda s, p: setattr(s, "p", p) or True})()
        spy.multivariate_normal = lambda mean, cov: setattr(spy, "omega", np.linalg.inv(cov)) or spy.u
        eigenvector.get_np_csprng = lambda: spy  # proposes spy.u, and is told with what chance it is accepted
        space = eigenvector._sscp_domain(norm=1.0, p=2, size=204, num_features=3), dp.symmetric_distance()
        sampler, logs = eigenvector.make_private_eigenvector(*space, 1.0), []
        for spy.u in np.eye(3)[:2]:
            sampler(np.diag([104.0, 100.0, 0.0]))
            logs.append(np.log(spy.p * (spy.u @ spy.omega @ spy.u) ** -1.5))
        got = logs[0] - logs[1]
        assert abs(got - 1.0 / 4 * (104 - 100)) <= 0.5, f"{got:.6f}"

    def test_exception_is_free(self):
        queryable = filtered()
        try:
            queryable(measurement(lambda x: {}[f"saw {x}"], lambda d: 0.5))
        except dp.OpenDPException as error:
            leaked = "saw 7.0" in str(error)
        got = queryable.privacy_loss(1.0)
        assert got > 0, f"{got}, and 'saw 7.0' in the message: {leaked}"

    def test_gaussian_threshold_delta(self):
        threshold_delta(dp.m.make_gaussian_threshold, dp.l02inf_distance, 3, 0.05855813764)

    def test_infinite_loss_is_silent(self):
        queryable = odometer()(7.0)
        assert queryable(laplace(0.0)) == 7.0  # no noise
        queryable.privacy_loss(1.0)

    def test_laplace_threshold_delta(self):
        threshold_delta(dp.m.make_laplace_threshold, dp.l01inf_distance, 10, 9.021979596e-05)

    def test_negative_child_refunds(self):
        queryable = filtered()
        queryable(slots(-1000.0))
        released = queryable(laplace(0.002))  # 500 at d_in = 1
        loss = queryable.privacy_loss(1.0)
        assert loss >= 0, f"it releases {released:.4f}; privacy_loss = {loss}"

    def test_negative_d_mids(self):
        compositor = slots(2.0, -1.0)
        compositor(7.0)(laplace(0.5))  # is answered, at a loss of 2
        assert compositor.map(1.0) >= 2.0, compositor.map(1.0)

    def test_pca_epsilon(self):
        model = dp.sklearn.decomposition.PCA(epsilon=1.0, row_norm=1.0, n_samples=100, n_features=3)
        got = model.measurement().map(2)  # one change is an addition and a removal
        assert got <= 1.5, f"epsilon = {got}"

    def test_query_loss_is_no_limit(self):
        context = context_of(["a"] * 50, dp.loss_of(epsilon=2.0, delta=0.01))
        context.query(epsilon=1.0, delta=1e-9).count_by().laplace_threshold(threshold=5).release()
        got = context.current_privacy_loss()
        assert got[1] <= 1e-9, got

    def test_theil_sen_pairs(self):
        fit = dp.sklearn.linear_model.LinearRegression(PURE, [(0, 100)], (0, 100), scale=1.0)
        old = np.array([[90.0, 99.5], [95.0, 99.5], [100.0, 99.5], [50.0, -1e6]])
        added = np.vstack([[50.0, 1e6], old])  # an odd number: the last record is left out
        chances, (node, weight) = [], np.polynomial.legendre.leggauss(80)
        for data in (old, added):
            for rows in pairwise_predict(data, np.array([25.0, 75.0])).T:
                places = np.linspace(0, 100, 100)
                score = np.array([abs(int(sum(rows < c)) - int(sum(rows > c))) for c in places])
                accept = np.exp((min(score) - score) / 2)  # of permute-and-flip at scale 1.0 times 2
                flips = [np.prod(1 - (1 + t) / 2 * accept[:-1]) for t in node]
                chances.append(accept[-1] * weight @ flips / 2)
        got, loss = fit.measurement.map(1), np.log(chances[2] * chances[3] / chances[0] / chances[1])
        assert got >= 0.999 * min(loss, 4.0), f"epsilon = {got}, and a loss of {loss:.6f}"
