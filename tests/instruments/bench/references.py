"""Reference digits of compositions, in mpmath: the delta of k rounds of one pair at an epsilon.

>>> from filterproof.theory.pairs import Gaussian
>>> print(mpmath.nstr(reference(Gaussian(0.5), 4, 1.0), 12))
0.126936737507
"""

from typing import Any

from mpmath import mp

from filterproof.theory.pairs import DominatingPair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian


def reference(pair: DominatingPair, rounds: int, epsilon: float) -> Any:
    """H_{e^epsilon} of so many rounds of the pair, to 12 digits or more; subsampled, for a hundred rounds or more."""
    with mp.workdps(30):
        if isinstance(pair, Gaussian):
            return +_gaussian(mp.mpf(pair.mu) * mp.sqrt(rounds), mp.mpf(epsilon))
        if isinstance(pair, RandomizedResponse):
            return +_responses(mp.mpf(pair.epsilon), rounds, mp.mpf(epsilon))
        if isinstance(pair, SubsampledGaussian):
            return +_sampled(mp.mpf(pair.q), mp.mpf(pair.sigma), rounds, mp.mpf(epsilon))
    if isinstance(pair, Laplace):
        with mp.workdps(150):  # the sum alternates
            return +_laplaces(1 / mp.mpf(pair.b), rounds, mp.mpf(epsilon))
    raise TypeError(f"pair must be one of a known closed form, got {pair!r}; add its formula")


def _gaussian(mu: Any, epsilon: Any) -> Any:
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def _responses(each: Any, k: int, epsilon: Any) -> Any:
    """The binomial sum over how often the truth was told."""
    truth, lie = mp.exp(each) / (1 + mp.exp(each)), 1 / (1 + mp.exp(each))

    def term(j: int) -> Any:
        p, q = truth**j * lie ** (k - j), truth ** (k - j) * lie**j
        return mp.binomial(k, j) * max(p - mp.exp(epsilon) * q, mp.mpf(0))

    return mp.fsum(term(j) for j in range(k + 1))


def _laplaces(each: Any, k: int, epsilon: Any) -> Any:
    """A sum over the rounds with the loss +e, with -e, and between, e = 1/scale.

    Under P a loss l is e or -e with probability e^{(l - e)/2} / 2, and has density e^{(l - e)/2} / 4 between. So
    H = e^{-ke/2} integral of f over the k-th convolution power of delta_e/2 + delta_{-e}/2 + dl/4 on (-e, e), where
    f(s) = e^{s/2} - e^{epsilon - s/2} for s > epsilon, else 0. To integrate f over a sum of j uniform losses is to take
    differences, j times, of its j-th antiderivative, 2 e^{epsilon/2} sum_m (1/2)^{2m+1} y^{2m+1+j} / (2m+1+j)! at
    y = s - epsilon.
    """

    def antiderivative(j: int, y: Any) -> Any:
        if y <= 0:
            return mp.mpf(0)
        term, total, m = y ** (j + 1) / (2 * mp.factorial(j + 1)), mp.mpf(0), 0
        while total == 0 or term > total * mp.eps:
            total += term
            m += 1
            term *= y * y / (4 * (2 * m + j) * (2 * m + j + 1))
        return 2 * mp.exp(epsilon / 2) * total

    total = mp.mpf(0)
    for j in range(k + 1):
        ends = [antiderivative(j, n * each - epsilon) for n in range(-k, k + 1)]
        for ups in range(k - j + 1):
            place = k + ups - (k - j - ups)  # of s = (ups - downs) e among the ends
            steps = mp.fsum((-1) ** i * mp.binomial(j, i) * ends[place + j - 2 * i] for i in range(j + 1))
            total += mp.binomial(k, j) * mp.binomial(k - j, ups) * steps / mp.mpf(2) ** (k + j)
    return mp.exp(-k * each / 2) * total


def _sampled(q: Any, sigma: Any, k: int, epsilon: Any) -> Any:
    """An inverse Laplace transform: H = 1/(2 pi i) int M(z)^k e^{-z epsilon} / (z (z + 1)) dz along Re z = c > 0.

    M(z) = E_P e^{zL} = E_Q r^{1+z}, r = 1 - q + q e^{(x - 1/2)/sigma^2} at x ~ N(0, sigma^2) of Q. Both integrals are
    trapezoidal sums of analytic functions that decay, whose error falls exponentially with the step, which is halved
    until 13 digits stay; c is near the saddle, where nothing cancels.
    """
    step = mp.mpf("0.1") * sigma
    xs = [step * i for i in range(-140, 400)]
    ratios = [mp.log(1 - q + q * mp.exp((x - mp.mpf("0.5")) / sigma**2)) for x in xs]
    weights = [step * mp.exp(-x * x / (2 * sigma**2)) / (sigma * mp.sqrt(2 * mp.pi)) for x in xs]

    def integrand(z: Any) -> Any:
        moment = mp.fsum(w * mp.exp((1 + z) * r) for w, r in zip(weights, ratios, strict=True))
        return moment**k * mp.exp(-z * epsilon) / (z * (z + 1))

    c = min((mp.mpf(i) / 2 for i in range(1, 60)), key=integrand)

    def line(first: Any, h: Any) -> Any:
        """The sum over t = first, first + h, ..."""
        total, t = mp.mpf(0), first
        while True:
            term = mp.re(integrand(mp.mpc(c, t)))
            total, t = total + term, t + h
            if t > c and abs(term) < abs(total) * mp.mpf(10) ** -18:
                return total

    h = c / 4
    estimate = (integrand(c) / 2 + line(h, h)) * h
    while True:
        before, h = estimate, h / 2
        estimate = before / 2 + line(h, 2 * h) * h  # the points between
        if abs(estimate - before) < mp.mpf(10) ** -13 * estimate:
            return estimate / mp.pi
