"""The statements that a proof assistant's kernel accepted, each beside the paper's theorem, and what they leave out."""

from __future__ import annotations

from collections.abc import Sequence

from reports.finding import Claim, Finding, Table, Told
from reports.study import Study
from reports.words import declared, said
from theory.evidence import Evidence, Outcome, Verdict
from theory.kernel import accepted
from theory.kernel.claimed import FINITE, KERNEL
from theory.kernel.record import ALLOWED, Accepted

#: What a statement about finite trees and real numbers leaves open, and what stands in each gap.
GAPS = tuple(
    (between, said(known, {})) for between, known in declared("chapters", "chapter")["kernel"]["gaps"]
)


def _verdict(found: Sequence[Accepted], refused: Sequence[str]) -> Verdict:
    scope = f"every strategy over {FINITE}, or over those that a statement names, in exact real arithmetic"
    if refused:
        return Verdict(Outcome.UNDECIDED, Evidence.KERNEL, scope, "; ".join(dict.fromkeys(refused)))
    here = all(one.here for one in found)
    where = "on this machine" if here else "elsewhere; the record matches the sources"
    detail = f"Rocq {found[0].rocq} accepted {len(found)} statements {where}"
    return Verdict(Outcome.HOLDS, Evidence.KERNEL, scope, detail)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    found, refused = [], []
    for name in KERNEL:
        try:
            found.append(accepted(KERNEL[name]))
        except ValueError as reason:
            refused.append(str(reason))
    statements = Table(
        "Each statement in words and in Rocq. The sources hold the definitions that a statement speaks of.",
        ("Theorem", "in words", "in Rocq"),
        tuple(
            (
                KERNEL[one.name].source,
                " Not covered: ".join(filter(None, (KERNEL[one.name].words, KERNEL[one.name].beyond))),
                one.shown,
            )
            for one in found
        ),
        align="www",
    )
    gaps = Table(
        "What lies between a statement and a running filter.", ("between", "what is known"), GAPS, align="ww"
    )
    axioms = ", ".join(axiom.rpartition(".")[2] for axiom in sorted(ALLOWED))
    return Told(
        findings=(Finding(claims[0], _verdict(found, refused)),),
        tables=(gaps, statements),
        notes=(
            f"The axioms that a statement may rest on are those of the standard library's real numbers and of "
            f"classical logic, {axioms}; a statement certified by `interval` also uses the kernel's own integers. "
            "`make kernel` compiles the sources, has coqchk check the compiled files again, and writes the record "
            "and its digest. A forged record with a digest forged to fit it is believed until the kernel runs again, "
            "as continuous integration has it do.",
        ),
    )
