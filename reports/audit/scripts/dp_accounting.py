"""Faults of dp-accounting: each test fails in a version that has the fault."""

from contextlib import suppress

import dp_accounting as dp
import numpy as np
from dp_accounting.dp_event import MixtureOfGaussiansDpEvent, RepeatAndSelectDpEvent
from dp_accounting.pld import PLDAccountant, accountant, common
from dp_accounting.rdp import RdpAccountant

REPLACE_ONE = dp.NeighboringRelation.REPLACE_ONE


class TestDPAccounting:
    def test_advanced_composition_zero_delta(self):
        got = accountant.advanced_composition(common.DifferentialPrivacyParameters(0.1, 0), 100, 0)
        assert got >= 10.0 * (1 - 1e-9), f"{got:.6f}"

    def test_infinite_order(self):
        composed = RdpAccountant(orders=[2, 4, 8, np.inf]).compose(dp.GaussianDpEvent(0.5))
        got = composed.get_epsilon(1e-5)
        assert got >= 9.997256146, f"{got:.6f}, divergences {composed.rdp}"

    def test_integer_noise_in_subsampling(self):
        event = dp.PoissonSampledDpEvent(0.5, dp.SelfComposedDpEvent(dp.GaussianDpEvent(1), 100))
        (got,) = RdpAccountant(orders=[2]).compose(event).rdp
        assert got >= 98.61370564 / 2, f"{got:.6f} with noise_multiplier=1"

    def test_mixture_of_gaussians_rare(self):
        event = MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [1 - 1e-8, 1e-8])
        got = PLDAccountant().compose(event).get_delta(0.0)
        assert got >= 3.829249225e-09 / 2, f"{got:.6e}"

    def test_mixture_of_gaussians_scale(self):
        # one sensitivity with probability 1 and noise of the same size: the Gaussian mechanism of noise multiplier 1
        got = PLDAccountant().compose(MixtureOfGaussiansDpEvent(1e-7, [1e-7], [1.0])).get_delta(2.0)
        assert got >= 0.02092363582 / 2, f"{got:.6e}"

    def test_nan_noise(self):
        composed = RdpAccountant().compose(dp.GaussianDpEvent(1.0)).compose(dp.GaussianDpEvent(float("nan")))
        assert composed.get_epsilon(1e-5) >= 4.377178096, f"{composed.get_epsilon(1e-5):.6f}"

    def test_nested_count(self):
        composed = RdpAccountant().compose(dp.GaussianDpEvent(1.0))
        with suppress(TypeError, ValueError):
            composed.compose(dp.ComposedDpEvent([dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), -1)]))
        assert composed.get_epsilon(1e-5) >= 4.377178096, f"{composed.get_epsilon(1e-5):.6f}"

    def test_randomized_response_count(self):
        event = dp.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2)
        got = PLDAccountant(REPLACE_ONE).compose(event, 20).get_delta(2.0)
        assert got >= 0.9570068772 / 2, f"{got:.6f}"

    def test_rdp_replace_one(self):
        # noise of standard deviation 1 on a sum of records of norm at most 1; replacing one moves the sum by up to 2
        accountant = RdpAccountant(neighboring_relation=REPLACE_ONE)
        got = accountant.compose(dp.GaussianDpEvent(1.0)).get_epsilon(1e-5)
        assert got >= 9.997256146, f"{got:.6f}"

    def test_repeat_and_select_refund(self):
        composed = RdpAccountant().compose(dp.GaussianDpEvent(0.5))
        with suppress(ValueError):  # a mean below 1 is refused
            composed.compose(RepeatAndSelectDpEvent(dp.GaussianDpEvent(10.0), mean=0.5, shape=1.0))
        assert composed.get_epsilon(1e-5) >= 9.997256146, f"{composed.get_epsilon(1e-5):.6f}"

    def test_stopping_rule(self):
        true = {k: 1.5**k / (1 + 1.5**k) for k in (1, 2, 3)}

        def best(past, p, q):  # the most that an analyst reaches who chooses by what was released
            worth = [p - 9 / 4 * q, 0.0]
            for now in [(*past, k) for k in true] if len(past) < 3 else []:
                steps = [dp.RandomizedResponseDpEvent(2 * (1 - true[k]), 2) for k in now]
                composed = PLDAccountant(REPLACE_ONE).compose(dp.ComposedDpEvent(steps))
                if composed.get_epsilon(0.2664) <= np.log(9 / 4):  # go on while epsilon is within the target
                    t, f = true[now[-1]], 1 - true[now[-1]]
                    worth.append(best(now, p * t, q * f) + best(now, p * f, q * t))
            return max(worth)

        got = best((), 1, 1)
        assert got <= 0.2664 * 1.01, f"delta = {got:.6f}"

    def test_truncated_added_record(self):
        event = dp.TruncatedSubsampledGaussianDpEvent(3, 0.99, 3, 0.5)
        got = PLDAccountant().compose(event).get_delta(3.0)
        assert got >= 0.5083449398 * 0.9, f"{got:.6f}"
