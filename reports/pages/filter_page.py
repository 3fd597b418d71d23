"""The page of one filter: rule, guarantee, theorem, bounds, counterexample, code to try, and what is not covered."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup, escape

from filterproof.mc.examine.formatting import count_words, format_distinct, pair_words
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.reports.chapters.filter_chapter import CertifiedDivergenceBounds, FilterChapter
from filterproof.reports.chapters.simulated_divergences import SimulatedDivergence
from filterproof.reports.html_repr.numbers import format_share
from filterproof.reports.pages.page import Page, PageTable, VerdictBadge
from filterproof.reports.pages.profile_figure import (
    SHOWN_RATE,
    membership_test_bounds,
    profile_and_membership_test_pictures,
)
from filterproof.reports.template import formula_mathml
from filterproof.theory.attacker import AttackerCurve
from filterproof.theory.evidence import Outcome
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.decimals import format_down, format_failure, format_up, interval
from filterproof.theory.pairs import DominatingPair

#: The longest expression of a pair, and the most rounds of a counterexample, that are shown.
_LONG, _MAX_TURNS = 60, 8


def filter_page(chapter: FilterChapter) -> Page:
    """The page of a filter, from its chapter."""
    subject, filt = chapter.subject, chapter.subject.make()
    promise, curves = filt.promise.formula, membership_test_bounds(chapter)
    return Page(
        key=subject.key,
        title=subject.name,
        badge=VerdictBadge.of(chapter.verdict),
        line=str(filt.promise),
        formulas=(
            ("It grants while", formula_mathml(subject.rule)),
            ("It guarantees", formula_mathml(promise) if promise else Markup(escape(str(filt.promise)))),
        ),
        facts=tuple(
            (label, words)
            for label, words in (
                ("In words", subject.words),
                ("Verdict", _verdict_text(chapter)),
                ("Theorem", _theorem_text(chapter)),
                ("Worst case", _worst_case_text(chapter)),
                ("Simulated", simulated_words(chapter.main.simulated)),
                ("A test for membership", _membership_test_text(curves)),
            )
            if words
        ),
        pictures=profile_and_membership_test_pictures(chapter, curves),
        uncovered=_uncovered_text(chapter),
        code=_page_code(chapter),
        table=_counterexample_table(chapter),
    )


def _verdict_text(chapter: FilterChapter) -> str:
    verdict = chapter.verdict
    match verdict.outcome:
        case Outcome.HOLDS:
            cited = f" {verdict.citation_phrase}." if verdict.citation_phrase else ""
            return f"The guarantee holds, {verdict.evidence.name}, for {verdict.scope}.{cited}"
        case Outcome.REFUTED:
            return f"The guarantee is false, {verdict.evidence.name}: {shortened_sentence(verdict.detail)}."
    return f"No violation found. This is not a proof. The guarantee is for {verdict.scope}."


def _theorem_text(chapter: FilterChapter) -> str:
    proof = chapter.subject.make().proof
    words = f"{proof[:1].upper()}{proof[1:]}."
    if chapter.verdict.outcome is Outcome.HOLDS:
        return f"{words} It covers the code: {chapter.verdict.detail}."
    return words


def shortened_sentence(words: str, most: int = 420) -> str:
    """A sentence, cut where it is longer than a paragraph."""
    return words if len(words) <= most else f"{words[:most].rsplit(' ', 1)[0]} …"


def epsilon_or_order_text(comparison: CertifiedDivergenceBounds | SimulatedDivergence) -> str:
    """Return the epsilon, or the Rényi order, at which a divergence is compared."""
    name = "order" if comparison.measure.kind == "renyi" else "epsilon"
    return f"{name} {comparison.measure.at:.4g}"


def _worst_case_text(chapter: FilterChapter) -> str:
    bounds, game = chapter.main, chapter.game
    low, high = bounds.shares
    reached = f"by {_requests_text(bounds)}" if bounds.steps else "by the best strategy on the menu below"
    least = format_share(low, format_down)
    words = f"At {epsilon_or_order_text(bounds)}, at least {least} of what is guaranteed, {reached}"
    if high is not None:
        words += f"; at most {format_share(high, format_up)}, whatever the mechanisms"
    menu = ""
    if bounds.steps:
        number = format_share(game.high / game.promised, format_up)
        menu = (
            f" On the menu below, at epsilon {game.epsilon:.4g}, at most {number} in at most "
            f"{count_words(game.rounds, 'round')} ({game.evidence.name})."
        )
    return f"{words} (CERTIFIED).{menu}"


def _requests_text(bounds: CertifiedDivergenceBounds) -> str:
    """Return the requests that reach the lower bound, such as 3 x Gaussian(0.5)."""
    return ", then ".join(f"{times} x {_pair_expression(pair)}" for pair, times in bounds.steps)


def _pair_expression(pair: DominatingPair) -> str:
    """A pair as an expression, one of long fractions by its losses."""
    if pair.outputs is None or len(pair_words(pair)) <= _LONG:
        return pair_words(pair)
    losses = ", ".join(f"{loss:.4g} with probability {mass:.4g}" for loss, mass in pair.outputs)
    return f"a mechanism that loses {losses}"


def simulated_words(comparison: SimulatedDivergence | None) -> str:
    """The simulation beside the enclosure of the same number; '' where nothing was simulated."""
    if comparison is None:
        return ""
    estimate = comparison.estimate
    agrees = "It meets" if comparison.beside_bounds(estimate).meets else "It DOES NOT MEET"
    low = format_share(estimate.low / comparison.promised, format_down)
    high = format_share(estimate.high / comparison.promised, format_up)
    return (
        f"{comparison.adversary.capitalize()}: {low} to {high} of what is guaranteed in {estimate.n:,} runs, "
        f"confidence 1 - {format_failure(estimate.failure)}. {agrees} the certified "
        f"{interval(comparison.low, comparison.high, 5)}."
    )


def _membership_test_text(curves: Mapping[str, AttackerCurve]) -> str:
    """Return the largest true-positive rate of a membership test at one false alarm in a thousand."""
    hits_text = ", ".join(
        f"{format_share(curve.hits(SHOWN_RATE), format_up)} ({name})" for name, curve in curves.items()
    )
    return f"At one false alarm in a thousand it hits at most {hits_text}."


def _uncovered_text(chapter: FilterChapter) -> str:
    """What neither the verdict nor the simulations say anything of."""
    uncovered_parts = ["simulations of other adversaries"]
    if chapter.verdict.outcome is not Outcome.HOLDS and chapter.uncovered:
        uncovered_parts.append(chapter.uncovered)
    if chapter.comparisons.left_out:
        uncovered_parts.append(f"{', '.join(chapter.comparisons.left_out)}, which nothing bounds closely")
    return f"{'; '.join(uncovered_parts)}."


def _counterexample_table(chapter: FilterChapter) -> PageTable | None:
    """Return the table of a counterexample's rounds; None if there is none."""
    if not chapter.turns:
        return None
    rows = tuple(
        (
            row.rounds,
            f"{row.when + ': ' if row.when else ''}{shortened_sentence(row.request, 90)}: {row.answer}",
            *format_distinct(row.reached, row.promised),
        )
        for row in chapter.turns[:_MAX_TURNS]
    )
    why = " ".join(f"{reason[:1].upper()}{reason[1:]}." for reason in chapter.why[:2])
    heads = ("Round", "Request and answer", "Revealed so far", "Guaranteed")
    return PageTable("Smallest counterexample", heads, rows, why)


def _page_code(chapter: FilterChapter) -> str:
    """Return Python code that repeats the page's worst case, simulation and verdict."""
    subject = chapter.subject
    rounds = "" if subject.rounds is None else f", rounds={subject.rounds}"
    way = "" if subject.direction == "both" else f", direction={subject.direction!r}"
    lines = [
        "import filterproof as fp\n",
        subject.typed,
        f"worst = fp.worst_case(filt, menu, epsilon={_epsilon_code(subject.epsilon)}{rounds}{way})",
        "print(worst)",
        f"print(fp.simulate(filt, worst.strategy, epsilon={chapter.game.epsilon!r}, n=100_000,",
        f"    rounds={subject.rounds or chapter.game.rounds}, direction=worst.direction, seed=1))",
    ]
    if chapter.verdict.outcome is not Outcome.REFUTED:  # for which little effort may be too little
        lines.append("print(fp.verify(filt, effort=0.1).verdict)")
    return "\n".join(lines)


def _epsilon_code(epsilon: Epsilon) -> str:
    """Return an epsilon as Python code."""
    return f'fp.LogRatio(Fraction("{epsilon.ratio}"))' if isinstance(epsilon, LogRatio) else f"{epsilon:g}"
