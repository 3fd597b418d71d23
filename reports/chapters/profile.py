"""The privacy profile and the trade-off function of the GDP filter, in bands that hold at every epsilon at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import mc
from filters import GaussianFilter, PrivacyFilter
from mc import TradeOff
from reports.chapters.common import beside_promise, name
from reports.drawing import new_figure
from reports.finding import Claim, Finding, Picture, Told
from reports.shown.numbers import within
from reports.study import Simulated, SimulatedCurve, Study
from theory.agreement import Agreement, TwoRoutes
from theory.arguments import Real
from theory.guarantees import GaussianDP
from theory.numerics.decimals import above, below

#: Paths in each direction; more would gain little, since the grid's steps limit the width of the band.
PATHS = 250_000
EPSILONS = tuple(step / 5 for step in range(31))
#: Type I errors, denser towards zero, where the trade-off function is steep.
ALPHAS = np.linspace(0.0, 1.0, 401) ** 2
#: Epsilons at which the promise is drawn and the width of the band is stated.
FINE = np.linspace(EPSILONS[0], EPSILONS[-1], 401)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    filt = GaussianFilter(mu=1.0)
    promise = GaussianDP(filt.mu)
    forward, backward = play_both_ways(study, filt)
    band = TradeOff(forward.curve, backward.curve)
    return Told(
        findings=(judge_curves(claims[0], forward, backward, promise),),
        pictures=(_profile_picture(forward, promise), _trade_off_picture(band, promise)),
    )


def play_both_ways(study: Study, filt: PrivacyFilter) -> tuple[SimulatedCurve, SimulatedCurve]:
    """The curves from P to Q and from Q to P of the filter against an adversary that chases losses."""
    forward, backward = (
        # tilted: the martingale estimator assumes the equality that is tested here
        study.simulate_curve(
            filt, mc.LossChasing(), epsilons=EPSILONS, n=PATHS, method="tilted", direction=direction
        )
        for direction in ("PQ", "QP")
    )
    return forward, backward


def judge_curves(
    claim: Claim, forward: SimulatedCurve, backward: SimulatedCurve, promise: GaussianDP
) -> Finding:
    """Whether the closed forms lie inside their bands.

    Comparing the profile on the grid is enough: the band between grid points follows by convexity, so a convex
    decreasing function within the band on the grid is within it everywhere.
    """
    band = TradeOff(forward.curve, backward.curve)
    game = forward.rows[0]
    scope = (
        f"one game, {name(game.adversary)} on Gaussian mechanisms, in both directions, every epsilon and every type I "
        "error at once, simulated and in closed form"
    )
    routes: list[TwoRoutes] = []
    places: list[Simulated | float] = []
    for simulated, profile in ((forward, band.forward), (backward, band.backward)):
        rows = sorted(simulated.rows, key=lambda row: row.epsilon)
        grid = np.array([row.epsilon for row in rows])
        names = [f"{row.direction} at epsilon={row.epsilon:g}" for row in rows]
        routes += _beside(names, profile.low(grid), promise.delta(grid), profile.high(grid))
        places += rows
    names = [f"the trade-off function at type I error {alpha:.4g}" for alpha in ALPHAS]
    routes += _beside(names, band.low(ALPHAS), promise.trade_off(ALPHAS), band.high(ALPHAS))
    places += ALPHAS.tolist()
    witness: dict[str, object] | None = None
    for at, one in zip(places, routes, strict=True):
        if not one.meets:
            ends = {"low": one.low, "high": one.high, "closed_form": one.least}
            witness = at.witness(one.least) if isinstance(at, Simulated) else {"alpha": at, **ends}
            break
    agreement = Agreement(tuple(routes), scope, band.failure, _widths(forward, band, promise), witness)
    return Finding(claim, agreement)


def _beside(
    names: Sequence[str], low: NDArray[np.float64], told: Real, high: NDArray[np.float64]
) -> list[TwoRoutes]:
    """The ends of a band at each place, and the closed form between them."""
    rows = zip(names, low.tolist(), high.tolist(), np.asarray(told).tolist(), strict=True)
    return [TwoRoutes(name, least, most, value, value) for name, least, most, value in rows]


def _widths(forward: SimulatedCurve, band: TradeOff, promise: GaussianDP) -> str:
    widest = max(forward.rows, key=lambda row: row.estimate.relative_half_width)
    told = promise.delta(FINE)
    least, most = (band.forward.low(FINE) / told).min(), (band.forward.high(FINE) / told).max()
    return (
        f"The widest of {len(forward.rows)} intervals, {within(widest.estimate)} at "
        f"epsilon={widest.epsilon:g}, is ±{above(100 * widest.estimate.relative_half_width, 2)} %; up to "
        f"epsilon={FINE[-1]:g} the band of the profile stays between {below(least, 3)} and {above(most, 3)} times the "
        "promise."
    )


def _profile_picture(simulated: SimulatedCurve, promise: GaussianDP) -> Picture:
    rows = simulated.rows
    with new_figure(height=3.6) as figure:
        ax = figure.subplots()
        simulated.curve.plot(ax)
        ax.plot(FINE, promise.delta(FINE), color="black", lw=1.2, label=f"promise, {promise}")
        ax.legend(fontsize=9)
    return Picture(
        "privacy_profile",
        f"delta(epsilon) of what the GDP filter releases to {type(rows[0].adversary).__name__}: {len(rows)} "
        "estimates with intervals, the band that convexity makes of them at every epsilon, and the closed form.",
        beside_promise(rows),
        figure,
    )


def _trade_off_picture(band: TradeOff, promise: GaussianDP) -> Picture:
    told, low, high = promise.trade_off(ALPHAS), band.low(ALPHAS), band.high(ALPHAS)
    with new_figure(height=3.6) as figure:
        ax = figure.subplots()
        band.plot(ax)
        ax.plot(ALPHAS, told, color="black", lw=1.2, label=f"promise, {promise}")
        ax.legend(fontsize=9)
    return Picture(
        "trade_off",
        "The least type II error of any test that tells the two worlds apart from the same release: the band "
        "from the same paths, and the closed form Phi(Phi^-1(1 - a) - 1).",
        f"A band that falls from {high[0]:.2g} to {low[-1]:.2g}, at most {(high - low).max():.2g} wide, around the "
        f"closed form, which leaves it at {np.count_nonzero((told < low) | (told > high)) or 'none'} of its points.",
        figure,
    )
