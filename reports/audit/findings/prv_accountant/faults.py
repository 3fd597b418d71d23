"""What is wrong with prv-accountant: each function fails as its finding says."""

from prv_accountant import (
    ApproximateDPMechanism,
    GaussianMechanism,
    PoissonSubsampledGaussianMechanism,
    PRVAccountant,
    PureDPMechanism,
)
from prv_accountant.composers import ConvolutionTree
from prv_accountant.discretisers import CellCentred
from prv_accountant.domain import Domain
from prv_accountant.privacy_random_variables import PrivacyRandomVariableTruncated


def upper_bound(mechanism, delta, count, eps_error, delta_error):
    accountant = PRVAccountant(mechanism, eps_error, delta_error, max_self_compositions=count)
    return accountant.compute_epsilon(delta, count)[2]


def approximate_dp_small_delta(truth):
    mechanism = ApproximateDPMechanism(1e-4, 5e-17)
    accountant = PRVAccountant(mechanism, eps_error=0.1, delta_error=1e-15, max_self_compositions=1000)
    _, estimate, high = accountant.compute_delta(20.0, 1000)  # beyond the sum of all epsilon, which is 0.1
    assert high >= truth / 2, f"upper bound {high}, estimate {estimate}"


def forgetful_tree():
    domain = Domain.create_aligned(-30, 30, 0.001)
    truncated = PrivacyRandomVariableTruncated(GaussianMechanism(1.0), domain.t_min(), domain.t_max())
    tree = ConvolutionTree([CellCentred().discretise(truncated, domain)] * 3)
    first, second = (tree.compute_composition([1, 1, 1]).compute_epsilon(1e-5, 1e-8, 0.01) for _ in range(2))
    got = f"{second[0]:.4f} to {second[2]:.4f}, and before {first[0]:.4f} to {first[2]:.4f}"
    assert second[2] >= first[0], got


def pure_dp_domain(truth):
    high = upper_bound(PureDPMechanism(5.0), 1e-6, 20, 0.1, 1e-9)
    assert high >= truth, f"upper bound {high:.4f}, with eps_error 0.1 and delta_error 1e-9"


def pure_dp_renyi(truth):
    got = PureDPMechanism(1.0).rdp(2.0)
    assert got >= truth, f"{got:.6f}"


def readme_order(truth):
    noise_multiplier, sampling_probability = 0.3, 0.9
    mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier, sampling_probability)  # as in the README
    high = upper_bound(mechanism, 1e-5, 1, 0.1, 1e-9)
    assert high >= truth, f"upper bound {high:.4f}"


def tiny_delta(truth):
    high = upper_bound(GaussianMechanism(30.0), 2e-13, 3000, 0.01, 2e-16)
    assert high >= truth, f"upper bound {high:.4f}, with eps_error 0.01"
