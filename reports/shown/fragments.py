"""What each result says as HTML: an estimate never without its interval, a bound never without its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from filters.certified.certified_numbers import CertifiedNumbers
from mc.estimate.compare_filters import FilterChoice, FilterComparison
from mc.estimate.curve import Curve
from mc.estimate.decide import ProfileDecision
from mc.estimate.survival import SurvivalCurve
from mc.estimate.trade_off import TradeOff
from mc.evaluate.evaluation import Evaluation, Evaluations, NumericalEvaluation
from mc.examine.attack import Attack
from mc.examine.words import count_words, number_words
from mc.intervals.anytime import Decision
from mc.intervals.estimate import Estimate
from mc.losses.composition import Bounds
from mc.training.training_audit import TrainingAudit
from mc.worst_case.calibrate import CalibratedFilter
from mc.worst_case.calibrated import CalibratedThreshold
from mc.worst_case.result import NOTHING_ADMITTED, WorstCase
from reports.shown.cells import cells
from reports.shown.fragment import Fragment, of_rows, some
from reports.shown.numbers import agreed_within, exact_or
from reports.template import mathml
from theory.agreement import Agreement
from theory.evidence import Outcome, Verdict
from theory.numerics.decimals import above, below, chance, interval, near
from theory.proofs.proof import Proof

__all__ = ["FRAGMENTS", "fragment"]

_UNDECIDED = "UNDECIDED: neither proved nor refuted. Finding nothing wrong proves nothing."
_RECHECK = "recheck() solves it again."


def fragment(value: Any) -> Fragment:
    """A result in words and a table; TypeError for what is none."""
    for kind in type(value).__mro__:
        if kind in FRAGMENTS:
            return FRAGMENTS[kind](value)
    raise TypeError(f"value must be a result, got {type(value).__name__}; see its repr")


def _rows(
    title: str, words: Callable[[Any], str], notes: Callable[[Any], Iterable[str]] = lambda one: ()
) -> Callable[[Any], Fragment]:
    """What tells a result by its rows."""
    return lambda value: of_rows(title, words(value), value, *notes(value))


def _attack(value: Attack) -> Fragment:
    notes = () if value.refuted else (_UNDECIDED,)
    if value.plan is not None:
        first, longest = value.plan.request, count_words(value.plan.rounds, "round")
        notes = (f"The plan first asks for {first}; its longest play has {longest}.", *notes)
    told = of_rows("Attack", _sentence(value.verdict), value, *notes)
    promised = number_words(value.promised)  # as the sentence has it, to the nearest
    return replace(
        told, lines=[(name, promised if name == "promised" else cell) for name, cell in told.lines]
    )


def _verdict(value: Verdict) -> Fragment:
    notes = (_UNDECIDED,) if value.outcome is Outcome.UNDECIDED else ()
    cited = (f"Cited, not checked here: {citation}." for citation in value.citations)
    return of_rows(value.outcome.name, "", value, *cited, *notes)


def _agreement(value: Agreement) -> Fragment:
    lines = [
        (one.what, interval(one.low, one.high), interval(one.least, one.most), "yes" if one.meets else "NO")
        for one in value.compared
    ]
    told, left_out = some(lines)
    notes = (
        f"Compared: {value.scope}; some interval misses by chance with probability at most {chance(value.failure)}.",
        "Two routes to the same numbers: nothing is said of a promise.",
        *left_out,
    )
    names = ("number", "simulated", "other route", "meets")
    return Fragment(value.outcome.name, agreed_within(value), told, names, notes)


def _proof(value: Proof) -> Fragment:
    theorem = value.theorem
    lines = [
        (
            str(place),
            Markup("{}{}").format(step.statement, mathml(step.latex)),
            step.evidence.name if step.holds else f"REFUSED: {step.detail}",
            step.checked.word,
        )
        for place, step in enumerate(value.steps, 1)
    ]
    notes = (
        f"Source: {theorem.source}.",
        *(f"It uses {lemma.theorem.title}: {_sentence(lemma.verdict())}." for lemma in value.lemmas),
        value.joined,
    )
    formula = Markup("<p>{}</p>").format(theorem.claim) + mathml(theorem.claim_latex)
    names = ("step", "statement", "evidence", "checked")
    return Fragment(theorem.title, _sentence(value.verdict()), lines, names, notes, formula)


def _certified_numbers(value: CertifiedNumbers) -> Fragment:
    names = ("theorem", "number", "value", "found", "evidence")
    # those that are refused first, so that none of them is left out
    lines, left_out = some(
        (
            one.number.theorem,
            one.number.says,
            "no finite number" if one.number.value is None else f"{float(one.number.value):.17g}",
            one.found.name,
            one.evidence.name,
        )
        for one in sorted(value.numbers, key=lambda one: one.fits)
    )
    count, refused = len(value.numbers), dict.fromkeys(one.found.name for one in value.refused)
    words = f"{count - len(value.refused)} of {count_words(count, 'number')} fit their theorems"
    if refused:
        words += f"; REFUSED: {', '.join(refused)}"
    notes = (
        *(f"Not covered: {note}." for note in value.uncovered),
        "Found by running the code at the points that are named; nothing is said of others.",
        *left_out,
    )
    return Fragment(f"Certified numbers of {value.subject}", words, lines, names, notes)


def _together(failure: float) -> str:
    return f"all intervals hold together, except with probability at most {chance(failure)}"


def _anywhere(failure: float) -> str:
    return f"it fails anywhere with probability at most {chance(failure)}"


def _at_any_time(failure: float) -> str:
    return f"wrong with probability at most {chance(failure)}, at any stopping time"


def _delta(value: Evaluation | NumericalEvaluation | WorstCase) -> str:
    """The value at its epsilon, enclosed or on two grids."""
    if isinstance(value, NumericalEvaluation):
        told = f"near {near(value.value)}, on two grids that differ by {above(value.difference, 2)},"
    else:
        told = exact_or(None if value.value is None else str(value.value), value.low, value.high)
    return f"delta {told} at epsilon {value.epsilon}"


def _sentence(verdict: Verdict) -> str:
    return str(verdict) + (f": {verdict.detail}" if verdict.detail else "")


#: What makes a fragment of each kind of result: most are their rows, under a title and a sentence.
FRAGMENTS: Mapping[type, Callable[[Any], Fragment]] = {
    Estimate: _rows(
        "Estimate",
        lambda one: (
            f"{cells(one.rows()[0])['value']}, which misses the true value with probability at most "
            f"{chance(one.failure)}"
        ),
    ),
    TrainingAudit: _rows(
        "Audit of a training",
        lambda one: (
            f"delta {cells(one.rows()[0])['reached']} at epsilon {one.epsilon:g}: "
            f"{'ABOVE the promise' if one.refutes else 'not above the promise, which proves nothing'}"
        ),
    ),
    Curve: _rows(
        "Curve", lambda one: f"delta at {count_words(len(one.at), 'epsilon')}; {_together(one.failure)}"
    ),
    FilterComparison: _rows(
        "Filters",
        lambda one: (
            f"rounds of {one.mechanism} within ({one.epsilon:g}, {one.delta:g})-DP; a plan fixed in advance "
            f"keeps it with {one.fewest:,}, and breaks it with more than {one.most:,}"
        ),
    ),
    FilterChoice: _rows("Filter", lambda one: f"{one.name} allows {near(one.rounds)} rounds"),
    TradeOff: _rows(
        "Trade-off curve",
        lambda one: (
            f"a band around the least type II error at every type I error alpha; {_anywhere(one.failure)}"
        ),
        lambda one: (
            f"Rests on {words}."
            for words in dict.fromkeys(each.rests_on for each in (*one.forward.at, *one.backward.at))
        ),
    ),
    SurvivalCurve: _rows(
        "Survival curve", lambda one: f"P(T >= t), T the number of outputs released; {_together(one.failure)}"
    ),
    WorstCase: _rows(
        "Worst case",
        _delta,
        lambda one: () if one.tried else (f"{NOTHING_ADMITTED}: the bounds say nothing about it.",),
    ),
    Evaluation: _rows("Value of one strategy", _delta),
    NumericalEvaluation: _rows("Value of one strategy", _delta),
    Evaluations: _rows("Value of one strategy", lambda one: f"delta at {count_words(len(one), 'epsilon')}"),
    Bounds: _rows("Bounds", lambda one: interval(one.low, one.high, 9)),
    Attack: _attack,
    Decision: _rows(
        "Decision", lambda one: f"{one.side.value} {near(one.threshold)}, {_at_any_time(one.failure)}"
    ),
    ProfileDecision: _rows(
        "Decision on a curve",
        lambda one: (
            f"{one.side.name} the promised curve after {one.n:,} samples, {_at_any_time(one.failure)}"
        ),
        lambda one: (f"Rests on {one.rests_on}.",),
    ),
    CalibratedThreshold: _rows(
        "Calibrated threshold",
        lambda one: f"sum of epsilon^2 / 2 up to {below(one.threshold)}, charged in steps of {one.step:g}",
        lambda one: (_RECHECK,),
    ),
    CalibratedFilter: _rows("Calibrated filter", lambda one: str(one.promise), lambda one: (_RECHECK,)),
    Verdict: _verdict,
    Agreement: _agreement,
    Proof: _proof,
    CertifiedNumbers: _certified_numbers,
}
