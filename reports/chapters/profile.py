"""The privacy profile and the trade-off function of the GDP filter, in bands that hold at every epsilon at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mc
from filters import GaussianFilter, PrivacyFilter
from mc import TradeOff
from reports.chapters.common import beside_promise, draw_estimates, name
from reports.drawing import PALETTE, new_figure
from reports.finding import Claim, Finding, Picture, Table, Told
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
#: Epsilons at which the bands are drawn and their width is stated.
FINE = np.linspace(EPSILONS[0], EPSILONS[-1], 401)
#: How a band is drawn.
_BAND: dict[str, Any] = {"color": PALETTE[5], "alpha": 0.55, "lw": 0}


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    filt = GaussianFilter(mu=1.0)
    promise = GaussianDP(filt.mu)
    forward, backward = play_both_ways(study, filt)
    band = TradeOff(forward.curve, backward.curve)
    return Told(
        findings=(judge_curves(claims[0], forward, backward, promise),),
        tables=(_table(study, forward, backward),),
        pictures=(_profile_picture(forward, band, promise), _trade_off_picture(band, promise)),
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


def _table(study: Study, forward: SimulatedCurve, backward: SimulatedCurve) -> Table:
    def cells(row: Simulated) -> tuple[str, str]:
        return f"{row.estimate.value:.4g}", within(row.estimate)

    return Table(
        f"The estimates behind the bands, from {study.size(PATHS):,} paths in each direction, tilted.",
        ("epsilon", "promise", "delta, P to Q", "interval", "delta, Q to P", "interval"),
        tuple(
            (f"{one.epsilon:g}", f"{one.promised:.4g}", *cells(one), *cells(other))
            for one, other in zip(forward.rows, backward.rows, strict=True)
        ),
        align="rrrrrr",
    )


def _profile_picture(simulated: SimulatedCurve, band: TradeOff, promise: GaussianDP) -> Picture:
    profile, rows = band.forward, simulated.rows
    told, low, high = promise.delta(FINE), profile.low(FINE), profile.high(FINE)
    epsilon = np.array([row.epsilon for row in rows])
    with new_figure(height=4.8) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        for axes, scale, at in ((top, 1.0, 1.0), (bottom, told, promise.delta(epsilon))):
            axes.fill_between(FINE, low / scale, high / scale, label="band, every epsilon", **_BAND)
            axes.plot(FINE, told / scale, color="black", lw=1.2, label=f"promise, {promise}")
            looks = {"ms": 2.2, "lw": 1, "capsize": None, "color": PALETTE[0], "label": "estimates, tilted"}
            draw_estimates(axes, epsilon, rows, over=at, **looks)
        top.set(yscale="log", ylabel="delta", title="The privacy profile")
        bottom.set(xlabel="epsilon (nats)", ylabel="delta / promise")
        top.legend(fontsize=9)
    return Picture(
        "privacy_profile",
        f"delta(epsilon) of what the GDP filter releases to {type(rows[0].adversary).__name__}: {len(rows)} "
        "estimates with intervals, the band that convexity makes of them at every epsilon, and the closed form. "
        "Below, the same divided by the promise: the band is narrowest at the estimates.",
        beside_promise(rows),
        figure,
    )


def _trade_off_picture(band: TradeOff, promise: GaussianDP) -> Picture:
    told, low, high = promise.trade_off(ALPHAS), band.low(ALPHAS), band.high(ALPHAS)
    with new_figure(height=4.8) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        top.plot([0, 1], [1, 0], color="#57606a", lw=1, ls=":", label="guessing")
        for axes, base in ((top, 0.0), (bottom, told)):
            axes.fill_between(ALPHAS, low - base, high - base, label="band, every test", **_BAND)
            axes.plot(ALPHAS, told - base, color="black", lw=1.2, label=f"promise, {promise}")
        top.set(ylabel="type II error", ylim=(0, 1), title="The trade-off function")
        bottom.set(xlabel="type I error", ylabel="off the promise", xlim=(0, 1))
        top.legend(fontsize=9)
    return Picture(
        "trade_off",
        "The least type II error of any test that tells the two worlds apart from the same release: the band "
        "from the same paths, and the closed form Phi(Phi^-1(1 - a) - 1). Below, the distance from it.",
        f"A band that falls from {high[0]:.2g} to {low[-1]:.2g}, at most {(high - low).max():.2g} wide, around the "
        f"closed form, which leaves it at {np.count_nonzero((told < low) | (told > high)) or 'none'} of its points.",
        figure,
    )
