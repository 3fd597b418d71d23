"""The stage of denials: what fits and is denied, denials and retries that charge, and limits that others use up.

A denial breaks no guarantee. The stage states facts and never refutes.

>>> import filterproof as fp
>>> class Purse:
...     left = 1.0
...     def spend(self, epsilon):
...         self.left -= epsilon  # before the comparison
...         return self.left >= 0
>>> purse = fp.from_budget(Purse, lambda held, pair: held.spend(float(pair.epsilon)), fp.PureDP(1.0))
>>> big, small = fp.RandomizedResponse(0.75), fp.RandomizedResponse(0.25)
>>> print(explain_charged_denial(purse, big, big, small))
a denial charges: after RandomizedResponse(epsilon=0.75) and the denied RandomizedResponse(epsilon=0.75), \
RandomizedResponse(epsilon=0.25) is denied, and is granted without the denied request
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, permutations, product

from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.adapters.bridged import BridgedFilter
from filterproof.filters.adapters.foreign import CopiedFilter, CountedFilter
from filterproof.filters.adapters.labelled_filter import LabelledFilter, service_of
from filterproof.filters.adapters.service import MakeService
from filterproof.filters.contract.contract_checks import checked_start, granted_state
from filterproof.filters.contract.library import is_library_class
from filterproof.filters.contract.state import State
from filterproof.filters.contract.work import WorkLimit, count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.one_sum import ApproximateDPFilter, GaussianFilter, RenyiFilter, ZCDPFilter
from filterproof.filters.rules.several_sums import BasicFilter
from filterproof.mc.examine.examination_context import ExaminationContext, GrantedSizes
from filterproof.mc.examine.filter_fault import filter_faults_raised
from filterproof.mc.examine.formatting import count_words, pair_words, sequence_words
from filterproof.mc.examine.schedule import Schedule, ServiceMove
from filterproof.mc.examine.stage_finding import USED_UP, StageFinding
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import DominatingPair

_QUESTION = "Does it deny requests that fit, or charge for denials and retries?"
_ADAPTERS = CopiedFilter, CountedFilter, BridgedFilter, LabelledFilter
#: The most uses of one request, and the steps that end a service's request.
_MAX_USES, _STEPS = 64, 8


def denial_stage(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """Yield the finding on the denials of a filter that is not one of the library; nothing for those."""
    filt = subject.filter
    if is_library_class(type(filt)) and not isinstance(filt, _ADAPTERS):
        return
    results, tried = dict[int, str](), 0
    with filter_faults_raised(filt):
        for family in subject.families:
            if limit.exhausted:
                break
            for kind, sentence in enumerate(_denial_notes_for_family(filt, family)):
                results |= {} if kind in results or not sentence else {kind: sentence}
            tried += 1
        service = service_of(filt)
        if service is not None and tried:
            retried = explain_charged_retry(service, _pairs_of_spread_sizes(subject.families[0]))
            results |= {len(results): retried} if retried else {}
    names = ", ".join(family.definition.name for family in subject.families[:tried])
    yield denial_finding(tuple(results.values()), names, limit)


def denial_finding(denials: Sequence[str], menu: str, limit: WorkLimit) -> StageFinding:
    """Return the finding of the stage; a denial has no verdict."""
    unseen = (
        f"other requests than rows of a few sizes of one family{f'; {USED_UP}' if limit.exhausted else ''}"
    )
    result = denials[0] if denials else "no request that fits was denied, and no denial charged"
    return StageFinding("denials", _QUESTION, result, menu, unseen, notes=tuple(denials[1:]))


def _denial_notes_for_family(filt: PrivacyFilter, family: GrantedSizes) -> Iterator[str]:
    """Yield the first example of each kind of needless denial with one family, or '' for none."""
    sizes = _pairs_of_spread_sizes(family)
    plays = [*((pair,) for pair in sizes), *permutations(sizes, 2), sizes, sizes[::-1]]
    tails = (0.5, 0.1, 0.9) if filt.looks_at_losses else (None,)
    denials = (explain_denied_fitting_request(filt, play, tail) for tail, play in product(tails, plays))
    yield next(filter(None, denials), "")
    yield explain_limit_used_by_others(filt, sizes[0]) if isinstance(filt, LabelledFilter) else ""
    every = family.all_grid_pairs
    denied = [pair for pair in every if granted_state(filt, checked_start(filt, 1), pair) is None]
    charged = product(sizes, (*sizes, *denied[:1]), sizes)
    yield next(filter(None, (explain_charged_denial(filt, *play) for play in charged)), "")


def _pairs_of_spread_sizes(family: GrantedSizes) -> list[DominatingPair]:
    """Return the largest granted request, and some of about a half, a third and an eighth of it."""
    largest, sizes = family.sizes[-1], dict(zip(family.sizes, family.pairs, strict=True))
    near = [min(sizes, key=lambda size: abs(size - largest * share)) for share in (1.0, 0.5, 1 / 3, 1 / 8)]
    return [sizes[size] for size in dict.fromkeys(near)]


def explain_denied_fitting_request(
    filt: PrivacyFilter, pairs: Sequence[DominatingPair], tail: float | None = None
) -> str:
    """Return a text on the first denied request that fits by composition theorems, or ''.

    Each pair in turn is requested as often as it is granted. A filter that observes losses sees their `tail` quantile.
    """
    rules = _sound_rules_with_guarantee(filt.promise)
    states: list[State | None] = [checked_start(rule, 1) for rule, _ in rules]
    state, requested = checked_start(filt, 1), list[tuple[DominatingPair, float | None]]()
    for pair in pairs:
        loss = None if tail is None else float(pair.loss_isf(tail))
        for _ in range(_MAX_USES):
            count_work(1)
            fits = [
                granted_state(rule, before, pair) for (rule, _), before in zip(rules, states, strict=True)
            ]
            if not fits or any(after is None for after in fits):
                break  # nothing says whether it should be granted
            if (after := granted_state(filt, state, pair, loss)) is None:
                return _denial_words(filt, requested, pair, rules)
            state, states = after, fits
            requested.append((pair, loss))
    return ""


def _denial_words(
    filt: PrivacyFilter,
    requested: Sequence[tuple[DominatingPair, float | None]],
    pair: DominatingPair,
    rules: Sequence[tuple[PrivacyFilter, str]],
) -> str:
    granted = [before for before, _ in requested]
    losses = ", ".join(f"{loss:.6g}" for _, loss in dict.fromkeys(requested) if loss is not None)
    losses_text = f" with losses of {losses} nats" if losses else ""
    by = f"in {filt.promise} by {' and by '.join(words for _, words in rules)}"
    if set(granted) > {pair} or (granted and pair not in granted):
        steps = sequence_words(tuple((kind, len(tuple(row))) for kind, row in groupby(granted)))
        return f"denies {pair_words(pair)} after {steps}{losses_text}; it fits {by}"
    fits = min(count_grants(rule, pair, most=_MAX_USES) for rule, _ in rules)
    more = "or more " if fits == _MAX_USES else ""
    return f"denies {pair_words(pair)} after {count_words(len(granted), 'use')}{losses_text}; {fits} {more}fit {by}"


def _sound_rules_with_guarantee(promise: Guarantee) -> tuple[tuple[PrivacyFilter, str], ...]:
    """Return sound filters with the guarantee, and their rules. A sequence fits if all of them grant it."""
    match promise:
        case PureDP(epsilon) if epsilon > 0:
            return ((BasicFilter(epsilon), "basic composition"),)
        case ApproxDP(epsilon, delta) if epsilon > 0 and 0 < delta < 1:
            zcdp = ApproximateDPFilter(epsilon, delta)
            return (BasicFilter(epsilon, delta), "basic composition"), (zcdp, "the zCDP budget")
        case ZCDP(rho) if rho > 0:
            return ((ZCDPFilter(rho), "the sum of rho"),)
        case GaussianDP(mu):
            return ((GaussianFilter(mu), "the sum of mu^2"),)
        case RenyiDP(alpha, rho) if rho > 0:
            return ((RenyiFilter(alpha, rho), "the sum of divergences"),)
    return ()


def explain_limit_used_by_others(filt: LabelledFilter, pair: DominatingPair) -> str:
    """Return a text on requests under other labels that use up the record's limit, or ''."""
    here = filt.at(pair.unlabelled)
    if granted_state(filt, checked_start(filt, 1), here) is None:
        return ""
    for where in filt.label_combinations:
        if filt.reads_record(where):
            continue
        elsewhere, state, uses = filt.at(pair.unlabelled, **dict(where)), checked_start(filt, 1), 0
        while uses < _MAX_USES and (after := granted_state(filt, state, elsewhere)) is not None:
            count_work(1)
            state, uses = after, uses + 1
        if uses and granted_state(filt, state, here) is None:
            times = f"{uses} x {pair_words(elsewhere)}"
            return f"others exhaust the limit of the record: after {times}, {pair_words(here)} is denied"
    return ""


def explain_charged_denial(
    filt: PrivacyFilter, first: DominatingPair, denied: DominatingPair, last: DominatingPair
) -> str:
    """Return a text if a denied request causes a later denial, or ''."""
    left_out = _answers_of_one_object(filt, (first, last))
    with_denied = _answers_of_one_object(filt, (first, denied, last))
    if left_out == (True, True) and with_denied == (True, False, False):
        return (
            f"a denial charges: after {pair_words(first)} and the denied {pair_words(denied)}, {pair_words(last)} is "
            "denied, and is granted without the denied request"
        )
    return ""


def _answers_of_one_object(filt: PrivacyFilter, requests: tuple[DominatingPair, ...]) -> tuple[bool, ...]:
    """Return the answers of one object, which sees its own denials, to requests in turn; () for others."""
    count_work(len(requests))
    if isinstance(filt, LabelledFilter):
        return _answers_of_one_object(filt.inner_filter, tuple(map(filt.inner_request, requests)))
    if isinstance(filt, CopiedFilter | CountedFilter | BridgedFilter):
        return filt.answers_in_turn(requests)
    return ()


def explain_charged_retry(service: MakeService, pairs: Sequence[DominatingPair]) -> str:
    """Return a text if a service charges a retry of a request again, or ''.

    A retry with a newly drawn answer is a release and is charged rightly.
    """
    step = (ServiceMove("step"),) * _STEPS
    for place, other in product(range(len(pairs)), repeat=2):
        first, last = (ServiceMove("ask", place), *step), (ServiceMove("ask", other), *step)
        again = (ServiceMove("again"), *step)
        without = Schedule(tuple(pairs), (*first, *last)).play(service).released
        retried = Schedule(tuple(pairs), (*first, *again, *last)).play(service).released
        if len(without) == 2 and len(retried) == 1:
            repeated, denied = pair_words(pairs[place]), pair_words(pairs[other])
            return (
                f"a retry is charged again: {denied} is denied after {repeated} was sent twice with one key"
            )
    return ""
