"""Faults of jax-privacy: each test fails in a version that has the fault."""

import sys
from unittest.mock import MagicMock

import numpy as np
from jax_privacy.accounting import accountants, analysis, calibrate
from jax_privacy.auditing import CanaryScoreAuditor
from jax_privacy.clipping import clip_pytree
from jax_privacy.experimental.execution_plan import BandMFExecutionPlanConfig
from jax_privacy.noise_addition import matrix_factorization_privatizer


def trained(noise, **changed):
    sizes = {"num_samples": 10, "batch_size": 10, "delta": 1e-5} | changed
    return analysis.DpParams(noise_multipliers=noise, **sizes)


def by_loss():
    config = accountants.PldAccountantConfig(value_discretization_interval=1e-3)
    return analysis.DpsgdTrainingAccountant(config)


def configured(**given):
    sys.modules.setdefault("keras", MagicMock())  # the configuration makes no use of it
    from jax_privacy.keras_api import DPKerasConfig

    return DPKerasConfig(delta=1e-5, clipping_norm=1.0, train_steps=1, train_size=10, **given)


class TestJaxPrivacy:
    def test_batch_size_schedule(self):
        # 100 for 10 steps, a tenth of that for 10 steps, then 1 times 100 again
        schedule = {"batch_size": 100, "batch_size_scale_schedule": {10: 0.1, 20: 1.0}}
        accountant = analysis.DpsgdTrainingAccountant(accountants.RdpAccountantConfig(orders=[2]))
        got = accountant.compute_epsilon(100, trained(1.0, num_samples=1000, **schedule))
        assert got >= 11.66166693 * (1 - 1e-6), f"{got:.6f}"

    def test_cached_epsilon(self):
        cached = analysis.CachedExperimentAccountant(by_loss(), max_num_updates=4, num_cached_points=2)
        both = trained(50.0), trained(0.5)
        first, got = (cached.compute_epsilon(4, event, allow_approximate_cache=True) for event in both)
        assert got >= 24.38161088, f"{got:.6f}, as asked before at noise 50: {first:.6f}"

    def test_calibration_sampling(self):
        known, target = calibrate.calibrate_noise_multiplier, {"target_epsilon": 2.0, "target_delta": 1e-5}
        noise = known(accountant=by_loss(), batch_sizes=100, num_samples=1000, num_updates=10, **target)
        fixed = {"sampling_method": analysis.SamplingMethod.FIXED_BATCH_SIZE}
        got = by_loss().compute_epsilon(10, trained(noise, num_samples=1000, batch_size=100, **fixed))
        words = f"none, and the noise for epsilon 2 has epsilon {got:.4f} with batches of fixed size"
        assert "sampling_method" in known.__annotations__ or got <= 2.0, words

    def test_column_normalized_noise(self):
        options = {"epsilon": None, "delta": None, "noise_multiplier": 1.0, "noise_seed": 0}
        config = BandMFExecutionPlanConfig(iterations=1, strategy=[0.1], column_normalize=True, **options)
        transform, zeros = config.plan.noise_addition_transform, np.zeros(100_000, np.float32)
        noise, _ = transform.update(zeros, transform.init(zeros))
        got = float(noise.std())  # the normalized strategy is 1: this noise is added to a sum of norm 1
        assert got >= config.plan.dp_event.event.event.noise_multiplier / 2, f"{got:.4f}"

    def test_gaussian_audit(self):
        rng, over = np.random.default_rng(0), 0
        for _ in range(200):
            auditor = CanaryScoreAuditor(rng.normal(0.1, size=200), rng.normal(size=200))
            over += auditor.epsilon_from_gdp(0.05, 1e-5) > 0.3406693647
        assert over <= 100, f"{over / 200:.0%} of 200"

    def test_half_precision_clipping(self):
        clipped, _ = clip_pytree(np.full(1_000_000, 1e-4, np.float16), 0.01)  # of norm 0.1
        got = np.linalg.norm(np.asarray(clipped, np.float64))
        assert got <= 2 * 0.01, f"{got:.6f}"

    def test_keras_accumulation(self):
        # one update with all of the 10 examples
        accumulated = {"batch_size": 1, "gradient_accumulation_steps": 10}
        got = configured(epsilon=2.0, noise_multiplier=1.0, **accumulated)
        words = f"accepted for epsilon {got.epsilon}, effective batch size {got.effective_batch_size}"
        assert got.epsilon >= 4.377178096, words

    def test_keras_tolerance(self):
        options = {"batch_size": 10, "gradient_accumulation_steps": 1}
        got = configured(epsilon=0.001, noise_multiplier=32.0, **options)
        assert got.epsilon >= 0.09572723913, f"accepted for epsilon {got.epsilon}"

    def test_nan_noise(self):
        accountant = analysis.DpsgdTrainingAccountant(accountants.RdpAccountantConfig())
        got = accountant.compute_epsilon(2, trained([(0, 1.0), (1, float("nan"))]))
        assert got >= 4.377178096, f"{got:.6f}"

    def test_noise_after_the_last_row(self):
        transform = matrix_factorization_privatizer(np.eye(3), stddev=1.0, prng_key=0)
        zeros, noises = np.zeros(100_000, np.float32), []
        state = transform.init(zeros)
        for _ in range(4):
            noise, state = transform.update(zeros, state)
            noises.append(np.asarray(noise))
        got = float(np.std(noises[3] - noises[2]))
        assert got >= 0.1, f"{got:.4f}"

    def test_one_run_audit_balance(self):
        auditor = CanaryScoreAuditor(np.zeros(1000), np.zeros(10))  # scores that tell nothing
        got, fdp = auditor.epsilon_one_run(0.05, 1e-5), auditor.epsilon_one_run_fdp(0.05, 1e-5)
        assert got <= 0.0 + 0.5, f"{got:.6f} (epsilon_one_run_fdp: {fdp:.6f})"
