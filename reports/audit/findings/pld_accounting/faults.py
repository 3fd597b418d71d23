"""What is wrong with PLD_accounting: each function fails as its finding says."""

from math import erfc, exp, sqrt

from dp_accounting.pld import privacy_loss_distribution
from PLD_accounting import (
    AllocationSchemeConfig,
    BoundType,
    PrivacyParams,
    gaussian_allocation_epsilon_range,
    gaussian_allocation_pld,
    subsample_pld,
)


def lower_bound_above_truth(truth):
    upper, got = gaussian_allocation_epsilon_range(delta=1e-5, sigma=1.0, num_steps=3, num_selected=2)
    assert got <= truth + 0.05, f"{got:.5f}, and the upper bound {upper:.5f}"


def subsampled_grid():
    whole = privacy_loss_distribution.from_gaussian_mechanism(1.0, value_discretization_interval=1e-3)
    whole.compose(subsample_pld(pld=whole, sampling_probability=0.125))


def tiny_delta():
    # one step an epoch, 48 epochs, noise 5: one release with noise 5 / sqrt(48)
    params, mu = PrivacyParams(sigma=5.0, num_steps=1, num_epochs=48), sqrt(48) / 5
    places, bounds = [10.5 + i / 20 for i in range(24)], []
    tails = [[erfc((e / mu + s * mu / 2) / sqrt(2)) / 2 for s in (-1, 1)] for e in places]
    for kind in (BoundType.DOMINATES, BoundType.IS_DOMINATED):
        config = AllocationSchemeConfig(tail_truncation=1e-20)
        pld = gaussian_allocation_pld(params=params, config=config, bound_type=kind)
        got = [pld.get_delta_for_epsilon(e) for e in places]
        bounds.append([g / (t[0] - exp(e) * t[1]) for g, t, e in zip(got, tails, places, strict=True)])
    words = f"{min(bounds[0]):.3f} times the truth, and {max(bounds[1]):.3f} times"
    assert min(bounds[0]) >= 0.97, words


def valid_tails_refused():
    refused = []
    for sigma, tail in [(sigma, tail) for sigma in (0.5, 0.7, 1.0) for tail in (1e-15, 1e-16)]:
        config, params = AllocationSchemeConfig(tail_truncation=tail), PrivacyParams(sigma=sigma, num_steps=1)
        try:
            gaussian_allocation_pld(params=params, config=config)
        except ValueError as error:
            refused.append(error)
    assert not refused, f"{len(refused)} are, the first for {refused[0]}"
