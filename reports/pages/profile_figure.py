"""The picture of a filter's page: guarantee, certified bounds and simulations, as a profile and a trade-off curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from filterproof.mc.examine.divergence import certainly_exceeds
from filterproof.reports.chapters.filter_chapter import CertifiedDivergenceBounds, FilterChapter
from filterproof.reports.drawing import INK, PALETTE, new_figure, svg_text
from filterproof.reports.finding import Picture
from filterproof.reports.html_repr.numbers import format_share
from filterproof.theory.attacker import AttackerCurve, best_epsilon
from filterproof.theory.evidence import Outcome
from filterproof.theory.guarantees import ZCDP
from filterproof.theory.numerics.decimals import format_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE, _RED, _GREEN, _BAR = (PALETTE[place] for place in (0, 1, 2, 4))
#: The least false alarms that are drawn, and the rate at which hits are shown.
_MIN_RATE, SHOWN_RATE = 1e-5, 1e-3
_FALSE_ALARM_RATES = np.geomspace(_MIN_RATE, 1.0, 41)
#: Epsilons at which a guarantee bounds the hits.
_GUARANTEE_EPSILONS = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
_TICKS = tuple(10.0**k for k in range(-5, 1))
_CURVE_POINTS = 60


def membership_test_bounds(chapter: FilterChapter) -> dict[str, AttackerCurve]:
    """Return bounds on a membership test's true positives: guaranteed, and certified ones."""
    promise = chapter.subject.make().promise
    at = sorted({best_epsilon(promise, SHOWN_RATE), *_GUARANTEE_EPSILONS})
    promised = {epsilon: promise.extremal(epsilon).high for epsilon in at}
    curves = {"guaranteed": AttackerCurve(tuple(promised.items()))}
    certified = {
        bounds.measure.at: bounds.high
        for bounds in chapter.curve
        if bounds.high is not None and bounds.measure.kind == "hockey-stick"
    }
    if certified and chapter.verdict.outcome is Outcome.HOLDS:
        curves["certified"] = AttackerCurve(tuple(sorted((promised | certified).items())))
    return curves


def profile_and_membership_test_pictures(
    chapter: FilterChapter, curves: dict[str, AttackerCurve]
) -> tuple[Picture, Picture]:
    """Return the pictures of the privacy profile and of the trade-off curve."""
    key, name = chapter.subject.key, chapter.subject.name
    at = "order" if chapter.main.measure.kind == "renyi" else "epsilon"
    shares_text = "; ".join(
        f"{format_share(bounds.shares[0])} of what is guaranteed at {at} {bounds.measure.at:.3g}"
        for bounds in chapter.curve
    )
    hits = "; ".join(f"{which} {format_up(curve.hits(SHOWN_RATE), 3)}" for which, curve in curves.items())
    with new_figure(*_FIGURE_INCHES, margins=_MARGINS) as profile:
        _draw_profile(profile.subplots(), chapter)
    with new_figure(*_FIGURE_INCHES, margins=_MARGINS) as trade_off:
        _draw_trade_off(trade_off.subplots(), chapter, curves)
    return (
        Picture(
            key,
            _PROFILE_CAPTION,
            f"{name}: certified from below, {shares_text}.",
            svg_text(profile),
            _FIGURE_INCHES,
        ),
        Picture(
            f"{key}-test",
            _TRADE_OFF,
            f"{name}: hits at one false alarm in a thousand: {hits}.",
            svg_text(trade_off),
            _FIGURE_INCHES,
        ),
    )


_FIGURE_INCHES = (4.6, 3.4)
_MARGINS = (0.18, 0.15, 0.975, 0.97)
_PROFILE_CAPTION = "The guarantee, certified bounds, and simulated intervals."
_TRADE_OFF = (
    "A test for membership has at most so many hits at so many false alarms. The band holds the best test of the "
    "simulated adversary."
)


def _draw_profile(ax: Axes, chapter: FilterChapter) -> None:
    filt, curve = chapter.subject.make(), chapter.curve
    renyi, at = chapter.main.measure.kind == "renyi", [bounds.measure.at for bounds in curve]
    room = 0.15 * (max(at) - min(at)) or 0.5
    if renyi:
        line = (
            "-" if isinstance(filt.promise, ZCDP) else "_"
        )  # elsewhere nothing is stated between the orders
        ax.plot(at, [bounds.promised for bounds in curve], line, color=INK, lw=1.6, ms=26, label="guaranteed")
        ax.set(xlabel="order alpha", ylabel="Rényi divergence (nats)", xlim=(0, 1.15 * max(at)))
        ax.set_ylim(0, 1.15 * max(bounds.promised for bounds in curve))
    else:
        grid = np.linspace(max(min(at) - room, 0.0), max(at) + room, _CURVE_POINTS)
        promise = [float(filt.promise.delta(float(epsilon))) for epsilon in grid]
        ax.plot(grid, promise, color=INK, lw=1.6, label="guaranteed")
        ax.set(xlabel="epsilon (nats)", ylabel="delta", yscale="log", xlim=(grid[0], grid[-1]))
        shown = [x for bounds in curve for x in (bounds.low, bounds.promised) if x > 0.01 * bounds.promised]
        ax.set_ylim(min(shown) / 3, min(3 * max(*shown, *promise), 1.5))
    _draw_bounds_and_simulations(ax, curve)
    ax.legend(fontsize=8.5, loc="best")


def _draw_bounds_and_simulations(ax: Axes, curve: tuple[CertifiedDivergenceBounds, ...]) -> None:
    look: dict[str, Any] = {"ms": 8, "mfc": "none", "mew": 1.5, "color": _GREEN, "ls": "none"}
    for place, bounds in enumerate(curve):
        first = "" if place else None
        at = bounds.measure.at
        if bounds.simulated is not None:
            ends = bounds.simulated.estimate.low, min(bounds.simulated.estimate.high, 1e300)
            bar: dict[str, Any] = {"ms": 13, "mew": 2, "lw": 5, "color": _BAR, "zorder": 1.5}
            ax.plot([at] * 2, ends, "_-", label=first if first is not None else "simulated", **bar)
        if bounds.high is not None:
            label = first if first is not None else "certified, at most"
            ax.plot([at], [bounds.high], marker="D", label=label, **look)
        broken = certainly_exceeds(bounds.low, bounds.promised)
        mark, colour = ("X", _RED) if broken else ("o", _BLUE)
        label = first if first is not None else "certified, at least"
        ax.plot([at], [bounds.low], mark, ms=5, color=colour, label=label)


def _draw_trade_off(ax: Axes, chapter: FilterChapter, curves: dict[str, AttackerCurve]) -> None:
    looks = {"guaranteed": (INK, "-", 1.6), "certified": (_GREEN, "--", 1.4)}
    for name, curve in curves.items():
        colour, dashes, width = looks[name]
        hits = [curve.hits(float(alarms)) for alarms in _FALSE_ALARM_RATES[::4]]
        ax.plot(_FALSE_ALARM_RATES[::4], hits, dashes, color=colour, lw=width, label=f"{name}, at most")
    ax.plot(_FALSE_ALARM_RATES, _FALSE_ALARM_RATES, ":", color=INK, lw=0.8, label="guessing")
    if (band := chapter.band) is not None:
        low, high = (
            np.maximum(1 - end, _MIN_RATE)
            for end in (band.high(_FALSE_ALARM_RATES), band.low(_FALSE_ALARM_RATES))
        )
        ax.fill_between(_FALSE_ALARM_RATES, low, high, color=_BAR, alpha=0.45, label="simulated")
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="false alarms",
        ylabel="hits",
        xlim=(_MIN_RATE, 1.0),
        ylim=(_MIN_RATE, 1.4),
    )
    for set_ticks in (ax.set_xticks, ax.set_yticks):
        set_ticks(_TICKS, list(map("{:g}".format, _TICKS)))
    ax.minorticks_off()
    ax.legend(fontsize=8.5, loc="lower right")
