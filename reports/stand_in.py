"""A stand-in for `mc.examine.verify`, until that module is there: three short stages in the place of six.

To be deleted with the import of it in `reports.examined`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from filters.contract.checks import checked_admits, checked_start
from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import nameable
from mc.examine.attack import attack
from mc.examine.examination import Examination
from mc.examine.fault import FilterFault, examining
from mc.examine.finding import Finding, Tightness
from mc.examine.measure import Measure, exceeds, goals
from mc.examine.sequence import Sequence as Requests
from mc.examine.witness import Witness, named
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs import KOV, DominatingPair, Erasure, Gaussian, Laplace, RandomizedResponse

__all__ = ["examine"]

_MENUS: dict[str, tuple[DominatingPair, ...]] = {
    "gaussian": tuple(Gaussian(mu) for mu in (0.02, 0.1, 0.25, 1.0, 4.0)),
    "rr": tuple(RandomizedResponse(epsilon) for epsilon in (0.05, 0.25, 1.0, 4.0)),
    "laplace": (Laplace(1.0),),
    "kov": (KOV(1.0, 0.1),),
    "erasure": (Erasure(0.5),),
}
_MOST = 256


def examine(
    filt: PrivacyFilter,
    *,
    seconds: float = 60.0,
    mechanisms: Sequence[str] | None = None,
    seed: int = 20_210_825,
    on_stage: Callable[[str], None] = lambda _: None,
    first_only: bool = False,
) -> Examination:
    """Play constant sequences and small games; see `mc.examine.verify.examine` for what is meant."""
    names = tuple(_MENUS) if mechanisms is None else tuple(mechanisms)
    if unknown := [name for name in names if name not in _MENUS]:
        raise ValueError(
            f"mechanisms must be among {', '.join(_MENUS)}, got {unknown[0]!r}; leave it out, say"
        )
    began = time.perf_counter()
    findings: list[Finding] = []
    for stage, task in (("admission", _admission), ("sequences", _sequences), ("games", _games)):
        on_stage(stage)
        before = time.perf_counter()
        try:
            with examining(filt):
                found = list(task(filt, names))
        except FilterFault as fault:
            found = [Finding(stage, "Does the filter's code run?", "it raised", "", "", fault=str(fault))]
        took = time.perf_counter() - before
        findings += [_timed(one, took / len(found)) for one in found]
        if found and found[-1].fault:
            break
    return Examination(filt, names, tuple(findings), time.perf_counter() - began, seed, 1e-6)


def _timed(one: Finding, seconds: float) -> Finding:
    from dataclasses import replace

    return replace(one, seconds=seconds)


def _admitted(filt: PrivacyFilter, names: Sequence[str]) -> Iterator[tuple[str, DominatingPair]]:
    for name in names:
        for pair in _MENUS[name]:
            if checked_admits(filt, checked_start(filt, 1), pair, 1)[0]:
                yield name, pair


def _admission(filt: PrivacyFilter, names: Sequence[str]) -> Iterator[Finding]:
    granted = sorted({name for name, _ in _admitted(filt, names)})
    yield Finding(
        "admission",
        "Which mechanisms does it admit?",
        ", ".join(granted) or "nothing that was tried",
        ", ".join(names),
        "requests of other sizes",
    )


def _sequences(filt: PrivacyFilter, names: Sequence[str]) -> Iterator[Finding]:
    rows, best = [], None
    for _, pair in _admitted(filt, names):
        longest = max((n for k in range(9) if Requests(((pair, n := 2**k),)).admitted(filt)), default=0)
        if not longest:
            continue
        for measure in goals(filt.promise):
            played = Requests(((pair, longest),))
            low, promised = played.low(measure), measure.promised(filt.promise)
            rows.append(Tightness(measure, f"{longest} x {pair!r}", low, None, promised, Evidence.CERTIFIED))
            if exceeds(low, promised) and best is None:
                told = {"kind": measure.kind, "at": measure.at, "direction": measure.direction}
                best = Witness(
                    filt,
                    {
                        "filter": named(filt),
                        "measure": told,
                        "promised": promised,
                        "sequence": played.to_data(nameable()),
                        "low": low,
                    },
                )
    scope = "every adaptive adversary over the mechanisms that the filter admits"
    verdict = (
        Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope, "no sequence exceeds the promise")
        if best is None
        else Verdict(
            Outcome.REFUTED,
            Evidence.CERTIFIED,
            scope,
            f"a sequence reveals {best.data['low']:.6g} where {best.data['promised']:.6g} is promised",
            best.to_data(),
        )
    )
    yield Finding(
        "sequences",
        "Does a fixed sequence of requests reveal more than is promised?",
        verdict.detail,
        ", ".join(names),
        "sequences that mix mechanisms",
        verdict,
        best,
        tightness=tuple(rows),
    )


def _games(filt: PrivacyFilter, names: Sequence[str]) -> Iterator[Finding]:
    found = attack(filt, rounds=2)
    lost = Witness(filt, found.witness) if found.refuted and found.witness is not None else None
    yield Finding(
        "games",
        "Is a small game lost?",
        found.verdict.detail or "no",
        f"{found.games} games of two rounds",
        "longer games",
        found.verdict,
        lost,
    )
