"""The stage of invariants: tests what every filter must do, on a few examples of each invariant and family."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, product

import numpy as np

from filterproof.filters.contract.contract_checks import checked_start
from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.broken_invariants import BrokenInvariant, broken_invariants
from filterproof.mc.examine.examination_context import ExaminationContext, GrantedSizes
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.formatting import count_words, user_code_name
from filterproof.mc.examine.pairs_in_attributes import pairs_of_attribute
from filterproof.mc.examine.sequence import content_of_attributes, granted_state
from filterproof.mc.examine.stage_finding import USED_UP, StageFinding
from filterproof.theory.pairs import DominatingPair

_RUN_INDEPENDENCE = "runs_do_not_see_each_other"
#: Invariants of determinism. Without them a state is not all that a filter knows, and games on states mean nothing.
_DETERMINISM = {
    "admits_has_no_effect": "admits has a side effect",
    "asking_changes_nothing": "remaining, affordable or is_reachable_state has a side effect",
    "the_old_state_is_left_alone": "it changes the given state, or keeps data outside the state",
    "step_is_admits_and_spend": "its grant is not its admits and spend",
    _RUN_INDEPENDENCE: "it mixes runs, or keeps data outside the state",
    "the_future_changes_no_past_decision": "its decisions depend on later requests",
    "halting_absorbs": "it answers after it has halted",
}
#: Examples of each invariant for each family.
_NUMBER_OF_EXAMPLES = 25


def invariant_stage(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """Yield one finding. Violations of determinism are faults, other violated invariants are notes."""
    filt, families, broken = subject.filter, subject.families, dict[str, BrokenInvariant]()
    rng = np.random.default_rng(subject.seed)
    tried, before = 0, content_of_attributes(filt)
    # one family at a time: a filter may support only one family, and a joint request of several runs has only one
    for family in families:
        if tried and limit.exhausted:
            break
        part = limit.fraction(1 / (len(families) - tried))
        _note_violation(broken, filt, _violated_family_invariants(filt, family, rng, part))
        tried += 1
    changed = content_of_attributes(filt) != before
    if changed and not broken:  # few examples may not exhaust a budget kept outside the states
        again = partial(_requests_denied_after_other_runs, filt, runs=_NUMBER_OF_EXAMPLES)
        _note_violation(broken, filt, chain.from_iterable(map(again, families)))
    name, faults, notes = user_code_name(filt), list[str](), list[str]()
    for key, invariant in broken.items():
        if key not in _DETERMINISM:
            notes.append(f"violated invariant {invariant.name}: {invariant.words}")
        elif invariant.name == "raises":
            faults.append(invariant.words)
        else:
            faults.append(f"{name} breaks the contract: {_DETERMINISM[key]} ({invariant.words})")
    if changed:  # it may be a cache
        notes.append(
            f"{name} changed its own attributes during requests: its decisions may depend on more than the state"
        )
    words, cut = count_words(len(faults), "invariant"), "" if tried == len(families) else f"; {USED_UP}"
    note = f"{words} of determinism violated, {count_words(len(notes), 'other')}"
    yield StageFinding(
        "invariants",
        "Does it decide by its state alone, leave old states unchanged and keep runs separate?",
        note if broken else "no violation found",
        ", ".join(family.definition.name for family in families[:tried]),
        f"more than {_NUMBER_OF_EXAMPLES} examples of each invariant and family{cut}",
        fault="; ".join(faults),
        notes=tuple(notes),
    )


def _note_violation(
    broken: dict[str, BrokenInvariant], filt: PrivacyFilter, violations: Iterator[BrokenInvariant]
) -> None:
    """Keep the first example of each violated invariant. An exception counts as a violation of determinism."""
    try:
        with filter_faults_raised(filt):
            for invariant in violations:
                broken.setdefault(invariant.name, invariant)
    except FilterFault as fault:
        broken.setdefault(_RUN_INDEPENDENCE, BrokenInvariant("raises", str(fault)))


def _violated_family_invariants(
    filt: PrivacyFilter, family: GrantedSizes, rng: np.random.Generator, limit: WorkLimit
) -> Iterator[BrokenInvariant]:
    """Yield the invariants that some example of one family violates."""
    yield from _requests_denied_after_other_runs(filt, family)
    examples = partial(broken_invariants, filt, rng=rng, examples=_NUMBER_OF_EXAMPLES)
    yield from examples(requests=_sample_pairs(filt, family), until=lambda: limit.exhausted)


def _requests_denied_after_other_runs(
    filt: PrivacyFilter, family: GrantedSizes, runs: int = 1
) -> Iterator[BrokenInvariant]:
    """Yield a violation if a fresh run denies a request that was granted before other runs."""
    pairs = dict.fromkeys((family.pairs[0], family.pairs[len(family.pairs) // 2], family.largest))
    for pair, _ in product(pairs, range(runs)):
        if granted_state(filt, checked_start(filt, 1), pair) is None:
            why = f"a fresh run denies {pair!r}, which one was granted before"
            yield BrokenInvariant(_RUN_INDEPENDENCE, why)
            return


def _sample_pairs(filt: PrivacyFilter, family: GrantedSizes) -> tuple[DominatingPair, ...]:
    """Return large pairs, which fill a budget soon, some small ones, and some denied pairs below granted ones.

    A filter with a menu denies all other pairs, whatever they cost.
    """
    menu = pairs_of_attribute(getattr(filt, "inner_filter", filt), "menu")
    pairs, granted_sizes = family.pairs, set(family.sizes)
    gaps = [t for t in family.definition.sizes if t < family.sizes[-1] and t not in granted_sizes]
    below = map(family.definition.pair, gaps[:: -max(len(gaps) // 3, 1)])
    denied = (pair for pair in below if not menu or pair.unlabelled in menu)
    return tuple(dict.fromkeys((*pairs[-1:-10:-1], *pairs[-10::-8], *denied)))
