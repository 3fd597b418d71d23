"""Every filter of the catalogue, examined through the door that a stranger's filter comes in by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from filterproof.filters.catalogue import CATALOGUE, Entry
from filterproof.mc.examine.examination import Examination
from filterproof.mc.examine.stage_schedule import examine
from filterproof.reports.finding import Claim, Finding, Table, Told, slug
from filterproof.reports.html_repr.numbers import percent
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome
from filterproof.theory.numerics.decimals import above, below

GATHERS = True

#: The effort for each filter, and for those that are known to be broken, whose examination a refutation ends.
_EFFORT, _TO_REFUTE = 0.01, 0.1
#: The effort for a filter whose decisions take a thousand times as long as another's, and for one that is refuted late.
_OWN_EFFORT = {"PotentialFilter": 0.0005, "RangedBlackwellFilter": 0.4}


def expected(entry: Entry) -> Outcome:
    """What an examination should say: HOLDS where a theorem is joined to the code, REFUTED for a counterexample."""
    if entry.sound is None:
        return Outcome.UNDECIDED
    return Outcome.HOLDS if entry.sound else Outcome.REFUTED


def _examined(seed: int, name: str) -> Examination:
    entry = CATALOGUE[name]
    effort = _OWN_EFFORT.get(name, _TO_REFUTE if entry.sound is False else _EFFORT)
    return examine(entry.example(), effort=effort, seed=seed)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    examinations = study.map(partial(_examined, study.seed), list(CATALOGUE), doing="examining every filter")
    found = dict(zip(CATALOGUE, examinations, strict=True))
    study.examinations.update(found)
    return Told(
        findings=tuple(
            Finding(claim, found[name].verdict, said=_said(found[name]))
            for claim, name in zip(claims, CATALOGUE, strict=True)
        ),
        tables=(
            Table.of(
                "Each filter of the catalogue, examined like any stranger's, with little effort.",
                (_row(found[name]) for name in CATALOGUE),
                align="llrlrrrw",
            ),
        ),
        notes=(
            "A closest attack is the best lower bound found on a menu or a sequence, and proves nothing where it stays "
            "within the promise. `filterproof verify FILE.py::MyFilter` does the same for a filter of yours.",
        ),
    )


def _said(found: Examination) -> str:
    if found.verdict.outcome is not Outcome.UNDECIDED or not found.tightness:
        return ""
    near = found.tightness[0]
    return f"nothing found above the promise; closest {percent(near.share)} of {near.measure}"


def _row(found: Examination) -> dict[str, str]:
    rows = found.tightness
    near = rows[0] if rows else None
    solved = [row.worst / row.promised for row in rows if row.worst is not None and row.promised > 0]
    verdict = found.verdict
    cited = ", cited" if verdict.evidence is Evidence.CITED else f", {verdict.evidence.name}"
    return {
        "Filter": found.name,
        "promise": str(found.promise),
        "effort": f"{found.effort:g}",
        "verdict": f"{verdict.outcome.name}{cited if verdict.outcome is not Outcome.UNDECIDED else ''}",
        "closest attack": "none was comparable" if near is None else f"{near.menu} at {near.measure}",
        "of the promise": "" if near is None else below(near.share, 4),
        "certified worst case there": above(max(solved), 4) if solved else "",
        "not tried": found.unseen if verdict.outcome is Outcome.UNDECIDED else "",
    }


CLAIMS = tuple(
    Claim(
        f"examined-{slug(name)}",
        f"{name} keeps its promise, {entry.example().promise}.",
        "examined as any filter is",
        expected(entry),
    )
    for name, entry in CATALOGUE.items()
)
