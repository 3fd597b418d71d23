"""What each result says as HTML: an estimate never without its interval, a bound never without its evidence."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

from markupsafe import Markup

from filters.certified.certified_numbers import CertifiedNumbers
from mc.estimate.compare_filters import FilterChoice, FilterComparison
from mc.estimate.decide_profile import ProfileDecision
from mc.estimate.privacy_profile import PrivacyProfile
from mc.estimate.simulate import Curve
from mc.estimate.survival import SurvivalCurve
from mc.estimate.trade_off import TradeOff
from mc.evaluate.evaluation import Evaluation, Evaluations, NumericalEvaluation
from mc.examine.attack import Attack
from mc.examine.words import number_words
from mc.intervals.anytime import Decision
from mc.intervals.estimate import Estimate
from mc.losses.composition import Bounds
from mc.training.training_audit import TrainingAudit
from mc.worst_case.calibrate import CalibratedFilter
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from mc.worst_case.result import NOTHING_ADMITTED, WorstCase
from reports.shown.cells import cells
from reports.shown.formulas import mathml
from reports.shown.fragment import Fragment, of_rows, some
from reports.shown.numbers import above, agreed_within, below, chance, exact_or, interval, near
from theory.agreement import Agreement
from theory.evidence import Outcome, Verdict
from theory.proofs.proof import Proof

__all__ = ["fragment"]

_UNDECIDED = "UNDECIDED: neither proved nor refuted. Finding nothing wrong proves nothing."
_RECHECK = "recheck() solves it again."


@singledispatch
def fragment(value: Any) -> Fragment:
    """A result in words and a table."""
    raise TypeError(f"value must be a result, got {type(value).__name__}; see its repr")


@fragment.register
def _estimate(value: Estimate) -> Fragment:
    missed = f"misses the true value with probability at most {chance(value.failure)}"
    return of_rows("Estimate", f"{cells(value.rows()[0])['value']}, which {missed}", value)


@fragment.register
def _training_audit(value: TrainingAudit) -> Fragment:
    reached = cells(value.rows()[0])["reached"]
    above_it = "ABOVE the promise" if value.refutes else "not above the promise, which proves nothing"
    return of_rows("Audit of a training", f"delta {reached} at epsilon {value.epsilon:g}: {above_it}", value)


@fragment.register
def _curve(value: Curve) -> Fragment:
    words = f"delta at {_count(len(value.at), 'epsilon')}; {_together(value.failure)}"
    return of_rows("Curve", words, value)


@fragment.register
def _filter_comparison(value: FilterComparison) -> Fragment:
    words = (
        f"rounds of {value.mechanism} within ({value.epsilon:g}, {value.delta:g})-DP; a plan fixed in advance keeps it "
        f"with {value.fewest:,}, and breaks it with more than {value.most:,}"
    )
    return of_rows("Filters", words, value)


@fragment.register
def _filter_choice(value: FilterChoice) -> Fragment:
    return of_rows("Filter", f"{value.name} allows {near(value.rounds)} rounds", value)


@fragment.register
def _privacy_profile(value: PrivacyProfile) -> Fragment:
    words = f"a band around delta at every epsilon; it fails anywhere with probability at most {chance(value.failure)}"
    return of_rows("Privacy profile", words, value)


@fragment.register
def _trade_off(value: TradeOff) -> Fragment:
    words = (
        "a band around the least type II error at every type I error alpha; it fails anywhere with probability at most "
        f"{chance(value.failure)}"
    )
    rests = dict.fromkeys(one.rests_on for one in (*value.forward.at, *value.backward.at))
    return of_rows("Trade-off curve", words, value, *(f"Rests on {words}." for words in rests))


@fragment.register
def _survival_curve(value: SurvivalCurve) -> Fragment:
    words = f"P(T >= t), T the number of outputs released; {_together(value.failure)}"
    return of_rows("Survival curve", words, value)


@fragment.register
def _worst_case(value: WorstCase) -> Fragment:
    notes = () if value.tried else (f"{NOTHING_ADMITTED}: the bounds say nothing about it.",)
    return of_rows("Worst case", _delta(value), value, *notes)


@fragment.register(Evaluation)
@fragment.register(NumericalEvaluation)
def _evaluation(value: Evaluation | NumericalEvaluation) -> Fragment:
    return of_rows("Value of one strategy", _delta(value), value)


@fragment.register
def _evaluations(value: Evaluations) -> Fragment:
    return of_rows("Value of one strategy", f"delta at {_count(len(value), 'epsilon')}", value)


@fragment.register
def _bounds(value: Bounds) -> Fragment:
    return of_rows("Bounds", interval(value.low, value.high, 9), value)


@fragment.register
def _attack(value: Attack) -> Fragment:
    notes = () if value.refuted else (_UNDECIDED,)
    if value.plan is not None:
        first, longest = value.plan.request, _count(value.plan.rounds, "round")
        notes = (f"The plan first asks for {first}; its longest play has {longest}.", *notes)
    told = of_rows("Attack", _sentence(value.verdict), value, *notes)
    promised = number_words(value.promised)  # as the sentence has it, to the nearest
    return replace(
        told, lines=[(name, promised if name == "promised" else cell) for name, cell in told.lines]
    )


@fragment.register
def _decision(value: Decision) -> Fragment:
    words = f"{value.side.value} {near(value.threshold)}, {_at_any_time(value.failure)}"
    return of_rows("Decision", words, value)


@fragment.register
def _profile_decision(value: ProfileDecision) -> Fragment:
    words = f"{value.side.name} the promised curve after {value.n:,} samples, {_at_any_time(value.failure)}"
    return of_rows("Decision on a curve", words, value, f"Rests on {value.rests_on}.")


@fragment.register
def _calibrated_threshold(value: CalibratedThreshold) -> Fragment:
    words = f"sum of epsilon^2 / 2 up to {below(value.threshold)}, charged in steps of {value.step:g}"
    return of_rows("Calibrated threshold", words, value, _RECHECK)


@fragment.register
def _calibrated_filter(value: CalibratedFilter) -> Fragment:
    return of_rows("Calibrated filter", str(value.promise), value, _RECHECK)


@fragment.register
def _verdict(value: Verdict) -> Fragment:
    notes = (_UNDECIDED,) if value.outcome is Outcome.UNDECIDED else ()
    cited = (f"Cited, not checked here: {citation}." for citation in value.citations)
    return of_rows(value.outcome.name, "", value, *cited, *notes)


@fragment.register
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


@fragment.register
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


@fragment.register
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
    words = f"{count - len(value.refused)} of {_count(count, 'number')} fit their theorems"
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


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + "s" * (number != 1)
