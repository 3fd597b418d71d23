"""autodp: mechanisms as objects with several descriptions, transformers between them, and older accountants."""

from __future__ import annotations

from math import comb, cosh, exp, log, log1p, sinh, sqrt

import mpmath
import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, logsumexp
from scipy.stats import laplace, norm

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.routes.gaussian import epsilon_by_erfcx, epsilon_by_mpmath, noise_by_erfcx, noise_by_mpmath
from reports.audit.routes.noises import gaussian_profile, gaussian_profile_by_integral
from reports.audit.routes.sparse_vector import log_ratio_by_expansion, log_ratio_by_scipy
from reports.audit.subjects import autodp as subjects

__all__ = ["LIBRARY"]


def _laplace_delta_by_quadrature(b: float, epsilon: float) -> float:
    """The delta of two Laplace laws of scale b at distance 1, by quadrature of the excess density."""

    def excess(x: float) -> float:
        return float(max(laplace.pdf(x, 0, b) - exp(epsilon) * laplace.pdf(x, 1, b), 0.0))

    cut = (1 - epsilon * b) / 2
    return quad(excess, -40.0, 0.0, epsabs=1e-13)[0] + quad(excess, 0.0, cut, epsabs=1e-13)[0]


def _votes_by_scipy(threshold: float, votes: int, sigma: float, alpha: float) -> float:
    """The Renyi divergence of whether noisy votes pass the threshold, with `votes` and with one fewer."""
    p, q = (norm.logsf(threshold - n, scale=sigma) for n in (votes, votes - 1))
    passes, fails = alpha * p - (alpha - 1) * q, alpha * log1p(-exp(p)) - (alpha - 1) * log1p(-exp(q))
    return float(np.logaddexp(passes, fails) / (alpha - 1))


def _votes_by_mpmath(threshold: float, votes: int, sigma: float, alpha: float) -> float:
    """The same as a sum of two powers in 40 digits."""
    with mpmath.workdps(40):
        p, q = (mpmath.ncdf((n - mpmath.mpf(threshold)) / sigma) for n in (votes, votes - 1))
        return float(
            mpmath.log(p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)) / (alpha - 1)
        )


def _limit_order(alpha: int) -> float:
    """The Renyi divergence of (1/2, 1/2) against (99/100, 1/100) at a large order, in 60 digits."""
    with mpmath.workdps(60):
        p, q = mpmath.mpf(1) / 2, mpmath.mpf(99) / 100
        return float(
            mpmath.log(p**alpha * q ** (1 - alpha) + p**alpha * (1 - q) ** (1 - alpha)) / (alpha - 1)
        )


def _two_rules_in_doubles(orders: range) -> float:
    """The least over integer orders of the sum of both rules for 100 Gaussians each, plus log(1/delta)/(alpha - 1)."""

    def total(a: int) -> float:
        j = np.arange(a + 1.0)
        ways = gammaln(a + 1) - gammaln(j + 1) - gammaln(a - j + 1) + j * log(0.05)
        poisson = logsumexp(ways + (a - j) * log(0.95) + j * (j - 1) / 8)
        second = ways[2] + min(log(4) + log(exp(0.25) - 1), 0.25 + log(2))
        fixed = logsumexp([0.0, second, *(ways[3:] + log(2) + (j[3:] - 1) * j[3:] / 8)])
        return float((100 * (poisson + fixed) + log(1e5)) / (a - 1))

    return min(total(a) for a in orders)


def _two_rules_in_digits(orders: range) -> float:
    """The same with binomials in 40 digits and no logarithm of a sum of logarithms."""
    with mpmath.workdps(40):
        q, best = mpmath.mpf(5) / 100, mpmath.inf
        for a in orders:
            terms = [
                (mpmath.binomial(a, j) * q**j, mpmath.exp(mpmath.mpf(j * (j - 1)) / 8), j)
                for j in range(a + 1)
            ]
            poisson = mpmath.fsum(w * e * (1 - q) ** (a - j) for w, e, j in terms)
            small = min(4 * (terms[2][1] - 1), 2 * terms[2][1])
            fixed = 1 + terms[2][0] * small + mpmath.fsum(2 * w * e for w, e, j in terms if j > 2)
            best = min(best, (100 * mpmath.log(poisson * fixed) + mpmath.log(10**5)) / (a - 1))
        return float(best)


def _stages_at_the_end() -> float:
    """The source's formula for stages of 2, 2 and 1 answers of 10 queries, sigma 10, each with a third of 1e-6."""
    two, one = (
        rho + sqrt(rho * (log(ways) + log(3e6))) for rho, ways in ((3 / 200, comb(10, 2)), (2 / 200, 10))
    )
    return two + two + one


def _stages_by_search() -> float:
    """The same as the least over the share of delta, by the bounded search that the library states."""
    answers = np.array([2, 2, 1])
    ways, rho = gammaln(11) - gammaln(answers + 1) - gammaln(11 - answers), (1 + answers) / 200
    found = minimize_scalar(
        lambda x: float(np.sum(rho + np.sqrt(rho * (ways - x)))),
        bounds=(log(1e-8), log(1e-6 / 3)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(found.fun)


_RULE = "Renyi divergences add; the least over all orders after conversion"
LIBRARY = Library(
    key="autodp",
    distribution="autodp",
    entries=(
        EntryPoint(
            name="autodp.autodp_core.Mechanism.get_eps",
            rule="the least epsilon of all descriptions that a mechanism has",
            where="autodp_core.py and converter.py",
            theorem="the conversions in converter.py, each with its source",
            promises="the smallest epsilon of several calculations, each an upper bound",
        ),
        EntryPoint(
            name="autodp.transformer_zoo.Composition",
            rule=_RULE,
            where="transformer_zoo.py, Composition.compose",
            theorem="additivity of Renyi divergences; Balle et al. 2020, Theorem 21",
            promises="a mechanism that represents the composition; shown as an accountant for choices made on "
            "the way",
        ),
        EntryPoint(
            name="autodp.rdp_acct.anaRDPacct",
            rule=_RULE,
            where="rdp_acct.py, compose_* and get_eps",
            theorem="Wang, Balle & Kasiviswanathan 2019; Zhu & Wang 2019",
            promises="tracks a heterogeneous sequence of mechanisms; said to be deprecated",
            subject=subjects.rdp,
        ),
        EntryPoint(
            name="autodp.dp_acct.DP_acct",
            rule="the least of three bounds for (epsilon, delta) losses",
            where="dp_acct.py, DP_acct.get_eps",
            theorem="Kairouz, Oh & Viswanath 2015, Theorem 3.5",
            promises="epsilon for delta and the other way round, of all losses so far",
        ),
    ),
    faults=(
        Fault(
            key="phi_epsilon",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.mechanism_zoo.GaussianMechanism",
            says="With phi_off=False get_eps(1e-5) of a Gaussian mechanism with noise 1 is -0.0048. The exact "
            "value is 4.377. Every epsilon that is found from characteristic functions, those of ComposeAFA "
            "too, or from an f-DP function without its gradient, is at most 0, and the least of all "
            "descriptions is what a mechanism answers.",
            why="numerical_inverse passes the range of delta, [0, 1], to minimize_scalar as bounds of "
            "e^epsilon and names no method. The SciPy that is installed then searches within the bounds, so "
            "that epsilon is the log of at most 1. Versions of SciPy that ignored bounds without a method "
            "would not show this. phi_off is True by default.",
            fix="Search epsilon on [0, upper] with brentq, where delta passes its target, and round up; and "
            "never answer below 0.",
            routes=(
                Route("normal tails by erfcx in doubles", lambda: epsilon_by_erfcx(1.0, 1e-5)),
                Route("normal tails in 60 digits", lambda: epsilon_by_mpmath(1.0, 1e-5)),
            ),
        ),
        Fault(
            key="phi_atoms",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.mechanism_zoo.LaplaceMechanism",
            says="With RDP_off=True and phi_off=False get_approx_delta(1.0) is -0.61 for "
            "LaplaceMechanism(b=0.5), where 0.393 is exact, and -0.04 for RandresponseMechanism(p=0.9), where "
            "0.628 is exact. With RDP_off=False the same is answered, as the least of all descriptions.",
            why="The characteristic function of a loss with atoms does not fall off. Quadrature with a fixed "
            "number of nodes does not converge, and no error is estimated.",
            fix="Refuse the inversion for laws with atoms, or subtract the atoms first; never answer outside "
            "[0, 1].",
            routes=(
                Route("closed form 1 - e^((epsilon - 1/b)/2)", lambda: 1 - exp((1.0 - 1 / 0.5) / 2)),
                Route("quadrature of the excess density", lambda: _laplace_delta_by_quadrature(0.5, 1.0)),
            ),
        ),
        Fault(
            key="gaussian_density",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.mechanism_zoo.GaussianMechanism",
            says="With phi_off=False the densities of the dominating pair, pdf_p and pdf_q, have the standard "
            "deviation sigma^2. For sigma 2 and epsilon 0.5 the delta of that pair is 0.0027, and that of "
            "N(1, 4) and N(0, 4) is 0.0524.",
            why="norm.pdf takes the standard deviation as scale, not the variance. Above sigma 1 what is "
            "computed from these densities is too private. With the SciPy that is installed the library "
            "itself computes nothing from them: its conversion of densities calls a function that SciPy no "
            "longer has.",
            fix="norm.pdf(x, scale=sigma), for both.",
            routes=(
                Route("both normal tails in digits", lambda: float(gaussian_profile(2.0, 0.5))),
                Route(
                    "integral over the losses above 1/2",
                    lambda: float(gaussian_profile_by_integral(2.0, 0.5)),
                ),
            ),
        ),
        Fault(
            key="kov_pure",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.dp_acct.DP_acct.get_eps",
            says="After update_DPlosses(1.0, 0) and update_DPlosses(2.0, 0) get_eps(0) is 0. The sum is 3.",
            why="For delta = 0 the branch of pure mechanisms returns the sum of the deltas, delta_state2, "
            "where the sum of the epsilons is meant. With a delta of 0.0 the comparison by identity fails and "
            "infinity is returned.",
            fix="if delta == 0: return self.eps_state1 if self.delta_state2 == 0 else np.inf.",
            routes=(
                Route("the sum", lambda: 1.0 + 2.0),
                Route(
                    "the largest loss of two randomized responses",
                    lambda: max(
                        sum(
                            log(exp(e * s) / (1 + exp(e)) / (1 / (1 + exp(e))))
                            for e, s in ((1.0, a), (2.0, b))
                        )
                        for a in (0, 1)
                        for b in (0, 1)
                    ),
                ),
            ),
        ),
        Fault(
            key="approximate_renyi",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.autodp_core.Mechanism.get_approxRDP",
            says="get_approxRDP(delta, alpha) calls self.approxRDP(delta, alpha), while the converters make "
            "functions of (alpha, delta). PureDP_Mechanism(1.0).get_approxRDP(1e-6, 10.0) is 2e-6. Its own "
            "formula has 0.965, and randomized response with epsilon 1 cannot have less.",
            why="The two arguments change places, delta is taken for an order and the order for a "
            "probability, and the value is too small by five orders of magnitude.",
            fix="Choose one order of the arguments, and make them keywords.",
            routes=(
                Route(
                    "cosh form at log(e - delta)",
                    lambda: log(cosh(9.5 * log(exp(1) - 1e-6)) / cosh(0.5 * log(exp(1) - 1e-6))) / 9,
                ),
                Route(
                    "sinh form at log(e - delta)",
                    lambda: (
                        log(
                            (sinh(10 * log(exp(1) - 1e-6)) - sinh(9 * log(exp(1) - 1e-6)))
                            / sinh(log(exp(1) - 1e-6))
                        )
                        / 9
                    ),
                ),
            ),
        ),
        Fault(
            key="noisy_screen_infinity",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.rdp_bank.RDP_noisy_screen",
            says="At order infinity the function returns |p/q|, where the larger of log(p/q) and "
            "log((1-p)/(1-q)) is meant. For p = 0.5 and q = 0.99 it returns 0.505, its value at order 1000 is "
            "3.911, and the limit is 3.912. NoisyScreenMechanism.get_eps(0) is 0.505.",
            why="At delta = 0 a mechanism answers by this value.",
            fix="return max(logp - logq, log1p - log1q).",
            routes=(
                Route("the larger log ratio", lambda: log(0.5) - log(0.01)),
                Route("order 10^9 in 60 digits", lambda: _limit_order(10**9)),
            ),
        ),
        Fault(
            key="independent_noisy_screen",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.rdp_bank.RDP_independent_noisy_screen",
            says="The function lists the divergence for two vote counts and both neighbours, and returns the "
            "last, np.max(log_term) instead of np.max(rdp). For threshold 60, k 100, sigma 10 and order 200 "
            "it returns 0.0795, and the largest of its list is 0.4478. For "
            "these parameters the two agree at orders 2 to 20.",
            why="The value is offered as a bound for all data.",
            fix="Take the maximum over the list; at the orders 1 and infinity too, where it returns the first.",
            routes=(
                Route("normal tails by SciPy", lambda: _votes_by_scipy(60, 10, 10.0, 200)),
                Route("normal tails in 40 digits", lambda: _votes_by_mpmath(60, 10, 10.0, 200)),
            ),
        ),
        Fault(
            key="laplace_svt",
            kind=Kind.SEMANTICS,
            entry="autodp.mechanism_zoo.LaplaceSVT_Mechanism",
            says="The docstring gives b as the scale of the noise on the threshold and on each query. The "
            "tutorial on sparse vectors in the project's repository gives queries twice that scale, and get_eps "
            "is right for it: with b = 1 and c = 1, get_eps(0) is 2. With scale 1 on queries of sensitivity 1 "
            "as well, nineteen answers below and one above have a log ratio of 2.996 between neighbours where "
            "all queries change by 1, the last one against the others.",
            why="Whoever follows the docstring alone has 3 where 2 is answered, unless all queries move in one "
            "direction.",
            fix="Say in both docstrings that queries need scale 2b.",
            routes=(
                Route("quadrature over the threshold's noise", lambda: log_ratio_by_scipy(19)),
                Route("binomial expansion, integrals in closed form", lambda: log_ratio_by_expansion(19)),
            ),
        ),
        Fault(
            key="gaussian_calibration",
            kind=Kind.SEMANTICS,
            entry="autodp.calibrator_zoo.ana_gaussian_calibrator",
            says="The calibrator meets delta within tol, which is documented, absolute, and 1e-12 by default. "
            "It plays no part below that: for (1, 1e-16)-DP sigma is 6.9996, whose delta at epsilon 1 is "
            "4.1e-14, and 7.77 is needed. The same sigma was returned for 1e-12, 1e-13, 1e-14 and 1e-15.",
            why="A target of 1e-14 or less is missed without a warning. At a delta of 1e-10 the excess was "
            "0.03 percent.",
            fix="Make the tolerance relative, compute with scipy.stats.norm.logcdf, as get_eps_ana_gaussian "
            "does, and return the side that keeps the promise.",
            routes=(
                Route("sigma by erfcx in doubles", lambda: noise_by_erfcx(1.0, 1e-16)),
                Route("sigma in 60 digits", lambda: noise_by_mpmath(1.0, 1e-16)),
            ),
        ),
        Fault(
            key="mixed_subsampling",
            kind=Kind.SEMANTICS,
            entry="autodp.rdp_acct.anaRDPacct",
            says="The accountant remembers a subsampled mechanism by its function and its rate, and not by "
            "the rule. When Poisson sampling is composed first, sampling without replacement of the same "
            "function and rate is charged by the Poisson rule: 2.06 instead of 3.47 for 100 of each, noise 2, "
            "rate 0.05, delta 1e-5. In the other order it is 4.41. A comment in the source says that mixing "
            "is not supported; the docstrings do not, and nothing refuses it.",
            why="The order of events decides what is charged. The two rules are also for different notions of "
            "neighbours, so that a total of both needs care.",
            fix="Put the name of the rule into the key, or raise where a key is known from another rule.",
            routes=(
                Route("both rules in doubles", lambda: _two_rules_in_doubles(range(2, 40))),
                Route("both rules in 40 digits", lambda: _two_rules_in_digits(range(2, 40))),
            ),
        ),
        Fault(
            key="stage_remainder",
            kind=Kind.WRONG_NUMBER,
            entry="autodp.mechanism_zoo.StageWiseMechanism",
            says="Where c is no multiple of c_tilde the last stage is charged as a stage with no answer: c is "
            "set to 0 and then c_tilde to c. With sigma 10, k 10, delta 1e-6 and c 5, where c_tilde is 2 by "
            "default, epsilon is 1.368. The formula of the source for stages of 2, 2 and 1 answers gives "
            "1.515. For c 10 and c 11 the same epsilon is answered.",
            why="Up to c_tilde - 1 answers are free.",
            fix="Swap the two assignments. The conversion is worth a check as well: it adds sqrt(rho (log "
            "(k choose c_tilde) + log(1/delta))) to rho, and from rdp_bank.RDP_gaussian_svt_cgreater1 twice "
            "that root follows.",
            routes=(
                Route("the stages' formula at the end of the range", _stages_at_the_end),
                Route("the stages' formula by its bounded search", _stages_by_search),
            ),
            tolerance=1e-5,
        ),
        Fault(
            key="negative_coefficient",
            breaks=(("autodp.rdp_acct.anaRDPacct", "odd_parameters_grant_nothing"),),
            kind=Kind.SEMANTICS,
            entry="autodp.rdp_acct.anaRDPacct",
            says="A coefficient may be negative, and takes a charge back.",
            why="A counter that goes wrong upstream refunds a budget.",
            fix="Raise where coeff is negative or not a number.",
        ),
        Fault(
            key="calibration_above_budget",
            kind=Kind.SEMANTICS,
            entry="autodp.calibrator_zoo.eps_delta_calibrator",
            says="The calibrators minimise the distance to the target and accept 0.001 on either side. For "
            "epsilon 1 the result is 1.0000005.",
            why="A rule that compares with the budget denies what was calibrated for it. The tolerance is not "
            "relative: for an epsilon of 0.001 it would accept twice that.",
            fix="Return the end of the last bracket that is within the budget, and make the tolerance "
            "relative.",
        ),
    ),
    held=(
        "rdp_bank: Gaussian, Laplace, randomized response, pure and zCDP formulas agreed with their "
        "derivations as read",
        "dp_bank.get_eps_ana_gaussian and get_eps_randresp_optimal agreed with closed forms",
        "Composition and AmplificationBySampling of Gaussians: never below the exact value, rates 0.01 to 1, "
        "1 and 100 steps",
        "get_approx_delta from Renyi divergences: an upper bound for 1 to 1000 Gaussian, Laplace and pure "
        "mechanisms",
        "DP_acct with delta above 0 agreed with Theorem 3.5 as read",
    ),
    left_out=(
        "what only stops: fDP_approx_DP, which calls a number; integrate.quadrature, np.infty, np.asscalar "
        "and np.mininum are called and no longer exist, or never did",
        "data-dependent bounds of PATE, the moment bound of Gaussian SVT, and the f-DP conversions beyond a "
        "few points",
        "the improved bound for sampling without replacement, whose differences are computed in doubles",
        "the condition under which improved_bound_flag may be set",
    ),
)
