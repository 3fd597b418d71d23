"""Faults of openmed: each test fails in a version that has the fault."""

import random
from unittest.mock import patch

import mpmath
from openmed.risk import aggregate_dp
from openmed.risk import differential_privacy as dp


class TestOpenMed:
    def test_gaussian_delta_below_truth(self):
        mpmath.mp.dps, above = 300, []
        profile = 10**4.5, dp.gaussian_privacy_delta(10**4.5, 1.0, 1e-3)
        for sigma, claimed in (profile, (dp.gaussian_scale(1.0, 1e-3, 1e-300), 1e-300)):
            a, b = 1 / (2 * mpmath.mpf(sigma)), mpmath.mpf(1e-3) * mpmath.mpf(sigma)
            above.append(float((mpmath.ncdf(a - b) - mpmath.exp(1e-3) * mpmath.ncdf(-a - b)) / claimed - 1))
        assert not (above[0] > 1e-8 and above[1] > 1e-9), f"{above[0]:.3g} and {above[1]:.3g}"

    def test_laplace_float_support(self):
        counts = []
        for count in (1, 0):
            rng = random.Random(0)
            answers = [dp.release_count(count, epsilon=1.0, rng=rng) for _ in range(20_000)]
            near = [(a * 2**53).is_integer() for a in answers if abs(a) < 1 / 32]
            counts.append((near.count(True), near.count(False)))
        got = f"{counts[0]} of 20000 for the count 1, {counts[1]} for 0"
        assert not (counts[0][0] > 150 and counts[0][1] == 0 and counts[1][1] > 300), got

    def test_mapping_sensitivity(self):
        ledger = aggregate_dp.AggregateDPBudgetLedger(max_epsilon=1.0, max_delta=0.0)
        with patch.object(aggregate_dp, "_laplace_noise", wraps=aggregate_dp._laplace_noise) as drawn:
            aggregate_dp.release_aggregate({f"count_{k}": 1.0 for k in range(5)}, ledger=ledger, epsilon=1.0)
        loss = sum(1.0 / call.args[1] for call in drawn.call_args_list)
        got = f"{loss}, with {ledger.spent_epsilon} charged"
        assert not (loss == 5.0 and ledger.spent_epsilon == 1.0), got
