"""Estimates of H_{e^epsilon}(P || Q), the hockey-stick divergence between the laws of the released transcript."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, Unpack, overload

import numpy as np

from filterproof.filters.contract.parameters import one_epsilon, one_real
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.budget_monitor import Exceeded
from filterproof.mc.engine.game import Game
from filterproof.mc.estimate.curve import Curve
from filterproof.mc.estimate.estimator import Estimator, EstimatorSettings, Method, estimators
from filterproof.mc.estimate.functionals import IntervalName
from filterproof.mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from filterproof.mc.runs.batch_sums import BatchSums, Progress, Report
from filterproof.mc.runs.play import Play, PlayOptions
from filterproof.theory.argument_checks import check_count, check_real

#: First tiles of two plays of one simulation lie this many tiles apart, so that they share no random numbers.
APART = 2**36

_OnProgress: TypeAlias = Callable[[Progress, tuple[Estimate, ...] | None], object]


class SimulationOptions(PlayOptions, total=False):
    """The keywords of `simulate` beside epsilon."""

    n: int
    confidence: float
    failure: float | None
    method: Method
    interval: IntervalName
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
) -> Curve: ...


def simulate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float | Sequence[float],
    n: int = 1_000_000,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
    method: Method = "auto",
    interval: IntervalName = "auto",
    progress: _OnProgress | None = None,
    **how: Unpack[PlayOptions],
) -> Estimate | Curve:
    """H_{e^epsilon}(P || Q) = E_P[(1 - e^{epsilon - L})_+], P and Q the laws of the released transcript.

        >>> import filterproof as fp
        >>> round(fp.simulate(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, n=100).value, 6)
        0.126937

    n plays of the filter's own code against one adversary; direction "QP" gives H_{e^epsilon}(Q || P). A
    sequence of epsilons gives a `Curve` whose intervals hold together: they share the failure probability. An epsilon
    alone is that of a promise, zero or more; a sequence may go below, for both halves of a profile or a trade-off.
    method "plain" draws from P; "tilted" draws round by round from P^s Q^{1-s} and weighs infinite losses in a play of
    their own; "martingale" takes the Gaussian filter's martingale as control variate; "auto" takes the one that a
    pilot expects to be narrowest. The middle two need a bound on what a path is charged. The promise under test gives
    none; `certain` of ceiling.py says what can. Where nothing does, a guard ends every path at the bounds that the
    filter states in `holds`, and what lies beyond the guard is estimated from plain paths and added.
    interval is "KL-Chernoff", "betting" or "auto", again by a pilot. The stakes of "betting" depend on n: name the
    other if the paths in a store are to serve a larger n later.
    failure is the probability that an interval misses; pass it where confidence = 1 - failure would lose its digits.
    The other keywords are the fields of `Play`. progress is called a few times a second with the state of the run
    and the estimates so far at the epsilons of the play under way. Estimates say their method and what they rest on.
    Raises ValueError or TypeError for arguments out of range and for a filter or adversary of wrong shapes.
    Source: 003 Theorem 6.
    """
    grid = grid_of("epsilon", epsilon)
    alone = np.ndim(epsilon) == 0
    if alone:
        one_epsilon("epsilon", grid[0])
    play = Play(n=check_count("n", n, least=2), **how)
    failure = stated_failure(confidence, failure)
    if method not in ("auto", "plain", "tilted", "martingale"):
        raise ValueError(f"method must be auto, plain, tilted or martingale, got method={method!r}")
    game, aim = play.game(filt, adversary), EstimatorSettings(play.n, failure / len(grid), method, interval)
    # where a path exceeds a trusted bound, try again under a guard, and if that fails as well, with plain draws; which
    # of the two is told depends on what is drawn, so that each has half of the failure probability
    exceeded = ""
    estimates: dict[float, Estimate] = {}
    guarded = replace(aim, trusting=False, failure=aim.failure / 2)
    for tried in (aim, guarded, replace(guarded, method="plain")):
        try:
            estimates = _estimates(game, grid, play, tried, progress)
            break
        except Exceeded as error:
            exceeded = f", for {error}"
    at = tuple(replace(estimates[e], rests_on=estimates[e].rests_on + exceeded) for e in grid)
    return at[0] if alone else Curve(grid, at, failure)


def _estimates(
    game: Game, epsilons: tuple[float, ...], play: Play, aim: EstimatorSettings, progress: _OnProgress | None
) -> dict[float, Estimate]:
    """The estimate at each epsilon; the paths of one estimator serve all of its epsilons."""
    n = play.n
    parts = estimators(game, epsilons, aim)
    # an interval needs two paths
    least = 2 * len(parts) * max(len(estimator.terms) for estimator in parts)
    if n < least and len(parts) > 1:
        if aim.method != "auto":
            raise ValueError(f"n must be at least {least} for {len(parts)} orders, got n={n}; draw more")
        parts = estimators(game, epsilons, replace(aim, method="plain"))
    estimates: dict[float, Estimate] = {}
    played: list[BatchSums] = []
    for place, estimator in enumerate(parts):
        tallies: list[BatchSums] = []
        for term, paths in estimator.plays(n // len(parts) + (place < n % len(parts))):
            report = _report(
                progress, play, estimator, aim.failure, tallies, sum(tally.n for tally in played)
            )
            first = len(played) * APART
            tally = play.sums(term.game, term.joint, n=paths, first=first, progress=report)
            tallies.append(tally)
            played.append(tally)
        estimates.update(zip(estimator.epsilons, estimator.estimates(tallies, aim.failure), strict=True))
    return estimates


def _report(
    progress: _OnProgress | None,
    play: Play,
    estimator: Estimator,
    failure: float,
    tallies: Sequence[BatchSums],
    before: int,
) -> Report | None:
    """The report on the play under way: `tallies` are the finished ones of its estimator, `before` all paths."""
    if progress is None:
        return None

    def report(so_far: Progress) -> None:
        ahead = estimator.estimates((*tallies, so_far.so_far), failure) if so_far.done > 1 else ()
        progress(so_far.of(before, play.n), ahead or None)

    return report


def grid_of(name: str, given: object) -> tuple[float, ...]:
    """The numbers that were given, one or a sequence, all finite; ValueError for none."""
    if isinstance(given, (list, tuple, range)):
        given = np.array([one_real(name, number) for number in given], dtype=np.float64)
    numbers = np.atleast_1d(np.asarray(check_real(name, given)))
    if numbers.size == 0:
        raise ValueError(f"{name} must name at least one number, got none; pass a number or a sequence")
    return tuple(float(number) for number in numbers)
