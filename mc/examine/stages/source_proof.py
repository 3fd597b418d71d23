"""The stage of source proofs: the code of a user's filter is traced, and an invariant proves the guarantee.

It is for filters whose own code decides; the library's own rules and combinations of its parts have theorems and
certificates of their own. An accountant relies on the proof of its filter. What a proof fails at becomes a lead:
requests that pass the budget in a play, which are measured at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from filterproof.filters.accountants.verifiable import VerifiableAccountant, is_verifiable
from filterproof.filters.adapters.labelled_filter import bridged_filter_of
from filterproof.filters.contract.library import is_library_class
from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stage_finding import StageFinding
from filterproof.mc.examine.stages.certificate import verdict_by_theorems
from filterproof.mc.examine.stages.sequences import SequenceSearch
from filterproof.mc.prove.source_proof import SourceProof, prove
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


def filters_with_own_code(accountant: VerifiableAccountant) -> list[PrivacyFilter]:
    """Return the filters that an accountant relies on and that Python code of the user decides."""
    inner = accountant.underlying_filters
    return [
        filt
        for each in inner
        for filt in (filters_with_own_code(each) if is_verifiable(each) else [each])
        if has_own_code(filt)
    ]


def source_proof(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """The finding on the source code, and the refutation that a failing step led to, if there is one."""
    proofs = _proofs_or_reason([subject.filter], limit)
    if isinstance(proofs, str):
        yield StageFinding("source", _QUESTION, proofs, "", "")
        return
    (proof,) = proofs
    verdict = _verdict_of(proof)
    if verdict is None and proof.lead and not subject.observes_losses:
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


def accountant_source_proof(accountant: VerifiableAccountant, limit: WorkLimit) -> Iterator[StageFinding]:
    """The finding on an accountant whose filter is the user's code: the proof of the code, and theorems on the rest."""
    question = "Does the source code of its filter keep the guarantee on every path?"
    filters = filters_with_own_code(accountant)
    proofs = _proofs_or_reason(filters, limit)
    if isinstance(proofs, str):
        yield StageFinding("source", question, proofs, "", "")
        return
    proof_by_filter = dict(zip(map(id, filters), proofs, strict=True))

    def verdict_on(inner: Any) -> Verdict | None:
        proof = proof_by_filter.get(id(inner))
        return verdict_by_theorems(inner, verdict_on) if proof is None else _verdict_of(proof)

    mixes_people = any(proof.mixes_runs for proof in proofs)
    verdict = None if mixes_people else verdict_by_theorems(accountant, verdict_on)
    holds = verdict is not None and verdict.outcome is Outcome.HOLDS
    sentences = "; ".join(proof.sentence for proof in proofs)
    if mixes_people:
        sentences += (
            "; but it uses any or all over all people, so that one person's data may decide on others"
        )
    yield StageFinding(
        "source",
        question,
        f"{sentences}; {verdict.detail}" if holds and verdict is not None else sentences,
        "everything that its theorem covers",
        _NOT_TRIED,
        verdict if holds else None,
        covers_all=holds,
        notes=tuple(note for proof in proofs for note in proof.notes),
        rounding=tuple(bound for proof in proofs for bound in proof.sums),
    )


def _proofs_or_reason(filters: list[PrivacyFilter], limit: WorkLimit) -> list[SourceProof] | str:
    """Return the proofs of these filters, or why none was tried."""
    if limit.remaining < _MIN_UNITS:
        return "not tried: pass more effort, 0.05 or above"
    try:
        return [prove(filt) for filt in filters]
    except ImportError as missing:
        return f"not tried: {missing}"


def _verdict_of(proof: SourceProof) -> Verdict | None:
    """Return the verdict of a proof, None if it failed."""
    return Verdict(Outcome.HOLDS, proof.evidence, proof.scope, proof.sentence) if proof.proved else None
