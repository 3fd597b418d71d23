"""The stage of source proofs: the code of a user's filter is traced, and an invariant proves the guarantee.

It is for filters whose own code decides; the library's own rules and combinations of its parts have theorems and
certificates of their own. What the proof fails at becomes a lead: requests that pass the budget in a play, which are
measured at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from filterproof.filters.adapters.labelled_filter import bridged_filter_of
from filterproof.filters.contract.library import is_library_class
from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stage_finding import StageFinding
from filterproof.mc.examine.stages.sequences import SequenceSearch
from filterproof.mc.prove.proof import prove
from filterproof.theory import pairs
from filterproof.theory.evidence import Outcome, Verdict

_QUESTION = "Does its source code keep the guarantee on every path?"
_NOT_TRIED = (
    "pairs that a caller declares wrongly, noise that is drawn in doubles, and the Python interpreter"
)

#: Units of work below which no proof is tried.
_MIN_UNITS = 100_000


def has_own_code(filt: PrivacyFilter) -> bool:
    """Whether Python code of the user decides."""
    return not is_library_class(type(filt)) and bridged_filter_of(filt) is None


def source_proof(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """The finding on the source code, and the refutation that a failing step led to, if there is one."""
    if limit.remaining < _MIN_UNITS:
        yield StageFinding("source", _QUESTION, "not tried: pass more effort, 0.05 or above", "", "")
        return
    try:
        proof = prove(subject.filter)
    except ImportError as missing:
        yield StageFinding("source", _QUESTION, f"not tried: {missing}", "", "")
        return
    verdict = None
    if proof.proved:
        verdict = Verdict(Outcome.HOLDS, proof.evidence, proof.scope, proof.sentence)
    elif proof.lead and not subject.observes_losses:
        # the requests by which the failing step suggests a refutation
        requests = groupby(getattr(pairs, family)(**parameters) for family, parameters in proof.lead)
        lead = RequestSequence(tuple((pair, len(list(times))) for pair, times in requests))
        finding = SequenceSearch(subject=subject).measure_sequence(lead, only_above=True)
        if finding is not None:
            yield replace(finding, stage="source")
    words = (_QUESTION, proof.sentence, "every mechanism, by what its pair declares", _NOT_TRIED)
    yield StageFinding(
        "source", *words, verdict, covers_all=verdict is not None, notes=proof.notes, rounding=proof.sums
    )
