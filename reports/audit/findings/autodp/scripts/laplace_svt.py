"""LaplaceSVT_Mechanism answers 2 for scale 1; with that scale on queries too an output has a log ratio of 2.99."""

from math import exp, log

from autodp.mechanism_zoo import LaplaceSVT_Mechanism
from scipy.integrate import quad
from scipy.stats import laplace


def probability(below, above):  # of 19 queries below the threshold and one above; all noise has scale 1
    run = lambda t: exp(-abs(t)) / 2 * laplace.cdf(t - below) ** 19 * laplace.sf(t - above)  # noqa: E731
    return quad(run, -40, 0)[0] + quad(run, 0, 10)[0] + quad(run, 10, 60)[0]


least = log(probability(0, 1) / probability(1, 0))  # each query has changed by 1
got = LaplaceSVT_Mechanism({"b": 1.0, "k": 20, "c": 1}).get_eps(0)
print(f"expected: at least {least:.5f}, with the scale that the docstring gives\ngot: {got:.6f}")
raise SystemExit(0 if got < least else 1)
