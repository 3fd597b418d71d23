"""The stage of a declaration: a filter says `within = fp.ZCDPFilter(0.5)`, that it admits no more than that one.

It is proved on menus, in every state that these lead to; elsewhere it is tested, and the finding says which.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain

import numpy as np

from filters.contract.checks import checked_observe, checked_start
from filters.privacy_filter import PrivacyFilter, is_filter
from mc.examine.clock import Clock
from mc.examine.sequence import granted
from mc.examine.stage_finding import StageFinding
from mc.examine.stages.never_looser import never_looser
from mc.examine.stages.plays import leaders
from mc.examine.subject import Subject
from mc.examine.words import pair_words
from mc.examine.worker import so_far
from theory.evidence import Outcome, Verdict
from theory.pairs import DominatingPair

__all__ = ["declared"]

_ASKED = "Does it admit no more than the filter that it declares to be within?"
#: Plays of random requests that are put to both, the most requests of one, and denials that end it.
_PLAYS, _LONGEST, _DENIED = 400, 60, 12
#: The most pairs of states that are visited.
_STATES = 3_000


def declared(subject: Subject, clock: Clock, theorem: Verdict | None) -> Iterator[StageFinding]:
    """One finding on what the filter declares as `within`, joined to its promise by a theorem; none without it."""
    outer = getattr(subject.filter, "within", None)
    if outer is None:
        return
    if not is_filter(outer) or outer.looks_at_losses:
        told = f"within must be a filter that looks at no losses, such as fp.ZCDPFilter(0.5), got {outer!r}"
        yield StageFinding("parts", _ASKED, told, "", "", notes=(told,))
        return
    loose, requests = _looser(subject, outer, clock.part(0.3))
    if loose:
        yield StageFinding("parts", _ASKED, loose, repr(outer), "", notes=(f"within is not true: {loose}",))
        return
    proved: list[str] = []
    finding_of = partial(_finding, subject, outer, theorem, proved, requests)
    so_far(finding_of)
    for menu in (menus := _menus(subject)):
        if not clock.over and never_looser(subject.filter, outer, menu, max_states=_STATES):
            if menu == menus[-1]:  # it holds all others
                proved.clear()
            proved.append(", ".join(map(pair_words, menu)))
    yield finding_of()


def _finding(
    subject: Subject,
    outer: PrivacyFilter,
    theorem: Verdict | None,
    proved: list[str],
    requests: int,
) -> StageFinding:
    """What was proved, what was only tested, and by which theorem that keeps the promise."""
    name, verdict = type(subject.filter).__name__, None
    menus = "; or ".join(proved)
    how = f"proved in every state that these lead to: {menus}" if proved else "proved on no menu"
    tested = f"elsewhere tested, with {requests:,} requests that both granted"
    if theorem is not None and proved:
        one = f"one of the menus {menus}" if len(proved) > 1 else f"the menu {menus}"
        scope = f"every adaptive adversary, in a session, over {one}, charged by what these pairs declare"
        detail = f"{name} is never looser than {outer!r} there, and {theorem.detail}"
        verdict = Verdict(Outcome.HOLDS, theorem.evidence, scope, detail, citations=theorem.citations)
    joins = "" if theorem is not None else f"; no theorem here joins {outer!r} to {subject.filter.promise}"
    found = f"never looser than {outer!r}, {how}; {tested}{joins}"
    return StageFinding("parts", _ASKED, found, menus, "requests beside these menus", verdict)


def _menus(subject: Subject) -> list[tuple[DominatingPair, ...]]:
    """Two sizes of each family, which are granted a few times, so that all states are visited; then of all together."""
    menus: list[tuple[DominatingPair, ...]] = []
    for line in leaders(subject.lines):
        places = dict.fromkeys((len(line.pairs) // 16, len(line.pairs) // 7))
        chosen = tuple(line.pairs[-1 - place] for place in places)
        if not subject.looks or all(pair.outputs is not None for pair in chosen):
            menus.append(chosen)
    return list(dict.fromkeys((*menus, tuple(chain.from_iterable(menus))))) if menus else []


def _looser(subject: Subject, outer: PrivacyFilter, clock: Clock) -> tuple[str, int]:
    """The play after which it grants what the other denies, '' if none was found; and how many both granted."""
    filt, rng, granted_by_both = subject.filter, np.random.default_rng(subject.seed), 0
    for play in range(_PLAYS):
        mine, outer_state, history, denied = (
            checked_start(filt, 1),
            checked_start(outer, 1),
            list[DominatingPair](),
            0,
        )
        while len(history) < _LONGEST and denied < _DENIED and not clock.over:
            line = subject.lines[int(rng.integers(len(subject.lines)))]
            # in every fourth play the largest alone, in the others sizes of all kinds
            place = 0 if play % 4 == 0 else int(rng.integers(len(line.pairs)))
            pair = line.pairs[-1 - place]
            after = granted(filt, mine, pair)
            if after is None:
                denied += 1
                continue
            beside = granted(outer, outer_state, pair)
            if beside is None:
                told = ", then ".join(map(pair_words, history[-3:])) or "nothing"
                said = f"after {len(history)} requests, the last {told}, it grants {pair_words(pair)}"
                return f"{said}, which {outer!r} denies", granted_by_both
            if subject.looks:
                after = checked_observe(filt, after, pair.sample(rng, 1), 1)
            mine, outer_state, granted_by_both = after, beside, granted_by_both + 1
            history.append(pair)
    return "", granted_by_both
