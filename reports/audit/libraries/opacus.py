"""Opacus: the accountants of a library for training with differential privacy, and what is charged to them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, exp, expm1, log, sqrt

import mpmath
import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.routes.gaussian import epsilon_by_erfcx, epsilon_by_mpmath
from reports.audit.routes.mixtures import Mixture, mixture_by_cut, mixture_by_quadrature
from reports.audit.subjects import opacus as subjects

__all__ = ["LIBRARY"]

_TWICE: tuple[Mixture, Mixture] = ((0, 0.25), (1, 0.5), (2, 0.25)), ((0, 1.0),)
_EMPTY: tuple[Mixture, Mixture] = ((1, 0.375), (0, 0.375), (-1, 0.25)), ((1, 0.75), (0, 0.25))


def _halved_noise_by_tails(delta: float) -> float:
    """The epsilon of N(0, 1) against N(0, 1/4) at delta: the loss is 3 x^2 / 2 - log 2."""

    def gap(epsilon: float) -> float:
        cut = sqrt((epsilon + log(2)) / 1.5)
        return float(2 * (norm.sf(cut) - exp(epsilon) * norm.sf(2 * cut)) - delta)

    return float(brentq(gap, 0.0, 50.0, xtol=1e-12))


def _halved_noise_by_mpmath(delta: float) -> float:
    """The same by quadrature of E_P[(1 - e^(epsilon - loss))_+] over x beyond the cut, in 30 digits."""
    with mpmath.workdps(30):

        def gap(epsilon: mpmath.mpf) -> mpmath.mpf:
            cut = mpmath.sqrt((epsilon + mpmath.log(2)) * 2 / 3)

            def excess(x: mpmath.mpf) -> mpmath.mpf:
                return -mpmath.expm1(epsilon + mpmath.log(2) - 3 * x * x / 2) * mpmath.npdf(x)

            return 2 * mpmath.quad(excess, [cut, cut + 2, cut + 6, cut + 30]) - delta

        return float(mpmath.findroot(gap, (8, 9), solver="anderson"))


def _steps_told_by_sum(draws: int) -> float:
    """The total variation of the number of empty batches among `draws`, for 4 and for 5 records at rate 1/2."""
    counts = [
        (k, comb(draws, k)) for k in range(draws + 1)
    ]  # 16^-n (15^(n-k) - 31^(n-k) / 2^n) where positive
    excess = [ways * (2**draws * 15 ** (draws - k) - 31 ** (draws - k)) for k, ways in counts]
    return float(Fraction(sum(one for one in excess if one > 0), 32**draws))


def _steps_told_by_threshold(draws: int) -> float:
    """The same from distribution functions: the ratio is monotone, so that the best event is a threshold."""
    k = np.arange(draws + 1)
    return float(np.max(binom.sf(k, draws, 1 / 16) - binom.sf(k, draws, 1 / 32)))


def _drawn_rate(rate: float) -> float:
    """The part of all 24-bit fractions that are below the rate, rounded to a single float."""
    return float(Fraction(ceil(Fraction(float(np.float32(rate))) * 2**24), 2**24))


def _counted_rate(rate: float) -> float:
    """The same by counting them."""
    return float(np.mean(np.arange(2**24, dtype=np.float32) / np.float32(2**24) < np.float32(rate)))


#: The limit of 100 steps at rate 0.1 with noise 1/2, in the accountant's own formula.
_MU = 0.1 * sqrt(100 * expm1(0.5**-2))
_FORGOTTEN = (
    Route("its own formula for 100 steps, solved with erfcx", lambda: epsilon_by_erfcx(_MU, 1e-5)),
    Route("its own formula for 100 steps, in 60 digits", lambda: epsilon_by_mpmath(_MU, 1e-5)),
)

LIBRARY = Library(
    key="opacus",
    distribution="opacus",
    entries=(
        EntryPoint(
            name="opacus.accountants.RDPAccountant",
            rule="step(noise_multiplier, sample_rate), then get_epsilon(delta): the least over a grid of "
            "orders",
            where="accountants/rdp.py and accountants/analysis/rdp.py",
            theorem="Mironov, Talwar & Zhang 2019, Section 3.3; Balle et al. 2020, Theorem 21",
            promises="the epsilon spent so far; settings may differ between steps",
            subject=subjects.rdp,
        ),
        EntryPoint(
            name="opacus.accountants.PRVAccountant",
            rule="step, then get_epsilon(delta): the upper bound of a numerical composition",
            where="accountants/prv.py and accountants/analysis/prv",
            theorem="Gopi, Lee & Wutschitz 2021, Theorem 5.5 and Remark 5.6",
            promises="an upper bound within eps_error and delta_error; settings may differ between steps",
            subject=subjects.prv,
        ),
        EntryPoint(
            name="opacus.accountants.GaussianAccountant",
            rule="step, then get_epsilon(delta), all steps with the same settings",
            where="accountants/gdp.py and accountants/analysis/gdp.py",
            theorem="a central limit theorem for Gaussian differential privacy",
            promises="an estimate; a warning at construction says that it can be too low",
            subject=subjects.gdp,
        ),
        EntryPoint(
            name="opacus.accountants.utils.get_noise_multiplier",
            rule="a noise multiplier for a target after so many epochs or steps, by bisection",
            where="accountants/utils.py",
            theorem="as the accountant that it is given",
            promises="a noise that ensures the target at the end of the epochs",
        ),
        EntryPoint(
            name="opacus.PrivacyEngine",
            rule="charges each noised step of its optimizer, at 1 / len(data_loader) times the batches in it",
            where="privacy_engine.py; accountants/accountant.py, get_optimizer_hook_fn; optimizers",
            theorem="as its accountant, for Poisson sampled batches and clipped gradients",
            promises="keeps the state of the budget; poisson_sampling=False is said not to fit the accounting",
        ),
    ),
    faults=(
        Fault(
            key="gdp_refund",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.accountants.GaussianAccountant.step",
            says="step takes the last entry from the history before it compares the settings. When they "
            "differ it raises ValueError, as it means to, and the history stays empty. The steps before are "
            "forgotten: after 100 steps, a refused one and one more, it answers an epsilon of 3.06. Its own "
            "formula has 57.2 for the 100 steps alone.",
            why="Code that catches the error and goes on has its whole budget back. RDPAccountant and "
            "PRVAccountant put back what they take out.",
            fix="Compare with self.history[-1], and change the history only when the step is accepted.",
            routes=_FORGOTTEN,
        ),
        Fault(
            key="shared_history",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.accountants.IAccountant.load_state_dict",
            says="load_state_dict keeps the list that is inside the given dictionary. The next step of a "
            "GaussianAccountant empties that list, so that loading the same dictionary again starts from "
            "nothing: it answers an epsilon of 3.06 where its own formula has 57.2 for the steps of the "
            "checkpoint alone. With the other accountants the dictionary, and every accountant loaded from "
            "it, grows with the steps of one of them.",
            why="A GaussianAccountant that is resumed twice from a checkpoint kept in memory loses what was "
            "spent before it, without a word. A checkpoint that is read from a file each time is not "
            "affected.",
            fix="self.history = deepcopy(state_dict['history']), as state_dict itself does.",
            routes=_FORGOTTEN,
        ),
        Fault(
            key="length",
            kind=Kind.SEMANTICS,
            entry="opacus.accountants.IAccountant.__len__",
            says="len(accountant) is documented as the number of optimization steps taken. It is the number "
            "of runs of equal settings: 1 after 100 equal steps.",
            why="A stopping rule by this number of steps does not stop while the settings stay the same. No epsilon "
            "is computed from it.",
            fix="Return sum(steps for _, _, steps in self.history), or document what is counted.",
            routes=(
                Route("the steps taken", lambda: 100.0),
                Route("the steps, one by one", lambda: float(sum(1 for _ in range(100)))),
            ),
        ),
        Fault(
            key="prv_tiny_delta",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.accountants.PRVAccountant.get_epsilon",
            says="For 100 000 steps with noise multiplier 1000 and sample rate 1, at delta = 1e-12, the upper "
            "bound is 2.017. The exact epsilon is 2.132; eps_error is 0.01. 10 000 steps with noise "
            "multiplier 100 give 7.171 where 7.238 is exact. On a small grid no such case was found at delta = 1e-10.",
            why="compute_epsilon refuses a delta that rounding would dominate, but measures rounding by the "
            "precision of long doubles, while the masses are computed and transformed in doubles. With the "
            "80-bit long doubles of x86 that is two thousand times too optimistic, and the refusal comes too "
            "late. Where a long double is a double the call is refused.",
            fix="Use np.finfo(self.pmf.dtype).eps, with a factor for the transform and the power, in that "
            "check.",
            routes=(
                Route("normal tails by erfcx in doubles", lambda: epsilon_by_erfcx(sqrt(1e5) / 1e3, 1e-12)),
                Route("normal tails in 60 digits", lambda: epsilon_by_mpmath(sqrt(1e5) / 1e3, 1e-12)),
            ),
        ),
        Fault(
            key="lost_step",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.accountants.utils.get_noise_multiplier",
            says="The number of steps is int(epochs / sample_rate) with sample_rate = 1 / len(data_loader). "
            "For 75 batches and 3 epochs the quotient is 224.99999999999997, so that noise is chosen for 224 "
            "steps, and 225 are taken. With a target of 7 the accountant then answers 7.008. Three epochs of "
            "77, 150, 154 or 167 batches also lose a step. The target is passed only where the search stopped "
            "close below it: with a target of 1 it was kept for 75, 77, 150 and 154 batches.",
            why="make_private_with_epsilon promises the target at the end of the epochs. The excess is small, "
            "one step's worth, but its own accountant says that the target is passed, and a loop that stops "
            "at the target loses its last step.",
            fix="Round to the nearest whole number before rounding down, or pass epochs * len(data_loader) as "
            "steps.",
            routes=(
                Route("epochs times batches", lambda: 3.0 * 75),
                Route("the quotient in fractions", lambda: float(Fraction(3) / Fraction(1, 75))),
            ),
        ),
        Fault(
            key="broken_off_batch",
            kind=Kind.MISUSE,
            entry="opacus.utils.batch_memory_manager.BatchMemoryManager",
            says="A loop over BatchMemoryManager that is left before a logical batch is complete leaves the "
            "clipped sum of its first parts in the optimizer. The next logical batch is added to it. A record "
            "that is in both counts twice in one noised step, which is charged as one step. With noise "
            "multiplier 10 and sample rate 1 that step is worth epsilon 0.7255 at delta = 1e-5; the PRV "
            "accountant says 0.351. A loop that is left between a batch and its step leaves a signal in the "
            "optimizer's queue as well, which shifts all later ones.",
            why="`break` at a maximal number of physical batches, or an exception that is caught, ends such a "
            "loop early. The docs do not say that the optimizer must be cleared then.",
            fix="In BatchMemoryManager.__exit__, or at the start of an iteration, clear the queue and every "
            "summed_grad.",
            routes=(
                Route("N(0.2, 1) against N(0, 1) by erfcx", lambda: epsilon_by_erfcx(0.2, 1e-5)),
                Route("N(0.2, 1) against N(0, 1) in 60 digits", lambda: epsilon_by_mpmath(0.2, 1e-5)),
            ),
        ),
        Fault(
            key="adaptive_batch_size",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.optimizers.AdaClipDPOptimizer",
            says="The clipping bound is moved by the noisy number of unclipped gradients divided by the true "
            "size of the batch. The size has no noise. With one record in the batch the bound moves with "
            "twice the noise of a batch with two. Where no gradient is clipped and the target quantile is 1, "
            "that alone has epsilon 8.4 at delta = 0.01; with noise multiplier 50, unclipped_num_std 100, "
            "sample rate 1 the PRV accountant says 0.006. An empty batch raises an error, which tells that it "
            "was empty.",
            why="The theorem behind the adjusted noise is about a noisy count, whose divisor does not depend "
            "on who is in the batch. Nothing charges the divisor. The example is the worst, batches of one "
            "and two; the ratio of the noises is (n + 1) / n for batches of n, and close to 1 for large "
            "ones.",
            fix="Divide by expected_batch_size, as is done for the gradients.",
            routes=(
                Route("N(0, 1) against N(0, 1/4) by normal tails", lambda: _halved_noise_by_tails(0.01)),
                Route("the same by quadrature of the excess", lambda: _halved_noise_by_mpmath(0.01)),
            ),
        ),
        Fault(
            key="dropped_empty_batches",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.utils.uniform_sampler.DistributedUniformWithReplacementSampler",
            says="The sampler for distributed training yields no batch where the sample is empty, unlike the "
            "other one. The number of noised steps then depends on who is in the data. For 100 draws at rate "
            "1/2 it differs between 4 and 5 records by 0.55 in total variation, whatever the noise; with "
            "noise multiplier 1000 the PRV accountant says epsilon 0.00001 at delta = 0.01. Workers may also "
            "take different numbers of steps.",
            why="The number of steps may be seen in a log, in the optimizer's state and in the accountant's own "
            "history. Only batches that are small on each worker are empty often enough to matter.",
            fix="Yield empty batches as UniformWithReplacementSampler does; the collate function already "
            "handles them.",
            routes=(
                Route("two binomial laws in fractions", lambda: _steps_told_by_sum(100)),
                Route(
                    "the best threshold of two distribution functions", lambda: _steps_told_by_threshold(100)
                ),
            ),
        ),
        Fault(
            key="random_empty_batch",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.data_loader.DPDataLoader",
            says="With rand_on_empty=True an empty batch is replaced by a random example, whose clipped "
            "gradient is added. A record that joins removes that gradient and adds its own, so that the sum "
            "can move by twice max_grad_norm. For one record with gradient +1 that is joined by one with -1, "
            "rate 1/2, noise multiplier 1 and a random example with gradient 0 or 1, epsilon is 4.05 at delta "
            "= 1e-5. The PRV accountant says 3.54 and the RDP accountant 3.89.",
            why="The charge is for a sum that moves by max_grad_norm. A note in CollateFnWithEmpty says that data "
            "in place of an empty batch would break the guarantee; the docs of this option do not. The effect "
            "needs empty batches, so it matters where the expected batch is small.",
            fix="Keep the shape, and multiply the gradient of the stand-in by 0; or say in the docs of "
            "rand_on_empty that the accountants do not cover it.",
            routes=(
                Route("quadrature of the excess", lambda: mixture_by_quadrature(_EMPTY, 1e-5)),
                Route("normal tails below one cut", lambda: mixture_by_cut(_EMPTY, 1e-5, -1)),
            ),
        ),
        Fault(
            key="accumulated_poisson",
            kind=Kind.SEMANTICS,
            entry="opacus.accountants.IAccountant.get_optimizer_hook_fn",
            says="A step that accumulates k batches is charged as one batch at k times the rate. Poisson "
            "batches may share a record, whose clipped gradient then counts up to k times. For two batches at "
            "rate 1/2 with noise multiplier 1 epsilon is 7.99 at delta = 1e-5; the PRV accountant says 4.39. "
            "The library knows this: a module that make_private returned for Poisson sampling refuses, and "
            "says that the two do not go together. An optimizer, a Poisson sampler and the hook that are put "
            "together by hand do not refuse.",
            why="The hook cannot know how batches were drawn, and its docstring does not say that those "
            "accumulated must be disjoint.",
            fix="Say in the docstring of the hook that accumulated batches must be disjoint.",
            routes=(
                Route("quadrature of the excess", lambda: mixture_by_quadrature(_TWICE, 1e-5)),
                Route("normal tails above one cut", lambda: mixture_by_cut(_TWICE, 1e-5, 1)),
            ),
        ),
        Fault(
            key="sampler_resolution",
            kind=Kind.WRONG_NUMBER,
            entry="opacus.utils.uniform_sampler.UniformWithReplacementSampler",
            says="A record is chosen when torch.rand, a multiple of 2^-24, is below the sample rate. The true "
            "rate is the charged one rounded up to such a multiple: 1.19e-7 for 1e-7, and never below 6e-8.",
            why="The accountant charges the smaller rate. At a rate of 1e-4 the difference is below 0.02 percent, "
            "at 1e-7 it is 19. Only very small rates are affected in practice.",
            fix="Draw in doubles (dtype=torch.float64), or round the sample rate to a multiple of 2^-24 for "
            "both.",
            routes=(
                Route("rounding up in fractions", lambda: _drawn_rate(1e-7)),
                Route("counting all values below the rate", lambda: _counted_rate(1e-7)),
            ),
        ),
        Fault(
            key="gdp_limit",
            breaks=(("opacus.accountants.GaussianAccountant", "what_it_answers_is_at_least_the_truth"),),
            kind=Kind.SEMANTICS,
            entry="opacus.accountants.GaussianAccountant",
            says="Documented: the answer can be too low. How much: one step at rate 0.01 with noise "
            "multiplier 1 has an exact epsilon of 0.199 at delta = 1e-5 and is answered with 0.037; 100 steps "
            "at rate 0.001 with noise multiplier 0.5 with 0.24, where the PRV accountant says 2.1.",
            why="A reader of the warning may expect a small error.",
            fix="Name a size for the error in the warning, or refuse get_epsilon where the limit is far off.",
        ),
        Fault(
            key="gdp_stopping_rule",
            breaks=(("opacus.accountants.GaussianAccountant", "an_adaptive_choice_gains_nothing"),),
            kind=Kind.SEMANTICS,
            entry="opacus.accountants.GaussianAccountant",
            says="As a stopping rule the accountant goes on after its target: with a target of epsilon 1 at "
            "delta = 1e-5 it admits a step at rate 0.125 with noise multiplier 1, whose delta at epsilon 1 is "
            "47 times that.",
            why="It follows from the documented limit, for a single step as for adaptive ones.",
            fix="Say in the docs that it is no rule to stop by.",
        ),
        Fault(
            key="gdp_not_a_number",
            kind=Kind.SEMANTICS,
            entry="opacus.accountants.GaussianAccountant",
            says="A noise multiplier, a sample rate or a delta that is not a number gives epsilon 0.",
            why="A rule that asks this number whether to go on is told to.",
            fix="Refuse in step what is not a finite positive number, and in get_epsilon a delta outside (0, "
            "1).",
        ),
        Fault(
            key="endless_search",
            kind=Kind.SEMANTICS,
            entry="opacus.accountants.RDPAccountant",
            says="With a sample rate that is not a number, and at a sample rate below 1 with a noise multiplier that "
            "is infinite or not a number, get_epsilon of RDPAccountant and PRVAccountant does not return: the "
            "series for an order that is no integer never meets its condition to stop.",
            why="A training run hangs instead of failing.",
            fix="Refuse such numbers in step, and end the series after a number of terms.",
        ),
        Fault(
            key="no_steps",
            kind=Kind.SEMANTICS,
            entry="opacus.accountants.PRVAccountant",
            says="Before the first step RDPAccountant answers 0, PRVAccountant raises ValueError about NaN "
            "and GaussianAccountant raises IndexError.",
            why="A rule that asks before each step cannot start with the two others.",
            fix="Answer 0 where the history is empty.",
        ),
    ),
    held=(
        "RDPAccountant: the divergence agreed with quadrature in 30 digits, to 1e-7 where it is above 1e-6, "
        "for rates 1e-6 to 0.999, noise 0.3 to 200, orders 1.1 to 63; for rates of 1e-6 rounding is visible "
        "below 1e-13",
        "PRVAccountant: at least the exact epsilon for 1 to 1000 Gaussians with rate 1 at delta 1e-5 to "
        "1e-10, for noise down to 0.03 (epsilon 697), and at least the lower end of an independent enclosure "
        "for five mixes of rates and noise at delta 1e-5 and 1e-6",
        "get_noise_multiplier with a number of steps kept its target in 44 cases",
        "AdaClipDPOptimizer charges the noise multiplier that was asked for, not the adjusted one",
        "PrivacyEngine refuses gradient accumulation with Poisson sampling",
        "a negative epsilon at a large delta is a true statement of the conversion, and is answered as such",
    ),
    left_out=(
        "fully sharded training, tensor parallel training, and several workers beyond the sampler",
        "the clipping itself: norms of unusual layers, ghost clipping, mixed precision",
        "secure_mode, and what floating-point noise reveals",
        "poisson_sampling=False, of which the docs say that it does not fit the accounting",
        "whether removal dominates addition for compositions of subsampled Gaussians",
    ),
)
