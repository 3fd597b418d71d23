"""Faults of autodp: each test fails in a version that has the fault."""

from contextlib import redirect_stdout
from io import StringIO
from math import exp, inf, log

from autodp import mechanism_zoo as zoo
from autodp.calibrator_zoo import ana_gaussian_calibrator, eps_delta_calibrator
from autodp.dp_acct import DP_acct
from autodp.rdp_acct import anaRDPacct
from autodp.rdp_bank import RDP_gaussian, RDP_independent_noisy_screen, RDP_noisy_screen
from scipy.integrate import quad
from scipy.stats import norm


class TestAutoDP:
    def test_approximate_renyi(self):
        got = zoo.PureDP_Mechanism(eps=1.0).get_approxRDP(1e-6, 10.0)
        assert got >= 0.9651927676, f"{got:.9f}"

    def test_calibration_above_budget(self):
        got = eps_delta_calibrator()(zoo.ExactGaussianMechanism, 1.0, 1e-6, [0.1, 1000.0]).get_approxDP(1e-6)
        assert got <= 1, f"{got:.9f}"

    def test_gaussian_calibration(self):
        sigma = ana_gaussian_calibrator()(zoo.ExactGaussianMechanism, 1.0, 1e-16).params["sigma"]
        got = norm.cdf(0.5 / sigma - sigma) - exp(1) * norm.cdf(-0.5 / sigma - sigma)
        assert got <= 2e-16, f"{got:.4g} with sigma {sigma:.6f}"

    def test_gaussian_density(self):
        with redirect_stdout(StringIO()):  # it prints its search
            pair = zoo.GaussianMechanism(2.0, phi_off=False)
        excess = lambda x: max(pair.pdf_p(x) - exp(0.5) * pair.pdf_q(x), 0.0)  # noqa: E731
        got = quad(excess, -60, 0)[0] + quad(excess, 0, 20, limit=500)[0] + quad(excess, 20, 80)[0]
        assert got >= 0.9 * 0.05244032329, f"{got:.6f} from pdf_p and pdf_q"

    def test_independent_noisy_screen(self):
        got = RDP_independent_noisy_screen({"thresh": 60, "k": 100, "sigma": 10.0}, 200)
        assert got >= 0.4477851884, f"{got:.6f}"

    def test_kov_pure(self):
        accountant = DP_acct()
        accountant.update_DPlosses(1.0, 0)
        accountant.update_DPlosses(2.0, 0)
        assert accountant.get_eps(0) >= 3.0, accountant.get_eps(0)

    def test_laplace_svt(self):
        got = zoo.LaplaceSVT_Mechanism({"b": 1.0, "k": 20, "c": 1}).get_eps(0)
        assert got >= 2.996289284, f"{got:.6f}"

    def test_mixed_subsampling(self):
        accountant, gaussian = anaRDPacct(), lambda alpha: RDP_gaussian({"sigma": 2.0}, alpha)
        accountant.compose_poisson_subsampled_mechanisms(gaussian, 0.05, coeff=100)
        accountant.compose_subsampled_mechanism(gaussian, 0.05, coeff=100)
        got = accountant.get_eps(1e-5)
        assert got >= 3.474651599 - 0.1, f"{got:.6f} with one function"

    def test_negative_coefficient(self):
        accountant, gaussian = anaRDPacct(), lambda alpha: RDP_gaussian({"sigma": 2.0}, alpha)
        accountant.compose_mechanism(gaussian, coeff=100)
        before = accountant.get_eps(1e-5)
        accountant.compose_mechanism(gaussian, coeff=-100)
        got = accountant.get_eps(1e-5)
        assert got >= before, f"{got:.6f}, where it was {before:.6f}"

    def test_noisy_screen_infinity(self):
        given = {"logp": log(0.5), "logq": log(0.99)}
        got, at_1000 = RDP_noisy_screen(given, inf), RDP_noisy_screen(given, 1000.0)
        assert got >= min(3.912023005, at_1000), f"{got:.6f}, and {at_1000:.6f} at order 1000"

    def test_phi_atoms(self):
        laplace = zoo.LaplaceMechanism(b=0.5, RDP_off=True, phi_off=False).get_approx_delta(1.0)
        response = zoo.RandresponseMechanism(p=0.9, RDP_off=True, phi_off=False).get_approx_delta(1.0)
        low = laplace < 0.3934693403 or response < 0.9 - exp(1.0) * 0.1
        assert not low, f"{laplace:.6f} and {response:.6f}"

    def test_phi_epsilon(self):
        with redirect_stdout(StringIO()):  # it prints its search
            got = zoo.GaussianMechanism(sigma=1.0, phi_off=False).get_eps(1e-5)
        assert got >= 4.377178096 - 0.1, f"{got:.6f}"

    def test_stage_remainder(self):
        stages = zoo.StageWiseMechanism({"sigma": 10.0, "k": 10, "c": 5})  # c_tilde is 2 by default
        assert stages.get_approxDP(1e-6) >= 1.5, f"{stages.get_approxDP(1e-6):.6f}"
