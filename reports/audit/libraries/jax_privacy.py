"""Google's JAX Privacy: what its accounting and its auditing were asked, what was wrong, and what held."""

from __future__ import annotations

import math

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.routes.gaussian_densities import epsilon_routes
from reports.audit.subjects import jax_privacy as subjects

__all__ = ["LIBRARY"]

_DELTA = 1e-5


def _of_order_two(moment: float) -> float:
    """Epsilon by order 2 alone (Canonne, Kamath & Steinke 2020, Proposition 12), the first term the divergence."""
    return moment + math.log(0.5) - math.log(2 * _DELTA)


def _scheduled_epsilon() -> float:
    """10 steps at rate 0.1, 10 at 0.01 and 80 at 0.1, noise 1: the divergence of order 2 in closed form."""
    terms = ((90, 0.1), (10, 0.01))
    return _of_order_two(math.fsum(n * math.log1p(q * q * math.expm1(1.0)) for n, q in terms))


def _scheduled_epsilon_by_integral() -> float:
    """The same with each step's divergence integrated."""
    import mpmath

    def divergence(q: float) -> float:
        with mpmath.workdps(30):

            def integrand(x: mpmath.mpf) -> mpmath.mpf:
                return mpmath.npdf(x) * (1 - q + q * mpmath.exp(x - 0.5)) ** 2

            return float(mpmath.log(mpmath.quad(integrand, range(-15, 21, 5))))

    of_rate = {q: divergence(q) for q in (0.1, 0.01)}
    return _of_order_two(sum(of_rate[0.01 if 10 <= step < 20 else 0.1] for step in range(100)))


def _longest_column() -> float:
    """The sensitivity of the column-normalized strategy 0.1: the norm of its longest column."""
    import numpy as np

    strategy = np.array([[0.1]])
    return float(np.linalg.norm(strategy / np.linalg.norm(strategy, axis=0), axis=0).max())


def _longest_move() -> float:
    """The same as the largest move of the strategy's answer for a gradient of norm at most 1, in fractions."""
    from fractions import Fraction

    entry = Fraction(1, 10)
    normalized = entry / abs(entry)
    return float(max(abs(normalized * Fraction(step, 100)) for step in range(-100, 101)))


def _gap_of_like_scores() -> float:
    """The total variation between the scores of held-in and held-out canaries, all 0, as masses."""
    from collections import Counter

    inside, outside = Counter({0: 1.0}), Counter({0: 1.0})
    return sum(max(0.0, mass - outside[score]) for score, mass in inside.items())


def _advantage_of_like_scores() -> float:
    """The largest gap of true and false positive rates over all thresholds, for 1000 and 10 scores of 0."""
    import numpy as np

    thresholds = (-1.0, 0.0, 1.0)
    return max(float(np.mean(np.zeros(1000) >= t) - np.mean(np.zeros(10) >= t)) for t in thresholds)


def _clipped_norm() -> float:
    """The norm of a million float16 entries of 1e-4 after clipping to 0.01, in doubles."""
    import numpy as np

    return min(0.01, float(np.linalg.norm(np.full(1_000_000, np.float16(1e-4), dtype=np.float64))))


def _clipped_norm_in_fractions() -> float:
    """The same by the sum of squares in fractions; 1e-4 in float16 is 1678 / 2^24."""
    from fractions import Fraction

    square = 1_000_000 * Fraction(1678, 2**24) ** 2
    return float(Fraction(1, 100)) if square > Fraction(1, 100) ** 2 else math.sqrt(square)


def _difference_of_rows() -> float:
    """The norm of the difference of the third and the fourth row of the identity."""
    import numpy as np

    return float(np.linalg.norm(np.eye(4)[3] - np.eye(4)[2]))


_FAULTS = (
    Fault(
        key="cached_epsilon",
        kind=Kind.WRONG_NUMBER,
        entry="jax_privacy.accounting.CachedExperimentAccountant.compute_epsilon",
        says="CachedExperimentAccountant answers for new parameters from the cache of the first ones",
        why="The cache is filled once, with the parameters of the first call, and its key is the number of updates "
        "alone. With allow_approximate_cache=True, asked for noise 50 and then for noise 0.5 it answers epsilon "
        "0.125 twice; the truth of the second is 24.4. Its docstring promises an over-estimate.",
        fix="Make the parameters part of the key, or refuse a call with other parameters than the first.",
        routes=epsilon_routes(4.0),
    ),
    Fault(
        key="column_normalized_noise",
        kind=Kind.WRONG_NUMBER,
        entry="jax_privacy.experimental.execution_plan.BandMFExecutionPlanConfig",
        says="With column_normalize=True a strategy of norm below 1 gets less noise than its dp_event says",
        why="The noise is scaled by the norm of the strategy as given, while the normalized matrix has "
        "columns of norm 1. With strategy [0.1] and noise multiplier 1, noise of standard deviation 0.1 "
        "is added to a sum of norm 1. The module says that the event of a plan can be trusted. A "
        "strategy of norm 1 is safe, and one of larger norm, such as those of the examples, which begin with "
        "1, gets more noise than needed.",
        fix="Scale by 1 where columns are normalized, or refuse a strategy whose norm is not 1.",
        routes=(
            Route("norm of the longest column of the normalized strategy", _longest_column),
            Route("largest move over gradients of norm at most 1, in fractions", _longest_move),
        ),
    ),
    Fault(
        key="half_precision_clipping",
        kind=Kind.WRONG_NUMBER,
        entry="jax_privacy.clipping.clip_pytree",
        says="clip_pytree leaves a float16 gradient unclipped when the squares of its entries underflow",
        why="The norm is formed in the precision of the gradient. A million entries of 1e-4 have norm 0.1, "
        "and their squares are 0 in float16, so that a clip norm of 0.01 is exceeded tenfold. With "
        "rescale_to_unit_norm the result has norm 10 where 1 is promised. The docstring gives the bound "
        "as a formal guarantee, clipped_grad relies on it, and the noise is scaled to it. The guide to mixed "
        "precision asks for float32 in sums and noise, and allows any type for the gradients of an example.",
        fix="Form the norm in float32, or scale by the largest entry first.",
        routes=(
            Route("least of the clip norm and the norm, in doubles", _clipped_norm),
            Route("the same in fractions of the float16 entry", _clipped_norm_in_fractions),
        ),
    ),
    Fault(
        key="noise_after_the_last_row",
        kind=Kind.MISUSE,
        entry="jax_privacy.noise_addition.matrix_factorization_privatizer",
        says="With a dense matrix the noise of the last row is added again in every step beyond its size",
        why="An index beyond the end of a JAX array is that of the last row, and the key is the same in each step. "
        "The difference of two releases after the last row is that of the gradients, without any noise. Nothing "
        "is raised, and the docstring does not say that the rows bound the number of steps. Pull request 338 "
        "upstream is about it.",
        fix="Raise, or return NaN where an error cannot be raised, once the rows are used up.",
        routes=(
            Route("standard deviation of a difference of independent noises", lambda: math.sqrt(2.0)),
            Route("norm of the difference of two rows of a larger identity", _difference_of_rows),
        ),
    ),
    Fault(
        key="batch_size_schedule",
        kind=Kind.MISUSE,
        entry="jax_privacy.accounting.DpParams",
        says="batch_size_scale_schedule multiplies its scales up, where it is described as relative to the "
        "initial size",
        why="The comment at BatchingScaleSchedule gives {100: 4, 200: 2} as 4 times the initial size from "
        "step 100 and 2 times from step 200; the sizes that are accounted for are 4 and 8 times. With whole "
        "numbers, as the scales are annotated, this is too much. Scales below 1 are accepted all the same, and "
        "with them it is too little: {10: 0.1, 20: 1.0} is accounted for as a tenth from step 10 to the end.",
        fix="Build the sizes as the initial size times each scale; or describe the scales as successive "
        "factors, and refuse scales that are not whole numbers.",
        routes=(
            Route("closed form of order 2, step by step", _scheduled_epsilon),
            Route("integral of the squared density ratio", _scheduled_epsilon_by_integral),
        ),
    ),
    Fault(
        key="gaussian_audit",
        kind=Kind.WRONG_NUMBER,
        entry="jax_privacy.auditing.CanaryScoreAuditor.epsilon_from_gdp",
        says="epsilon_from_gdp exceeds the true epsilon almost always when the attack is weak",
        why="Of 200 audits with 200 canaries each and a true epsilon of 0.34, all give a bound above it at "
        "a significance of 0.05, its allowed probability of failure. Such a bound makes training look less "
        "private than it is; it hides no loss. Where the upper bounds of the two error rates sum to more than 1, the "
        "absolute value of mu is taken as if the reversed test were better than chance; that needs "
        "lower bounds of the error rates. It is known upstream, as pull request 270, and mended after this "
        "release.",
        fix="Take mu as 0 where it is negative, and test the reversed rule with upper bounds of its own "
        "error rates.",
        routes=epsilon_routes(0.1),
    ),
    Fault(
        key="one_run_audit_balance",
        kind=Kind.MISUSE,
        entry="jax_privacy.auditing.CanaryScoreAuditor.epsilon_one_run",
        says="epsilon_one_run reports a positive lower bound for scores that tell nothing if canaries are "
        "unbalanced",
        why="The theorem (Steinke, Nasr & Jagielski 2023) is for canaries that are included with "
        "probability 1/2 each. With 1000 held in, 10 held out and all scores equal, the lower bound is "
        "3.99 at a significance of 0.05, and epsilon_one_run_fdp gives 7.12; with 200 and 100 they are 0.45 "
        "and 0.87. The docstrings do not name the condition; the paper that they cite does.",
        fix="Document the condition, and refuse or warn where the numbers of canaries are far from one half "
        "each.",
        routes=(
            Route("total variation between equal scores", _gap_of_like_scores),
            Route("best gap of true and false positive rates over thresholds", _advantage_of_like_scores),
        ),
    ),
    Fault(
        key="keras_accumulation",
        kind=Kind.WRONG_NUMBER,
        entry="jax_privacy.keras_api.DPKerasConfig",
        says="DPKerasConfig checks a given noise multiplier for the batch size without gradient accumulation",
        why="The noise is calibrated for the effective batch size, batch_size times gradient_accumulation_steps, and a "
        "noise multiplier that is given is checked for batch_size alone, so that too little noise is accepted. With "
        "batches of 1 of 10 examples and 10 accumulated, noise 1 is accepted for epsilon 2; it has epsilon 4.38. The "
        "recommended way, to leave the noise multiplier out, is not affected. It is known upstream, as pull request "
        "287, and mended after this release.",
        fix="Pass effective_batch_size in the check, as in the calibration.",
        routes=epsilon_routes(1.0),
    ),
    Fault(
        key="keras_tolerance",
        kind=Kind.MISUSE,
        entry="jax_privacy.keras_api.DPKerasConfig",
        says="DPKerasConfig accepts a noise multiplier whose epsilon exceeds the target by up to 0.1",
        why="The tolerance is absolute and undocumented. For a target of 0.001 noise of epsilon 0.096 is accepted, "
        "and for 1 one of 1.1 would be, though the error that it would raise says that the budget is exceeded.",
        fix="Drop the tolerance, or make it small and relative, and say so.",
        routes=epsilon_routes(1 / 32),
    ),
    Fault(
        key="schedule_at_the_end",
        kind=Kind.SEMANTICS,
        entry="jax_privacy.accounting.DpsgdTrainingAccountant.compute_epsilon",
        says="compute_epsilon raises when a schedule changes exactly at num_updates",
        why="The change takes no effect on the updates asked about, and is meant to be left out, but a "
        "change at num_updates stays in with a count of 0, which the accountant refuses. A run that "
        "asks for epsilon after every update fails at every change of the schedule. No number is false.",
        fix="Leave out changes at t >= num_updates.",
        routes=epsilon_routes(1.0),
    ),
    Fault(
        key="nan_noise",
        kind=Kind.MISUSE,
        entry="jax_privacy.accounting.DpsgdTrainingAccountant.compute_epsilon",
        says="A noise multiplier of NaN gives epsilon 0 with RdpAccountantConfig",
        why="The accountant of dp-accounting takes NaN and answers 0, whatever was composed before, so that "
        "a failed computation of the noise reads as perfect privacy. With PldAccountantConfig a "
        "ValueError is raised.",
        fix="Refuse noise multipliers that are not numbers in DpParams.",
        routes=epsilon_routes(1.0),
    ),
    Fault(
        key="calibration_sampling",
        kind=Kind.SEMANTICS,
        entry="jax_privacy.accounting.calibrate_noise_multiplier",
        says="The calibrate functions always assume Poisson sampling, and cannot be told otherwise",
        why="DpParams has a sampling_method, under which a fixed batch size costs more. Noise calibrated to "
        "epsilon 2 has epsilon 8.4 under FIXED_BATCH_SIZE.",
        fix="Pass sampling_method on to DpParams.",
    ),
)

LIBRARY = Library(
    key="jax_privacy",
    distribution="jax-privacy",
    entries=(
        EntryPoint(
            name="DpsgdTrainingAccountant",
            rule="composes Poisson-sampled Gaussians with dp-accounting, a part for each piece of the schedules",
            where="accounting/analysis.py, DpsgdTrainingAccountant._compute_epsilon",
            theorem="that of the accountant; Choquette-Choo et al. 2023 for banded factorizations",
            promises="the epsilon of training for so many updates",
            subject=subjects.training,
        ),
        EntryPoint(
            name="CachedExperimentAccountant",
            rule="answers with the epsilon of the next larger cached number of updates",
            where="accounting/analysis.py, CachedExperimentAccountant.compute_epsilon",
            theorem="none; needs epsilon to grow with the updates",
            promises="an over-estimate of epsilon",
        ),
        EntryPoint(
            name="BandMFExecutionPlanConfig",
            rule="builds sampling, clipping and noise of a training run with the event that they amount to",
            where="experimental/execution_plan.py, BandMFExecutionPlanConfig.plan",
            theorem="Choquette-Choo et al. 2023, reduction to sampled Gaussians",
            promises="the event can be trusted",
        ),
        EntryPoint(
            name="DPKerasConfig",
            rule="calibrates or checks the noise of a Keras training run",
            where="keras_api.py, DPKerasConfig._validate_params",
            theorem="that of DpsgdTrainingAccountant",
            promises="an error where the noise exceeds the budget",
        ),
        EntryPoint(
            name="CanaryScoreAuditor",
            rule="lower bounds on epsilon from the scores of canaries",
            where="auditing.py, CanaryScoreAuditor",
            theorem="Steinke, Nasr & Jagielski 2023; Nasr et al. 2023; Mahloujifar et al. 2024",
            promises="lower bounds that fail with at most the given probability",
        ),
    ),
    faults=_FAULTS,
    held=(
        "clip_pytree in float32 and bfloat16 at three gradients: the norm within 1% of the bound or below",
        "FIXED_BATCH_SIZE as Poisson sampling of twice the sensitivity: no mixture of the two directions over 2 and 20 "
        "steps beat it, at rates 0.1 to 0.9 and noise 1 to 4, epsilon 0 to 6. This proves nothing beyond those",
        "calibrate_noise_multiplier and calibrate_num_updates met their target, at one setting each",
        "one examples_per_user gives the same epsilon as DpsgdTrainingAccountant within 1e-3",
        "epsilon_one_run at balanced canaries and useless scores: positive in 3.5% of 400 audits at significance 0.05 "
        "(95% interval 1.9% to 5.8%); epsilon_clopper_pearson in none of them",
        "equal split of examples drops the remainder, so that groups are as large as the accounting takes them",
    ),
    left_out=(
        "the development version upstream, in which accounting was rewritten after this release",
        "factorizations (banded, buffered, dense), their sensitivities beyond reading, and their optimizers",
        "clipping beyond clip_pytree, sampling on devices, the training steps of the Keras interface",
        "Monte Carlo accounting beyond reading delta_calculation",
        "the proof of the reduction for banded factorizations",
    ),
)
