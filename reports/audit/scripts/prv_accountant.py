"""Faults of prv-accountant: each test fails in a version that has the fault."""

import prv_accountant as prv
from prv_accountant.composers import ConvolutionTree
from prv_accountant.discretisers import CellCentred
from prv_accountant.domain import Domain
from prv_accountant.privacy_random_variables import PrivacyRandomVariableTruncated


def upper_bound(mechanism, delta, count, eps_error, delta_error):
    accountant = prv.PRVAccountant(mechanism, eps_error, delta_error, max_self_compositions=count)
    return accountant.compute_epsilon(delta, count)[2]


class TestPRVAccountant:
    def test_approximate_dp_small_delta(self):
        mechanism = prv.ApproximateDPMechanism(1e-4, 5e-17)
        accountant = prv.PRVAccountant(mechanism, 0.1, 1e-15, max_self_compositions=1000)
        # beyond the sum of all epsilon, which is 0.1
        _, estimate, high = accountant.compute_delta(20.0, 1000)
        assert high >= 2.5e-14, f"upper bound {high}, estimate {estimate}"

    def test_forgetful_tree(self):
        domain = Domain.create_aligned(-30, 30, 0.001)
        truncated = PrivacyRandomVariableTruncated(prv.GaussianMechanism(1.0), domain.t_min(), domain.t_max())
        tree = ConvolutionTree([CellCentred().discretise(truncated, domain)] * 3)
        both = [tree.compute_composition([1, 1, 1]) for _ in range(2)]
        first, second = (accountant.compute_epsilon(1e-5, 1e-8, 0.01) for accountant in both)
        got = f"{second[0]:.4f} to {second[2]:.4f}, and before {first[0]:.4f} to {first[2]:.4f}"
        assert second[2] >= first[0], got

    def test_pure_dp_domain(self):
        high = upper_bound(prv.PureDPMechanism(5.0), 1e-6, 20, 0.1, 1e-9)
        assert high >= 99.99999886, f"upper bound {high:.4f}, with eps_error 0.1 and delta_error 1e-9"

    def test_pure_dp_renyi(self):
        got = prv.PureDPMechanism(1.0).rdp(2.0)
        assert got >= 0.7353256641, f"{got:.6f}"

    def test_readme_order(self):
        noise_multiplier, sampling_probability = 0.3, 0.9
        # as in the README
        mechanism = prv.PoissonSubsampledGaussianMechanism(noise_multiplier, sampling_probability)
        high = upper_bound(mechanism, 1e-5, 1, 0.1, 1e-9)
        assert high >= 18.94568201, f"upper bound {high:.4f}"

    def test_tiny_delta(self):
        high = upper_bound(prv.GaussianMechanism(30.0), 2e-13, 3000, 0.01, 2e-16)
        assert high >= 14.51050285, f"upper bound {high:.4f}, with eps_error 0.01"
