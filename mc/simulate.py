"""Estimates of what a filter lets through: hockey-stick divergences and survival."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal

from filters import ApproximateDPFilter, PrivacyFilter
from mc.adversary import Adversary
from mc.engine import Direction, Game, OnDenial
from mc.estimate import Estimate
from mc.estimators import HockeyStick, Survival, log_weight_bound
from mc.intervals import clopper_pearson, empirical_bernstein
from mc.runs import Progress, Tally, play
from mc.store import RunStore
from theory.arguments import check_count, check_delta, check_real
from theory.conversions import CKS
from theory.guarantees import ZCDP, GaussianDP, RenyiDP

__all__ = ["Method", "SurvivalCurve", "simulate", "survival"]

Method = Literal["auto", "plain", "tilted"]


@dataclass(frozen=True, slots=True)
class Tilt:
    """The order s of the law P^s Q^(1-s) to draw from, and a bound on the rounds' summed divergences at s."""

    order: float
    divergence: float


def tilt_of(filt: PrivacyFilter, epsilon: float) -> Tilt | None:
    """The tilt whose weights the promise bounds, at the order of its best conversion; None without one.

    An approximate DP filter promises through its zCDP threshold, which is what bounds the weights.
    """
    promise = filt.promise
    if isinstance(promise, RenyiDP):
        return Tilt(promise.alpha, promise.rho)
    if isinstance(filt, ApproximateDPFilter):
        rho = filt.threshold
    elif isinstance(promise, ZCDP):
        rho = promise.rho
    elif isinstance(promise, GaussianDP):
        rho = promise.mu**2 / 2
    else:
        return None
    order = float(CKS.order(rho, max(epsilon, 0.0)))
    return Tilt(order, order * rho)


def simulate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float,
    n: int = 1_000_000,
    seed: int = 0,
    rounds: int | None = None,
    confidence: float = 1 - 1e-6,
    method: Method = "auto",
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    workers: int | None = None,
    executor: Executor | None = None,
    store: RunStore | str | os.PathLike[str] | None = None,
    progress: Callable[[Progress, Estimate | None], object] | None = None,
) -> Estimate:
    """H_{e^epsilon}(P || Q) = E_P[(1 - e^{epsilon - L})_+], P and Q the laws of the released transcript.

    n plays of the filter's own code against one adversary; direction "QP" gives H_{e^epsilon}(Q || P).
    method "plain" draws from P; "tilted" draws round by round from P^s Q^{1-s}, the weights bounded by
    the filter's promise; "auto" tilts where the promise gives a bound. rounds caps the play (1000, unless
    the adversary knows its end). workers, executor and store say where the paths are played (see `play`):
    the bits are the same. progress is called a few times a second with the state of the run and the estimate
    so far.
    Raises ValueError or TypeError for arguments out of range and for a filter or adversary of wrong shapes,
    PromiseBroken where a path was charged more than the promise allows. Source: sheet 4; 003 Theorem 6.
    """
    epsilon = float(check_real("epsilon", epsilon))
    n = check_count("n", n, least=2)
    failure = 1 - float(check_delta("confidence", confidence))
    if method not in ("auto", "plain", "tilted"):
        raise ValueError(f"method must be auto, plain or tilted, got method={method!r}; pass one of them")
    game = Game.between(filt, adversary, rounds=rounds, direction=direction, on_denial=on_denial)
    tilt = None if method == "plain" else tilt_of(filt, epsilon)
    if tilt is None:
        if method == "tilted":
            raise ValueError(
                f"method must be plain for {type(filt).__name__}, whose promise {filt.promise} bounds no "
                "likelihood-ratio weight, got method='tilted'; pass method='plain'"
            )
        measure = HockeyStick((epsilon,), (0.0,))
        name = "plain"
    else:
        game = game.at(tilt.order)
        measure = HockeyStick((epsilon,), (log_weight_bound(tilt.order, tilt.divergence, epsilon),))
        name = f"tilted to order {tilt.order:.4g}"

    def estimate(tally: Tally) -> Estimate:
        (moments,) = measure.moments(tally)
        return named(empirical_bernstein(moments, failure=failure), name)

    def told(so_far: Progress) -> None:
        assert progress is not None
        progress(so_far, estimate(so_far.so_far) if so_far.done > 1 else None)

    return estimate(
        play(
            game,
            measure,
            n=n,
            seed=seed,
            workers=workers,
            executor=executor,
            store=store,
            progress=None if progress is None else told,
        )
    )


@dataclass(frozen=True, slots=True)
class SurvivalCurve:
    """P(T >= t) for t = 1..len(at), T the number of releases; all hold together except with `failure`."""

    at: tuple[Estimate, ...]
    failure: float

    def __getitem__(self, t: int) -> Estimate:
        if not 1 <= t <= len(self.at):
            raise IndexError(f"t must be in 1..{len(self.at)}, got t={t}; play more rounds")
        return self.at[t - 1]


def survival(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    rounds: int,
    n: int = 100_000,
    seed: int = 0,
    confidence: float = 1 - 1e-6,
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    workers: int | None = None,
    executor: Executor | None = None,
    store: RunStore | str | os.PathLike[str] | None = None,
) -> SurvivalCurve:
    """P(T >= t), t = 1..rounds, T the number of outputs released before a denial or the end of the rounds.

    Clopper-Pearson intervals that share the failure probability equally, so that they hold together.
    """
    n = check_count("n", n)
    failure = 1 - float(check_delta("confidence", confidence))
    game = Game.between(filt, adversary, rounds=rounds, direction=direction, on_denial=on_denial)
    counts = play(
        game, Survival(game.rounds), n=n, seed=seed, workers=workers, executor=executor, store=store
    ).sums
    each = failure / len(counts)
    return SurvivalCurve(tuple(clopper_pearson(int(c), n, failure=each) for c in counts), failure)


def named(estimate: Estimate, estimator: str) -> Estimate:
    """The estimate with the estimator put before the interval in its method."""
    return Estimate(
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.failure,
        estimate.n,
        f"{estimator}, {estimate.method}",
    )
