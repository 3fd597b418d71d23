"""Monte Carlo estimates of the hockey-stick divergence of the released transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, Unpack, overload

import numpy as np

from filterproof.filters.contract.parameters import one_epsilon, one_real
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.budget_monitor import BoundExceeded
from filterproof.mc.engine.game import Game
from filterproof.mc.estimate.curve import ProfileEstimate
from filterproof.mc.estimate.estimator import Estimator, EstimatorSettings, Method, estimators
from filterproof.mc.intervals.estimate import FAILURE, Estimate
from filterproof.mc.runs.batch_sums import BatchSums, Progress, Report
from filterproof.mc.runs.play import PlayOptions, SimulationSettings
from filterproof.theory.argument_checks import check_count, check_delta, check_real

#: The distance of the first batches of two plays of one simulation, so that they share no random numbers.
BATCH_STRIDE = 2**36

_OnProgress: TypeAlias = Callable[[Progress, tuple[Estimate, ...] | None], object]


class SimulationOptions(PlayOptions, total=False):
    """The keywords of `simulate` besides epsilon."""

    n: int
    failure: float
    method: Method
    progress: _OnProgress | None


@overload
def simulate(
    filt: PrivacyFilter, adversary: Adversary, *, epsilon: float, **options: Unpack[SimulationOptions]
) -> Estimate: ...


@overload
def simulate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: Sequence[float],
    **options: Unpack[SimulationOptions],
) -> ProfileEstimate: ...


def simulate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float | Sequence[float],
    n: int = 1_000_000,
    failure: float = FAILURE,
    method: Method = "auto",
    progress: _OnProgress | None = None,
    **how: Unpack[PlayOptions],
) -> Estimate | ProfileEstimate:
    """Estimate the hockey-stick divergence of the transcript that a filter releases to one adversary.

        H_{e^epsilon}(P || Q) = E_P[(1 - e^{epsilon - L})_+],  L = log dP/dQ

    P and Q are the distributions of the released transcript on two neighbouring data sets.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter. The simulation runs its own code.
    adversary : Adversary
        The strategy that makes the requests.
    epsilon : float or sequence of float
        In nats. A single value must be >= 0. A sequence may contain negative values.
    n : int, default 1,000,000
        Number of simulated runs, at least 2.
    failure : float, default 1e-6
        Probability that an interval misses the true value, in (0, 1). The intervals of a sequence hold jointly.
    method : {"auto", "plain", "tilted", "martingale"}
        "plain" draws from P. "tilted" draws each round from P^s Q^{1-s} and simulates infinite losses separately.
        "martingale" uses the Gaussian filter's martingale as control variate. "auto" runs a pilot and takes the
        method with the narrowest expected interval.
    progress : callable, optional
        The function is called a few times a second with a `Progress` and the current estimates, or None.
    **how
        Fields of `fp.runs.SimulationSettings`: seed, rounds, direction, on_denial, workers, executor, store. The
        direction "QP" estimates H_{e^epsilon}(Q || P).

    Returns
    -------
    Estimate or ProfileEstimate
        An `Estimate` for one epsilon, a `ProfileEstimate` for a sequence. `rests_on` names the assumptions of an
        estimate.

    Raises
    ------
    ValueError
        If an argument is out of range.
    TypeError
        If an argument has the wrong type, or the filter or the adversary returns a wrong shape.

    Notes
    -----
    "tilted" and "martingale" need a bound on the total charge of a run. The guarantee under test never supplies this
    bound. Where no theorem and no computation supplies it, a budget monitor ends each run at the bounds that the filter
    states in `holds`. Plain runs then estimate the contribution beyond these bounds.
    Source: Koskela, Tobaben & Honkela (2023), Theorem 6.

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.simulate(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, n=100).value, 6)
    0.126937
    """
    grid = checked_finite_numbers("epsilon", epsilon)
    alone = np.ndim(epsilon) == 0
    if alone:
        one_epsilon("epsilon", grid[0])
    play = SimulationSettings(n=check_count("n", n, least=2), **how)
    failure = float(check_delta("failure", failure))
    if method not in ("auto", "plain", "tilted", "martingale"):
        raise ValueError(
            f"method must be auto, plain, tilted or martingale, got method={method!r}; pass one of them"
        )
    game, settings = (
        play.game(filt, adversary),
        EstimatorSettings(play.n, failure / len(grid), method),
    )
    # if a path exceeds a trusted bound, try again with a monitor, and if that fails as well, with plain draws; the
    # draws decide which of the two is reported, so that each has half of the failure probability
    exceeded = ""
    estimates: dict[float, Estimate] = {}
    guarded = replace(settings, trusts_bounds=False, failure=settings.failure / 2)
    for tried in (settings, guarded, replace(guarded, method="plain")):
        try:
            estimates = _estimates_by_epsilon(game, grid, play, tried, progress)
            break
        except BoundExceeded as error:
            exceeded = f", for {error}"
    at = tuple(replace(estimates[e], rests_on=estimates[e].rests_on + exceeded) for e in grid)
    return at[0] if alone else ProfileEstimate(grid, at, failure)


def _estimates_by_epsilon(
    game: Game,
    epsilons: tuple[float, ...],
    play: SimulationSettings,
    settings: EstimatorSettings,
    progress: _OnProgress | None,
) -> dict[float, Estimate]:
    """Return the estimate at each epsilon; the paths of one estimator serve all of its epsilons."""
    n = play.n
    parts = estimators(game, epsilons, settings)
    # an interval needs two paths
    least = 2 * len(parts) * max(len(estimator.terms) for estimator in parts)
    if n < least and len(parts) > 1:
        if settings.method != "auto":
            raise ValueError(
                f"n must be at least {least} for {len(parts)} orders, got n={n}; pass a larger n"
            )
        parts = estimators(game, epsilons, replace(settings, method="plain"))
    estimates: dict[float, Estimate] = {}
    played: list[BatchSums] = []
    for place, estimator in enumerate(parts):
        tallies: list[BatchSums] = []
        for term, paths in estimator.terms_with_path_counts(n // len(parts) + (place < n % len(parts))):
            report = _progress_report(
                progress,
                play,
                estimator,
                settings.failure,
                tallies,
                sum(batch_sums.n for batch_sums in played),
            )
            first = len(played) * BATCH_STRIDE
            batch_sums = play.sums(term.game, term.joint, n=paths, first=first, progress=report)
            tallies.append(batch_sums)
            played.append(batch_sums)
        estimates.update(zip(estimator.epsilons, estimator.estimates(tallies, settings.failure), strict=True))
    return estimates


def _progress_report(
    progress: _OnProgress | None,
    play: SimulationSettings,
    estimator: Estimator,
    failure: float,
    tallies: Sequence[BatchSums],
    before: int,
) -> Report | None:
    """Return the report on the present play: `tallies` are the finished ones of its estimator, `before` all paths."""
    if progress is None:
        return None

    def report(so_far: Progress) -> None:
        """Report the estimates and the number of paths so far."""
        ahead = estimator.estimates((*tallies, so_far.so_far), failure) if so_far.done > 1 else ()
        progress(so_far.of(before, play.n), ahead or None)

    return report


def checked_finite_numbers(name: str, given: object) -> tuple[float, ...]:
    """Return one number or a sequence as a tuple of floats; raise ValueError unless all are finite."""
    if isinstance(given, (list, tuple, range)):
        given = np.array([one_real(name, number) for number in given], dtype=np.float64)
    numbers = np.atleast_1d(np.asarray(check_real(name, given)))
    if numbers.size == 0:
        raise ValueError(f"{name} must name at least one number, got none; pass a number or a sequence")
    return tuple(float(number) for number in numbers)
