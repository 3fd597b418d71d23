"""What is wrong with autodp: each function fails as its finding says."""

from contextlib import redirect_stdout
from io import StringIO
from math import exp, inf, log

from autodp.calibrator_zoo import ana_gaussian_calibrator, eps_delta_calibrator
from autodp.dp_acct import DP_acct
from autodp.mechanism_zoo import (
    ExactGaussianMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    LaplaceSVT_Mechanism,
    PureDP_Mechanism,
    RandresponseMechanism,
    StageWiseMechanism,
)
from autodp.rdp_acct import anaRDPacct
from autodp.rdp_bank import RDP_gaussian, RDP_independent_noisy_screen, RDP_noisy_screen
from scipy.integrate import quad
from scipy.stats import norm


def approximate_renyi(truth):
    got = PureDP_Mechanism(eps=1.0).get_approxRDP(1e-6, 10.0)
    assert got >= truth, f"{got:.9f}"


def calibration_above_budget():
    got = eps_delta_calibrator()(ExactGaussianMechanism, 1.0, 1e-6, [0.1, 1000.0]).get_approxDP(1e-6)
    assert got <= 1, f"{got:.9f}"


def gaussian_calibration():
    sigma = ana_gaussian_calibrator()(ExactGaussianMechanism, 1.0, 1e-16).params["sigma"]
    got = norm.cdf(0.5 / sigma - sigma) - exp(1) * norm.cdf(-0.5 / sigma - sigma)
    assert got <= 2e-16, f"{got:.4g} with sigma {sigma:.6f}"


def gaussian_density(truth):
    with redirect_stdout(StringIO()):  # it prints its search
        pair = GaussianMechanism(2.0, phi_off=False)
    excess = lambda x: max(pair.pdf_p(x) - exp(0.5) * pair.pdf_q(x), 0.0)  # noqa: E731
    got = quad(excess, -60, 0)[0] + quad(excess, 0, 20, limit=500)[0] + quad(excess, 20, 80)[0]
    assert got >= 0.9 * truth, f"{got:.6f} from pdf_p and pdf_q"


def independent_noisy_screen(truth):
    got = RDP_independent_noisy_screen({"thresh": 60, "k": 100, "sigma": 10.0}, 200)
    assert got >= truth, f"{got:.6f}"


def kov_pure(truth):
    accountant = DP_acct()
    accountant.update_DPlosses(1.0, 0)
    accountant.update_DPlosses(2.0, 0)
    assert accountant.get_eps(0) >= truth, accountant.get_eps(0)


def laplace_svt(truth):
    got = LaplaceSVT_Mechanism({"b": 1.0, "k": 20, "c": 1}).get_eps(0)
    assert got >= truth, f"{got:.6f}"


def mixed_subsampling(truth):
    accountant, gaussian = anaRDPacct(), lambda alpha: RDP_gaussian({"sigma": 2.0}, alpha)
    accountant.compose_poisson_subsampled_mechanisms(gaussian, 0.05, coeff=100)
    accountant.compose_subsampled_mechanism(gaussian, 0.05, coeff=100)
    got = accountant.get_eps(1e-5)
    assert got >= truth - 0.1, f"{got:.6f} with one function"


def negative_coefficient():
    accountant, gaussian = anaRDPacct(), lambda alpha: RDP_gaussian({"sigma": 2.0}, alpha)
    accountant.compose_mechanism(gaussian, coeff=100)
    before = accountant.get_eps(1e-5)
    accountant.compose_mechanism(gaussian, coeff=-100)
    got = accountant.get_eps(1e-5)
    assert got >= before, f"{got:.6f}, where it was {before:.6f}"


def noisy_screen_infinity(truth):
    got, at_1000 = (RDP_noisy_screen({"logp": log(0.5), "logq": log(0.99)}, order) for order in (inf, 1000.0))
    assert got >= min(truth, at_1000), f"{got:.6f}, and {at_1000:.6f} at order 1000"


def phi_atoms(truth):
    laplace = LaplaceMechanism(b=0.5, RDP_off=True, phi_off=False).get_approx_delta(1.0)
    response = RandresponseMechanism(p=0.9, RDP_off=True, phi_off=False).get_approx_delta(1.0)
    assert laplace >= truth and response >= 0.9 - exp(1.0) * 0.1, f"{laplace:.6f} and {response:.6f}"  # noqa: PT018


def phi_epsilon(truth):
    with redirect_stdout(StringIO()):  # it prints its search
        got = GaussianMechanism(sigma=1.0, phi_off=False).get_eps(1e-5)
    assert got >= truth - 0.1, f"{got:.6f}"


def stage_remainder(truth):
    got = StageWiseMechanism({"sigma": 10.0, "k": 10, "c": 5}).get_approxDP(1e-6)  # c_tilde is 2 by default
    assert got >= 0.99 * truth, f"{got:.6f}"
