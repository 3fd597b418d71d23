"""What is wrong with jax-privacy: each function fails as its finding says."""

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
    return analysis.DpsgdTrainingAccountant(
        accountants.PldAccountantConfig(value_discretization_interval=1e-3)
    )


def batch_size_schedule(truth):
    # 100 for 10 steps, a tenth of that for 10 steps, then 1 times 100 again
    schedule = {"batch_size": 100, "batch_size_scale_schedule": {10: 0.1, 20: 1.0}}
    accountant = analysis.DpsgdTrainingAccountant(accountants.RdpAccountantConfig(orders=[2]))
    got = accountant.compute_epsilon(100, trained(1.0, num_samples=1000, **schedule))
    assert got >= truth * (1 - 1e-6), f"{got:.6f}"


def cached_epsilon(truth):
    cached = analysis.CachedExperimentAccountant(by_loss(), max_num_updates=4, num_cached_points=2)
    first, got = (cached.compute_epsilon(4, trained(n), allow_approximate_cache=True) for n in (50.0, 0.5))
    assert got >= truth, f"{got:.6f}, as asked before at noise 50: {first:.6f}"


def calibration_sampling():
    known, target = calibrate.calibrate_noise_multiplier, {"target_epsilon": 2.0, "target_delta": 1e-5}
    noise = known(accountant=by_loss(), batch_sizes=100, num_samples=1000, num_updates=10, **target)
    fixed = {"sampling_method": analysis.SamplingMethod.FIXED_BATCH_SIZE}
    got = by_loss().compute_epsilon(10, trained(noise, num_samples=1000, batch_size=100, **fixed))
    words = f"none, and the noise for epsilon 2 has epsilon {got:.4f} with batches of fixed size"
    assert "sampling_method" in known.__annotations__ or got <= 2.0, words


def column_normalized_noise():
    options = {"epsilon": None, "delta": None, "noise_multiplier": 1.0, "noise_seed": 0}
    config = BandMFExecutionPlanConfig(iterations=1, strategy=[0.1], column_normalize=True, **options)
    transform, zeros = config.plan.noise_addition_transform, np.zeros(100_000, np.float32)
    noise, _ = transform.update(zeros, transform.init(zeros))
    got = float(
        noise.std()
    )  # the normalized strategy is the number 1: this noise is added to a sum of norm 1
    assert got >= config.plan.dp_event.event.event.noise_multiplier / 2, f"{got:.4f}"


def gaussian_audit(truth):
    rng, over = np.random.default_rng(0), 0
    for _ in range(200):
        auditor = CanaryScoreAuditor(rng.normal(0.1, size=200), rng.normal(size=200))
        over += auditor.epsilon_from_gdp(0.05, 1e-5) > truth
    assert over <= 100, f"{over / 200:.0%} of 200"


def half_precision_clipping(truth):
    clipped, _ = clip_pytree(np.full(1_000_000, 1e-4, np.float16), 0.01)  # of norm 0.1
    got = np.linalg.norm(np.asarray(clipped, np.float64))
    assert got <= 2 * truth, f"{got:.6f}"


def configured(**given):
    sys.modules.setdefault("keras", MagicMock())  # the configuration makes no use of it
    from jax_privacy.keras_api import DPKerasConfig

    return DPKerasConfig(delta=1e-5, clipping_norm=1.0, train_steps=1, train_size=10, **given)


def keras_accumulation(truth):
    accumulated = {
        "batch_size": 1,
        "gradient_accumulation_steps": 10,
    }  # one update with all of the 10 examples
    got = configured(epsilon=2.0, noise_multiplier=1.0, **accumulated)
    words = f"accepted for epsilon {got.epsilon}, effective batch size {got.effective_batch_size}"
    assert got.epsilon >= truth, words


def keras_tolerance(truth):
    whole = {"batch_size": 10, "gradient_accumulation_steps": 1}
    got = configured(epsilon=0.001, noise_multiplier=32.0, **whole)
    assert got.epsilon >= truth, f"accepted for epsilon {got.epsilon}"


def nan_noise(truth):
    accountant = analysis.DpsgdTrainingAccountant(accountants.RdpAccountantConfig())
    got = accountant.compute_epsilon(2, trained([(0, 1.0), (1, float("nan"))]))
    assert got >= truth, f"{got:.6f}"


def noise_after_the_last_row():
    transform = matrix_factorization_privatizer(np.eye(3), stddev=1.0, prng_key=0)
    zeros, noises = np.zeros(100_000, np.float32), []
    state = transform.init(zeros)
    for _ in range(4):
        noise, state = transform.update(zeros, state)
        noises.append(np.asarray(noise))
    got = float(np.std(noises[3] - noises[2]))
    assert got >= 0.1, f"{got:.4f}"


def one_run_audit_balance(truth):
    auditor = CanaryScoreAuditor(np.zeros(1000), np.zeros(10))  # scores that tell nothing
    got, fdp = auditor.epsilon_one_run(0.05, 1e-5), auditor.epsilon_one_run_fdp(0.05, 1e-5)
    assert got <= truth + 0.5, f"{got:.6f} (epsilon_one_run_fdp: {fdp:.6f})"


def schedule_at_the_end():
    by_loss().compute_epsilon(4, trained([(0, 2.0), (4, 1.0)]))  # four full batches of noise 2, steps 0 to 3
