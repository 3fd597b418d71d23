"""Faults of pld-accounting: each test fails in a version that has the fault."""

from math import erfc, exp, sqrt

import PLD_accounting as pa


class TestPLDAccounting:
    def test_lower_bound_above_truth(self):
        upper, got = pa.gaussian_allocation_epsilon_range(delta=1e-5, sigma=1.0, num_steps=3, num_selected=2)
        assert got <= 5.606079392 + 0.05, f"{got:.5f}, and the upper bound {upper:.5f}"

    def test_tiny_delta(self):
        # one step an epoch, 48 epochs, noise 5: one release with noise 5 / sqrt(48)
        params, mu = pa.PrivacyParams(sigma=5.0, num_steps=1, num_epochs=48), sqrt(48) / 5
        places, bounds = [10.5 + i / 20 for i in range(24)], []
        tails = [[erfc((e / mu + s * mu / 2) / sqrt(2)) / 2 for s in (-1, 1)] for e in places]
        for kind in (pa.BoundType.DOMINATES, pa.BoundType.IS_DOMINATED):
            config = pa.AllocationSchemeConfig(tail_truncation=1e-20)
            pld = pa.gaussian_allocation_pld(params=params, config=config, bound_type=kind)
            got = [pld.get_delta_for_epsilon(e) for e in places]
            bounds.append([g / (t[0] - exp(e) * t[1]) for g, t, e in zip(got, tails, places, strict=True)])
        assert min(bounds[0]) >= 0.97, f"{min(bounds[0]):.3f} times the truth, and {max(bounds[1]):.3f} times"
