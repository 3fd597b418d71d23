"""What each result says as HTML: an estimate never without its interval, a bound never without its evidence."""

from __future__ import annotations

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
from mc.intervals.anytime import Decision
from mc.intervals.estimate import Estimate
from mc.losses.composition import Bounds
from mc.training.training_audit import TrainingAudit
from mc.worst_case.calibrate import CalibratedFilter
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from mc.worst_case.result import NOTHING_ADMITTED, WorstCase
from reports.shown.formulas import mathml
from reports.shown.fragment import Fragment, some
from reports.shown.numbers import above, agreed_within, below, chance, exact_or, interval, near
from theory.agreement import Agreement
from theory.evidence import Evidence, Outcome, Verdict
from theory.proofs.proof import Proof

__all__ = ["fragment"]

_NO_EVIDENCE = "none: nothing bounds the error of the grids, so this decides nothing"
_UNDECIDED = "UNDECIDED: neither proved nor refuted. Finding nothing wrong proves nothing."


@singledispatch
def fragment(value: Any) -> Fragment:
    """A result in words and a table."""
    raise TypeError(f"value must be a result, got {type(value).__name__}; see its repr")


@fragment.register
def _estimate(value: Estimate) -> Fragment:
    words = (
        f"{near(value.value)} in {interval(value.low, value.high)}, which misses the true value with probability "
        f"at most {chance(value.failure)}"
    )
    lines = [
        ("estimate", near(value.value)),
        ("interval", interval(value.low, value.high)),
        ("failure probability", chance(value.failure)),
        ("paths", f"{value.n:,}"),
        ("method", value.method),
        ("rests on", value.rests_on),
    ]
    if value.beyond:
        lines.append(("paths beyond the bound", f"{value.beyond:,}"))
    return Fragment("Estimate", words, lines)


@fragment.register
def _training_audit(value: TrainingAudit) -> Fragment:
    one = value.reached
    told = f"{near(one.value)} in {interval(one.low, one.high)}"
    above_it = "ABOVE the promise" if value.refutes else "not above the promise, which proves nothing"
    lines = [
        ("reached", told),
        ("promised at most", above(value.promised)),
        ("promise", str(value.promise)),
        ("accused with the person", f"{near(value.hit.value)} in {interval(value.hit.low, value.hit.high)}"),
        (
            "accused without",
            f"{near(value.false_alarm.value)} in {interval(value.false_alarm.low, value.false_alarm.high)}",
        ),
        ("mu at least", below(value.mu_low)),
        ("failure probability", chance(one.failure)),
        ("trainings", f"{one.n:,}"),
    ]
    return Fragment("Audit of a training", f"delta {told} at epsilon {value.epsilon:g}: {above_it}", lines)


@fragment.register
def _curve(value: Curve) -> Fragment:
    lines, left = some([(f"{e:g}", *_estimated(one)) for e, one in value])
    words = f"delta at {_count(len(value.at), 'epsilon')}; {_together(value.failure)}"
    return Fragment("Curve", words, lines, ("epsilon", *_ESTIMATED), (*_rests(value.at), *left))


@fragment.register
def _filter_comparison(value: FilterComparison) -> Fragment:
    lines = [(one.name, _rounds(one), one.holds_for, one.code) for one in value.choices]
    words = (
        f"rounds of {value.mechanism} within ({value.epsilon:g}, {value.delta:g})-DP; a plan fixed in advance keeps it "
        f"with {value.fewest:,}, and breaks it with more than {value.most:,}"
    )
    return Fragment("Filters", words, lines, ("filter", "rounds", "sound for", "code"))


@fragment.register
def _filter_choice(value: FilterChoice) -> Fragment:
    lines = [
        ("filter", value.name),
        ("rounds", _rounds(value)),
        ("sound for", value.holds_for),
        ("code", value.code),
    ]
    return Fragment("Filter", f"{value.name} allows {_rounds(value)} rounds", lines)


def _rounds(value: FilterChoice) -> str:
    if value.low == value.high:
        return near(value.rounds)
    return f"{near(value.rounds)} in {interval(value.low, value.high)}"


@fragment.register
def _privacy_profile(value: PrivacyProfile) -> Fragment:
    lines, left = some(
        [
            (
                f"{row['epsilon']:g}",
                interval(_real(row["band_low"]), _real(row["band_high"])),
                *_estimated(one),
            )
            for row, one in zip(value.rows(), value.at, strict=True)
        ]
    )
    words = f"a band around delta at every epsilon; it fails anywhere with probability at most {chance(value.failure)}"
    names = ("epsilon", "band", *_ESTIMATED)
    return Fragment("Privacy profile", words, lines, names, (*_rests(value.at), *left))


@fragment.register
def _trade_off(value: TradeOff) -> Fragment:
    lines, left = some([(f"{row['alpha']:g}", _ends(row)) for row in value.rows()])
    words = (
        "a band around the least type II error at every type I error; it fails anywhere with probability at most "
        f"{chance(value.failure)}"
    )
    at = (*value.forward.at, *value.backward.at)
    return Fragment("Trade-off curve", words, lines, ("type I error", "type II error"), (*_rests(at), *left))


@fragment.register
def _survival_curve(value: SurvivalCurve) -> Fragment:
    lines, left = some([(str(t), *_estimated(one)) for t, one in enumerate(value.at, 1)])
    words = f"P(T >= t), T the number of outputs released; {_together(value.failure)}"
    return Fragment("Survival curve", words, lines, ("t", *_ESTIMATED), (*_rests(value.at), *left))


@fragment.register
def _worst_case(value: WorstCase) -> Fragment:
    (row,) = value.rows()
    told = exact_or(_text(row["value"]), value.low, value.high)
    lines = [
        ("worst case", told),
        ("epsilon", str(value.epsilon)),
        ("evidence", _evidence(value.evidence)),
        *_played(value),
    ]
    notes = () if value.tried else (f"{NOTHING_ADMITTED}: the bounds say nothing about it.",)
    return Fragment("Worst case", f"delta {told} at epsilon {value.epsilon}", lines, notes=notes)


@fragment.register
def _evaluation(value: Evaluation) -> Fragment:
    (row,) = value.rows()
    told = exact_or(_text(row["value"]), value.low, value.high)
    lines = [
        ("value", told),
        ("epsilon", str(value.epsilon)),
        ("evidence", _evidence(value.evidence)),
        *_played(value),
    ]
    return Fragment("Value of one strategy", f"delta {told} at epsilon {value.epsilon}", lines)


@fragment.register
def _numerical_evaluation(value: NumericalEvaluation) -> Fragment:
    apart = above(value.difference, 2)
    lines = [
        ("value on the finer grid", near(value.value)),
        ("difference of the two grids", apart),
        ("epsilon", str(value.epsilon)),
        ("evidence", _NO_EVIDENCE),
        *_played(value),
    ]
    words = f"delta near {near(value.value)} at epsilon {value.epsilon}, on two grids that differ by {apart}"
    return Fragment("Value of one strategy, numerical", words, lines)


@fragment.register
def _evaluations(value: Evaluations) -> Fragment:
    lines, left = some(
        [
            (
                str(one.epsilon),
                exact_or(_text(one.rows()[0]["value"]), one.low, one.high),
                one.evidence.name,
                one.direction,
            )
            if isinstance(one, Evaluation)
            else (
                str(one.epsilon),
                f"{near(one.value)}, two grids differ by {above(one.difference, 2)}",
                _NO_EVIDENCE,
                one.direction,
            )
            for one in value
        ]
    )
    scopes = dict.fromkeys(f"Scope: {one.scope}." for one in value)
    names = ("epsilon", "delta", "evidence", "direction")
    words = f"delta at {_count(len(value), 'epsilon')}"
    return Fragment("Value of one strategy", words, lines, names, (*scopes, *left))


@fragment.register
def _bounds(value: Bounds) -> Fragment:
    told = interval(value.low, value.high, 9)
    return Fragment("Bounds", told, [("bounds", told), ("evidence", _evidence(value.evidence))])


@fragment.register
def _attack(value: Attack) -> Fragment:
    (row,) = value.rows()
    lines = [
        ("filter", str(row["filter"])),
        ("epsilon", near(value.epsilon)),
        ("promised delta", near(value.promised)),
        ("value of the plan, exact", exact_or(_text(row["value"]), _real(row["low"]), _real(row["high"]))),
        ("of the promise", near(value.share, 4)),
        ("direction", value.direction),
        ("games solved", f"{value.games:,}"),
    ]
    if value.plan is not None:
        lines.append(("first request of the plan", str(value.plan.request)))
        lines.append(("the plan's longest play", _count(value.plan.rounds, "round")))
    notes = () if value.refuted else (_UNDECIDED,)
    return Fragment("Attack", _sentence(value.verdict), lines, notes=notes)


@fragment.register
def _decision(value: Decision) -> Fragment:
    wrong = chance(value.failure)
    lines = [
        ("decision", value.side.name),
        ("threshold", near(value.threshold)),
        ("failure probability", f"{wrong}, at any stopping time"),
        ("log e-value, the mean is above", near(value.log_e_above, 4)),
        ("log e-value, the mean is below", near(value.log_e_below, 4)),
        ("samples", f"{value.n:,}"),
        ("rests on", value.rests_on),
    ]
    words = f"{value.side.value} {near(value.threshold)}, wrong with probability at most {wrong}"
    return Fragment("Decision", words, lines)


@fragment.register
def _profile_decision(value: ProfileDecision) -> Fragment:
    lines = [
        (f"epsilon {near(epsilon)}", near(point.threshold), near(point.log_e_above, 4))
        for epsilon, point in zip(value.epsilons, value.at, strict=True)
    ]
    wrong = f"wrong with probability at most {chance(value.failure)}, at any stopping time"
    words = f"{value.side.name} the promised curve after {value.n:,} samples, {wrong}"
    names = ("at", "promised delta", "log e-value, H is above")
    return Fragment("Decision on a curve", words, lines, names, (f"Rests on {value.rests_on}.",))


@fragment.register
def _calibrated_threshold(value: CalibratedThreshold) -> Fragment:
    lines = [
        ("promise", f"({value.epsilon:g}, {value.delta:g})-DP"),
        ("threshold", repr(value.threshold)),
        ("published threshold", near(value.published)),
        (
            "mechanisms",
            f"pure DP up to {value.levels:,} x {value.step:g}, charged in steps of {value.step:g}",
        ),
        ("worst case", interval(value.low, value.high, 9)),
        ("evidence", f"{_evidence(value.evidence)}; recheck() solves it again"),
        ("longest play", _count(value.rounds, "round")),
        ("made by", value.made_by),
    ]
    words = f"sum of epsilon^2 / 2 up to {below(value.threshold)}"
    return Fragment("Calibrated threshold", words, lines)


@fragment.register
def _calibrated_filter(value: CalibratedFilter) -> Fragment:
    told = value.certificate
    lines = [
        ("promise", str(value.promise)),
        ("rule", str(value.inner)),
        ("threshold", repr(value.threshold)),
        ("worst case", f"{interval(told.low, told.high, 9)} at epsilon {told.epsilon}"),
        ("evidence", f"{_evidence(told.evidence)}; recheck() solves it again"),
        ("scope", value.scope),
        ("longest play", _count(told.rounds, "round")),
    ]
    return Fragment("Calibrated filter", str(value.promise), lines)


@fragment.register
def _verdict(value: Verdict) -> Fragment:
    lines = [("evidence", _evidence(value.evidence)), ("scope", value.scope)]
    if value.detail:
        lines.append(("detail", value.detail))
    lines += [("cited, not checked here", citation) for citation in value.citations]
    notes = (_UNDECIDED,) if value.outcome is Outcome.UNDECIDED else ()
    return Fragment(value.outcome.name, "", lines, notes=notes)


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
    return Fragment(
        value.outcome.name, agreed_within(value), told, ("number", "simulated", "other route", "meets"), notes
    )


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
        *(f"Cited, not checked here: {citation}." for citation in value.citations),
        value.joined,
    )
    formula = Markup("<p>{}</p>").format(theorem.claim) + mathml(theorem.claim_latex)
    names = ("step", "statement", "evidence", "checked")
    return Fragment(theorem.title, _sentence(value.verdict()), lines, names, notes, formula)


@fragment.register
def _certified_numbers(value: CertifiedNumbers) -> Fragment:
    lines, left = some(
        [
            (
                one.number.theorem,
                one.number.says,
                "no finite number" if one.number.value is None else f"{float(one.number.value):.17g}",
                one.found.name,
                one.evidence.name,
            )
            for one in sorted(value.numbers, key=lambda one: one.fits)
        ]
    )
    count = len(value.numbers)
    words = f"{count - len(value.refused)} of {_count(count, 'number')} fit their theorems"
    if value.refused:
        words += f"; REFUSED: {', '.join(dict.fromkeys(one.found.name for one in value.refused))}"
    notes = (
        *(f"Not covered: {note}." for note in value.uncovered),
        "Found by running the code at the points that are named; nothing is said of others.",
        *left,
    )
    names = ("theorem", "number", "value", "found", "evidence")
    return Fragment(f"Certified numbers of {value.subject}", words, lines, names, notes)


_ESTIMATED = ("estimate", "interval", "paths", "method")


def _estimated(one: Estimate) -> tuple[str, ...]:
    return near(one.value), interval(one.low, one.high), f"{one.n:,}", one.method


def _together(failure: float) -> str:
    return f"all intervals hold together, except with probability at most {chance(failure)}"


def _rests(at: tuple[Estimate, ...]) -> tuple[str, ...]:
    """What the intervals assume, each once, and how many paths passed a bound."""
    told = [f"Rests on {words}." for words in dict.fromkeys(one.rests_on for one in at)]
    if beyond := max((one.beyond for one in at), default=0):
        told.append(f"At some epsilon {beyond:,} paths passed the bound that was used.")
    return tuple(told)


def _played(value: Evaluation | NumericalEvaluation | WorstCase) -> list[tuple[str, str]]:
    return [
        ("scope", value.scope),
        ("direction", value.direction),
        ("longest play", _count(value.rounds, "round")),
        ("positions", f"{value.positions:,}"),
    ]


def _evidence(evidence: Evidence) -> str:
    return f"{evidence.name}: {evidence.value}"


def _sentence(verdict: Verdict) -> str:
    return str(verdict) + (f": {verdict.detail}" if verdict.detail else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + "s" * (number != 1)


def _ends(row: Any) -> str:
    return interval(_real(row["low"]), _real(row["high"]))


def _real(cell: Any) -> float:
    return float(cell)


def _text(cell: Any) -> str | None:
    return None if cell is None else str(cell)
