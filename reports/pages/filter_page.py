"""The page of one filter: rule, promise, theorem, worst case, attack, simulation, what is not covered, code to try."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup, escape
from matplotlib.ticker import LogFormatter

from filterproof.mc.examine.formatting import count_words, pair_words
from filterproof.mc.losses.log_ratio import Epsilon
from filterproof.reports.drawing import INK, PALETTE, new_figure
from filterproof.reports.finding import Picture
from filterproof.reports.html_repr.numbers import NOTHING, percent
from filterproof.reports.pages.attacker_figure import AttackerShown
from filterproof.reports.pages.overview import Row, between
from filterproof.reports.pages.page import Page, explaining
from filterproof.reports.template import mathml
from filterproof.theory.evidence import Outcome
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.decimals import above, below, chance, interval
from filterproof.theory.pairs import DominatingPair

_BLUE, _RED, _GREEN, _BAR = (PALETTE[place] for place in (0, 1, 2, 4))
#: The longest expression of a pair that is shown.
_LONG = 60


def filter_page(row: Row) -> Page:
    """The page of a row of the front page."""
    filt, subject = row.subject.make(), row.subject
    promise, attacker = filt.promise.formula, AttackerShown(row)
    return Page(
        key=subject.key,
        title=subject.name,
        badge=row.badge,
        line=f"promises {row.promise}",
        formulas=(
            ("It goes on while", mathml(subject.rule)),
            ("and promises", mathml(promise) if promise else Markup(escape(row.promise))),
        ),
        facts=(
            ("In words", subject.words),
            ("Verdict", _verdict(row)),
            ("Theorem", _theorem(row)),
            ("All mechanisms", _supremum(row)),
            ("An attacker gets", attacker.words),
            ("Worst case on this menu", _worst(row)),
            ("Best attack", _attack(row)),
            ("Simulated", simulated_words(row)),
        ),
        pictures=(
            profile_picture(row),
            attacker.picture(),
            *((explaining(subject.explained),) if subject.explained else ()),
        ),
        uncovered=_uncovered(row),
        code=_code(row),
        code_says="To solve and simulate the game again:",
    )


def _verdict(row: Row) -> str:
    if row.counterexample is not None:
        return f"{row.says} Found by {row.verdict.scope}."
    if row.verdict.outcome is Outcome.UNDECIDED:
        return f"{row.says} The promise is for {row.verdict.scope}."
    return f"{row.says} It covers {row.verdict.scope}."


def _theorem(row: Row) -> str:
    proof = row.subject.make().proof
    told = f"{proof[:1].upper()}{proof[1:]}."
    match row.verdict.outcome:
        case Outcome.HOLDS:
            joined = "; ".join(filter(None, (row.verdict.detail, row.verdict.joined_by)))
            return f"{told} What joins it to the code: {joined}."
        case Outcome.REFUTED:
            return told
    return f"{told} Nothing here joins it to the code that runs, so the promise stays undecided."


def _supremum(row: Row) -> str:
    one = row.played.supremum
    said = "; ".join(f"{times} x {_pair(pair)}" for pair, times in one.steps)
    if row.most is None:
        found = f"at least {below(one.low)}, by {said}" if said else "no extremal requests are known"
        return f"No theorem bounds them. At epsilon = {one.epsilon:.4g} {found}."
    estimate = row.played.extremal and row.played.extremal.estimate
    drawn = (
        f"; simulated: {estimate.value:.4g} in {interval(estimate.low, estimate.high, 4)}" if estimate else ""
    )
    return (
        f"At epsilon = {one.epsilon:.4g} the most that any adversary gets with mechanisms that the filter covers is "
        f"in {interval(one.low, one.high, 8)}, {between(row)} of the promised {one.promised:.4g}. "
        + (
            f"The lower end is reached by {said}, which its own code grants{drawn}."
            if said
            else "No extremal requests are known: the lower share is that of the best attack at this epsilon."
        )
    )


def _pair(pair: DominatingPair) -> str:
    """A pair as an expression, one of long fractions by its losses."""
    if pair.outputs is None or len(pair_words(pair)) <= _LONG:
        return pair_words(pair)
    losses = ", ".join(f"{loss:.4g} with probability {mass:.4g}" for loss, mass in pair.outputs)
    return f"{type(pair).__name__} that loses {losses}"


def _worst(row: Row) -> str:
    one = row.played.main
    rounds = count_words(one.rounds, "round")
    number = (
        "nothing at all is lost beyond epsilon"
        if one.high <= NOTHING * one.promised
        else f"{interval(one.low, one.high)}, {percent(one.share)} of the promised {one.promised:.4g}"
    )
    return f"{one.evidence.name} at epsilon = {one.epsilon:.4g}: {number}; {one.scope}; the longest play has {rounds}."


def _attack(row: Row) -> str:
    return (
        f"{percent(row.attack, below)} of the promised delta, by {row.attacked_on}; the largest lower bound that is "
        "known, at any epsilon."
    )


def simulated_words(row: Row) -> str:
    """What the simulation says beside the value that the game has."""
    game, one = row.played.main, row.played.at_main
    estimate = one.estimate
    inside = game.low <= estimate.high and game.high >= estimate.low
    agrees = (
        f"agrees with the solved game within {percent(row.played.off, above)}"
        if inside
        else "DOES NOT CONTAIN the value of the solved game"
    )
    return (
        f"The game's best strategy, {estimate.n:,} runs at epsilon = {one.epsilon:.4g}: {estimate.value:.4g} "
        f"in {interval(estimate.low, estimate.high, 4)} at confidence 1 - {chance(estimate.failure)}; {agrees}. "
        f"Rests on {estimate.rests_on}."
    )


def _uncovered(row: Row) -> str:
    """What neither the verdict nor the game says anything of."""
    seen = "The worst case and the simulation cover this page's menu alone."
    if row.examination is None:
        return f"{seen} Other menus, other epsilons, and adversaries that also choose the data."
    unseen = [f"{one.stage}: {one.unseen}" for one in row.examination.findings if one.unseen]
    return f"{seen} The examination did not look at, {'; '.join(unseen)}." if unseen else seen


def _code(row: Row) -> str:
    rounds = "" if row.subject.rounds is None else f", rounds={row.subject.rounds}"
    way = "" if row.subject.direction == "both" else f", direction={row.subject.direction!r}"
    lines = [
        "import filterproof as fp\n",
        row.subject.typed,
        f"worst = fp.worst_case(filt, menu, epsilon={_typed(row.subject.epsilon)}{rounds}{way})",
        "print(worst)",
        row.played.again,
        f"print(curve[{row.played.at_main.epsilon!r}])",
    ]
    if row.verdict.outcome is not Outcome.REFUTED:  # for which little effort may be too little
        lines.append("print(fp.verify(filt, effort=0.1))")
    return "\n".join(lines)


def _typed(epsilon: Epsilon) -> str:
    return f'fp.LogRatio(Fraction("{epsilon.ratio}"))' if isinstance(epsilon, LogRatio) else f"{epsilon:g}"


def profile_picture(row: Row) -> Picture:
    """Promise as a line, worst cases as diamonds, attacks of the examination as dots, simulations as bars."""
    played, filt = row.played, row.subject.make()
    seen = [one.epsilon for one in played.curve]
    room = 0.08 * (max(seen) - min(seen))
    left, right = max(min(seen) - room, 0.0), max(seen) + room
    grid = np.linspace(left, right, 300)
    promise = np.array([float(filt.promise.delta(float(epsilon))) for epsilon in grid])
    solved = [(one.epsilon, one.high) for one in played.curve if one.high > NOTHING * one.promised]
    deltas = [float(promise.min()), float(promise.max()), *(high for _, high in solved)]
    floor = min([x for x in deltas if x > 0], default=1e-12) / 3
    near = row.examination.tightness if row.examination is not None else ()
    dots = [
        (one.measure.at, one.attack)
        for one in near
        if one.measure.kind == "hockey-stick" and left <= one.measure.at <= right and one.attack > floor
    ]
    with new_figure(height=3.7) as figure:
        ax = figure.subplots()
        ax.plot(grid, promise, color=INK, lw=1.6, label="promised")
        look: dict[str, Any] = {"ms": 7, "mfc": "none", "mew": 1.5, "color": _GREEN}
        ax.plot(*np.reshape(solved, (-1, 2)).T, "D", label="worst case on this menu", **look)
        label = "its best strategy, simulated"
        for one in played.simulated:
            if one.estimate.high > NOTHING * one.promised:
                ends = max(one.estimate.low, floor), max(one.estimate.high, floor)
                bar: dict[str, Any] = {"ms": 13, "mew": 2, "lw": 5, "color": _BAR, "zorder": 1.5}
                ax.plot([one.epsilon] * 2, ends, "_-", label=label, **bar)
                label = ""
        colour = _RED if row.verdict.outcome is Outcome.REFUTED else _BLUE
        label = "found by the examination" if dots else ""
        ax.plot(*np.reshape(dots, (-1, 2)).T, "o", ms=4.5, color=colour, label=label)
        ax.set(yscale="log", xlim=(left, right), xlabel="epsilon (nats)", ylabel="delta")
        ax.set_ylim(floor, min(3 * max(deltas + [attack for _, attack in dots]), 1.5))
        # plain letters: superscripts would be half of the time of the page
        ax.yaxis.set_major_formatter(LogFormatter())
        ax.yaxis.set_minor_formatter(LogFormatter(labelOnlyBase=False))
        ax.legend(fontsize=9, loc="best")
    told = ", ".join(
        f"{one.share:.3g} at {one.epsilon:g}" for one in played.curve if one.high > NOTHING * one.promised
    )
    alt = f"{row.subject.name}: the worst case over the promised delta, by epsilon: {told}."
    return Picture(row.subject.key, _CAPTION, alt, figure)


_CAPTION = (
    "A diamond or dot above the line breaks the promise. The bars are the intervals of one strategy, the one that wins "
    "where the game is told, so that elsewhere they may lie below the diamonds."
)
