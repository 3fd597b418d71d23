"""The stage of tightness: the admitted play that comes nearest to the guarantee, and an upper end by a theorem.

The searches keep their near misses. This stage replays the nearest one and removes the requests that it does not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from filterproof.filters.contract.work import OutOfWork, WorkLimit, stopping_at
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import Counterexample, sequence_counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.sequence import Sequence, most_kept
from filterproof.mc.examine.stage_finding import StageFinding, Tightness
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import format_up

_QUESTION = "How much of the guarantee does an admitted play reach?"
#: The share of the nearest value that a play with fewer requests has to keep.
_ENOUGH = 0.99
#: The number of grants for which the upper end of a proof from source code, whose sums are rounded, is stated.
_GRANTS = 1000


def nearest_play(findings: Iterable[StageFinding]) -> Tightness | None:
    """Return the row with a certain play that comes nearest to its guarantee, the clearest of equal ones, or None."""
    rows = (row for one in findings for row in one.tightness)
    sure = [
        (-round(row.share, 4), row.play.order, row)
        for row in rows
        if row.play is not None and row.evidence is not Evidence.STATISTICAL and row.promised > 0
    ]
    return min(sure, key=lambda one: one[:2], default=(None, None, None))[2]


def tightness_stage(
    subject: ExaminationContext, findings: tuple[StageFinding, ...], limit: WorkLimit
) -> Iterator[StageFinding]:
    """Yield the play nearest to the guarantee, with few requests, and an upper bound by a theorem."""
    row = nearest_play(findings)
    if row is None or row.play is None:
        return
    play = row.play
    if play.kind == "sequence":
        if not play.played.is_granted(subject.filter):
            return  # a new run denies it
        play = _fewer_requests(subject.filter, play, limit)
    most, why = _upper_bound_and_reason(subject.filter, row.measure, findings)
    tightened = replace(row, attack=play.value, worst=most, evidence=play.evidence, play=play)
    detail = f"{tightened.reached} ({play.evidence.name})"
    detail += f"; no play exceeds {format_up(most)}, promised {row.promised:.6g}" if most is not None else ""
    yield StageFinding(
        "tightness", _QUESTION, f"{detail}; {why}", play.description, "", tightness=(tightened,)
    )


def _fewer_requests(filt: PrivacyFilter, play: Counterexample, limit: WorkLimit) -> Counterexample:
    """Return the play without the requests that it does not need for nearly its value."""
    kept = play

    def is_near(played: Sequence) -> bool:
        nonlocal kept
        if not played.steps:
            return False
        low = played.low(play.measure, play.promised)
        if low < _ENOUGH * play.value or not played.is_granted(filt):
            return False
        kept = sequence_counterexample(filt, played, play.measure, low)
        return True

    with suppress(OutOfWork), stopping_at(limit):
        play.played.minimise(is_near, limit)
    return kept


def _upper_bound_and_reason(
    filt: PrivacyFilter, measure: Divergence, findings: tuple[StageFinding, ...]
) -> tuple[float | None, str]:
    """Return an upper bound on the divergence of every play, and what it rests on; None without a theorem."""
    proved = next((one for one in findings if one.covers_all and one.verdict is not None), None)
    if proved is None:
        return None, "no theorem bounds it from above"
    if proved.rounding:
        from filterproof.mc.prove.induction import (
            guarantees_after_grants,  # which imports the certified budgets
        )

        most = max(map(measure.promised, guarantees_after_grants(proved.rounding, _GRANTS)))
        return most, f"by the proof from its source code, for up to {_GRANTS:,} grants"
    promised = measure.promised(filt.promise)
    if measure.kind == "hockey-stick":
        promised = most_kept(filt.extremal(measure.at), promised)
    return promised, "by the theorem that covers its code"
