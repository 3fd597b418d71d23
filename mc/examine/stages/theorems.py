"""The stage of theorems: on the parts that a filter is made of, and on proven filters that it is never looser than."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from filters.privacy_filter import PrivacyFilter
from mc.examine.clock import Clock, OutOfTime
from mc.examine.stage_finding import StageFinding
from mc.examine.stages.never_looser import dominated
from mc.examine.stages.parts import parts
from mc.examine.subject import Admission, Subject
from mc.examine.worker import within
from theory.evidence import Outcome, Verdict
from theory.pairs import DominatingPair
from theory.proofs.proof import Proof

__all__ = ["of_parts", "on_a_menu"]

#: Pairs of each family on the menu on which filters are compared, and their number in all.
_EACH, _MOST = 2, 6


def of_parts(filt: PrivacyFilter, *, done: dict[str, Proof] | None = None) -> StageFinding:
    """The finding on the filter's parts; proofs are run, which takes seconds once, and no code but the library's.

    `done` keeps proofs from call to call.
    """
    verdict = parts(filt, done=done)
    whole = verdict is not None and verdict.outcome is Outcome.HOLDS
    return StageFinding(
        "parts",
        "Do theorems on the parts that it is made of cover it, at the very doubles that it compares?",
        "it is not made of library parts" if verdict is None else verdict.detail,
        "every mechanism that it admits, by what its pair declares",
        "what pairs declare, and the interpreter below",
        verdict if whole else None,
        whole=whole,
        notes=() if verdict is None or whole else (verdict.detail,),
    )


def on_a_menu(
    subject: Subject, clock: Clock, *, done: dict[str, Proof] | None = None
) -> Iterator[StageFinding]:
    """A finding where the filter is never looser than a proven one, in any state that some small menu leads to.

    `done` keeps proofs from call to call.
    """
    done = {} if done is None else done
    for menu in () if subject.looks else _menus(subject.lines):
        try:
            verdict, proofs = within(
                clock.part(0.5), subject.filter, partial(_dominated, subject.filter, menu, done)
            )
            done.update(proofs)
        except OutOfTime:
            if clock.over:
                return
            continue
        if verdict is not None:
            yield StageFinding(
                "parts",
                "Is it never looser than a proven filter with the same promise, in any state that a menu leads to?",
                verdict.detail,
                ", ".join(map(repr, menu)),
                "requests that are not on this menu",
                verdict,
            )
            return


def _dominated(
    filt: PrivacyFilter, menu: tuple[DominatingPair, ...], done: dict[str, Proof]
) -> tuple[Verdict | None, dict[str, Proof]]:
    return dominated(filt, menu, done=done), done


def _menus(lines: tuple[Admission, ...]) -> Iterator[tuple[DominatingPair, ...]]:
    """A menu of several families, then of one."""
    pairs: list[DominatingPair] = []
    for line in lines:
        if line.line.family in ("gaussian", "rr", "laplace", "own") and len(line.pairs) > 3:
            pairs += [line.pairs[-1 - len(line.pairs) // 6], line.pairs[-1 - len(line.pairs) // 4]][:_EACH]
    if pairs:
        yield tuple(dict.fromkeys(pairs[:_MOST]))
        yield tuple(dict.fromkeys(pairs[:_EACH]))
