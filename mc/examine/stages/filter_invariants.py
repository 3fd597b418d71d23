"""The stage of invariants: what every filter must do, on a few examples of each invariant and family."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from filterproof.filters.contract.contract_checks import checked_start
from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.broken_invariants import BrokenInvariant, broken_invariants
from filterproof.mc.examine.examination import USED_UP, StageFinding
from filterproof.mc.examine.examination_context import ExaminationContext, GrantedSizes
from filterproof.mc.examine.filter_fault import FilterFault, examining
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.sequence import content_of_attributes, granted
from filterproof.theory.pairs import DominatingPair

_RUNS = "runs_do_not_see_each_other"
#: Invariants without which a state is not all that a filter knows of a run, so that games on states mean nothing.
_PURITY = {
    "a_denial_changes_nothing": "asking it has an effect",
    "asking_changes_nothing": "asking what remains has an effect",
    "the_old_state_is_left_alone": "it changes the state that it is given, or keeps state outside its state",
    "step_is_admits_and_spend": "its grant is not its admits and spend",
    _RUNS: "it mixes runs, or keeps state outside its state",
    "the_future_changes_no_past_decision": "its decisions depend on what comes later",
    "halting_absorbs": "it goes on after it has halted",
}
#: Examples of each invariant for each family.
_EXAMPLES = 25


def invariants(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """One finding: the invariants of purity that some example breaks are faults, other invariants are worth a note."""
    filt, lines, broken = subject.filter, subject.lines, dict[str, BrokenInvariant]()
    rng = np.random.default_rng(subject.seed)
    tried, before = 0, content_of_attributes(filt)
    # one family at a time: a filter may know one family only, and a request for several runs is then of that family
    for line in lines:
        if tried and limit.exhausted:
            break
        _note(broken, filt, _asked(filt, line, rng, limit.fraction(1 / (len(lines) - tried))))
        tried += 1
    changed = content_of_attributes(filt) != before
    if changed and not broken:  # few examples may not have used up what it keeps outside its states
        _note(
            broken, filt, (invariant for line in lines for invariant in _used_up(filt, line, runs=_EXAMPLES))
        )
    name, faults, notes = type(filt).__name__, list[str](), list[str]()
    for key, invariant in broken.items():
        if key not in _PURITY:
            notes.append(f"{invariant.name.replace('_', ' ')}: not so, {invariant.words}")
        elif invariant.name == "raises":
            faults.append(invariant.words)
        else:
            faults.append(f"{name} breaks the contract: {_PURITY[key]} ({invariant.words})")
    if changed:  # a cache, it may be
        notes.append(
            f"{name} changed attributes of its own while it was asked: a state may not be all that it knows"
        )
    note = f"{count_words(len(faults), 'invariant')} of purity broken, {count_words(len(notes), 'other')}"
    yield StageFinding(
        "invariants",
        "Does it do what every filter must: decide by its state alone, change no old state, mix no runs?",
        note if broken else "no invariant was seen to break",
        ", ".join(line.line.name for line in lines[:tried]),
        f"other than {_EXAMPLES} examples of each invariant and family"
        + ("" if tried == len(lines) else f"; {USED_UP}"),
        fault="; ".join(faults),
        notes=tuple(notes),
    )


def _note(broken: dict[str, BrokenInvariant], filt: PrivacyFilter, found: Iterator[BrokenInvariant]) -> None:
    """Keep the first example of each invariant that is broken; code that raises breaks that of purity."""
    try:
        with examining(filt):
            for invariant in found:
                broken.setdefault(invariant.name, invariant)
    except FilterFault as fault:
        broken.setdefault(_RUNS, BrokenInvariant("raises", str(fault)))


def _asked(
    filt: PrivacyFilter, line: GrantedSizes, rng: np.random.Generator, limit: WorkLimit
) -> Iterator[BrokenInvariant]:
    """The invariants that some example of one family breaks."""
    yield from _used_up(filt, line)
    yield from broken_invariants(
        filt, rng=rng, examples=_EXAMPLES, requests=_some(line), until=lambda: limit.exhausted
    )


def _used_up(filt: PrivacyFilter, line: GrantedSizes, runs: int = 1) -> Iterator[BrokenInvariant]:
    """What one of so many fresh runs denies now, though one was granted it before."""
    for pair in dict.fromkeys((line.pairs[0], line.pairs[len(line.pairs) // 2], line.largest)):
        for _ in range(runs):
            if granted(filt, checked_start(filt, 1), pair) is None:
                yield BrokenInvariant(_RUNS, f"a fresh run denies {pair!r}, which one was granted before")
                return


def _some(line: GrantedSizes) -> tuple[DominatingPair, ...]:
    """Large ones, which fill a budget soon, some small ones, and some that are denied though larger ones are not."""
    pairs, granted_sizes = line.pairs, set(line.sizes)
    gaps = [t for t in line.line.sizes if t < line.sizes[-1] and t not in granted_sizes]
    denied = map(line.line.pair, gaps[:: -max(len(gaps) // 3, 1)])
    return tuple(dict.fromkeys((*pairs[-1:-10:-1], *pairs[-10::-8], *denied)))
