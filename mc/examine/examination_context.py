"""The context of an examination: a filter, the divergences of its guarantee, and the requests that it grants."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from types import CodeType
from typing import Any

from filterproof.filters.adapters.labelled_filter import LabelledFilter, bridged_filter_of
from filterproof.filters.contract.contract_checks import checked_admits, checked_start
from filterproof.filters.contract.largest_granted import largest_granted, last_granted
from filterproof.filters.contract.library import is_library_class
from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.divergence import Divergence, targets
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.formatting import count_words, naming, pair_words
from filterproof.mc.examine.pairs_in_attributes import (
    assumption,
    attribute_values,
    is_sampled,
    pair_names,
    pairs_in_attributes,
)
from filterproof.mc.examine.parameter_families import OneParameterFamily, coarse_first, mechanism_name
from filterproof.mc.examine.sequence import content_of_attributes, granted_state
from filterproof.mc.examine.stage_finding import USED_UP, StageFinding
from filterproof.mc.losses.finite_pair_from_cdfs import pair_with_known_tails
from filterproof.theory.pairs import DominatingPair


@dataclass(frozen=True)
class GrantedSizes:
    """The grid sizes of a family that the filter grants as its first request, ascending.

    `raised` is the exception that the filter's code raised instead of an answer. `spending` says whether `admits` had
    granted the request before. `asked_above` are the sizes above the grid that a fresh run was asked for.
    """

    definition: OneParameterFamily
    sizes: tuple[float, ...]
    raised: str = ""
    spending: bool = False
    asked_above: tuple[float, ...] = ()

    @cached_property
    def pairs(self) -> tuple[DominatingPair, ...]:
        """Return the pairs of the granted sizes."""
        return tuple(map(self.definition.pair, self.sizes))

    @cached_property
    def all_grid_pairs(self) -> tuple[DominatingPair, ...]:
        """Return every pair of the grid, granted at the start or not, ascending."""
        return tuple(map(self.definition.pair, sorted({*self.definition.sizes, *self.sizes})))

    @property
    def largest(self) -> DominatingPair:
        """Return the largest granted pair."""
        return self.pairs[-1]


@dataclass(frozen=True, slots=True)
class ExaminationContext:
    """A filter under examination and the families of requests.

    `targets` are the divergences in direction "PQ". `families` are the families with a granted first request,
    `denied_families` those without. `mechanisms` are the requested families for which the filter's code answers: a
    family for which it raises is outside its scope. `deterministic` says that no invariant of determinism was found
    violated, so that a state is all that the filter knows. `observes_losses` says that decisions depend on realised
    losses. `unused` is a copy of a filter that keeps data in its attributes, before its first request. `sampled` are
    the granted pairs of its own whose losses can only be drawn.
    """

    filter: PrivacyFilter
    targets: tuple[Divergence, ...]
    families: tuple[GrantedSizes, ...]
    seed: int
    denied_families: tuple[GrantedSizes, ...] = ()
    mechanisms: frozenset[str] = frozenset()
    deterministic: bool = True
    observes_losses: bool = False
    unused: PrivacyFilter | None = None
    sampled: tuple[DominatingPair, ...] = ()

    @property
    def first_families(self) -> tuple[GrantedSizes, ...]:
        """Return the first family of each mechanism with a granted first request."""
        first: dict[str, GrantedSizes] = {}
        for family in self.families:
            first.setdefault(family.definition.mechanism, family)
        return tuple(first.values())

    @property
    def all_first_families(self) -> tuple[GrantedSizes, ...]:
        """Return the first family of each mechanism, granted at the start or not; granted ones first."""
        return replace(self, families=(*self.families, *self.denied_families)).first_families

    @property
    def hockey_stick_targets(self) -> tuple[Divergence, ...]:
        """Return the hockey-stick divergences at which the guarantee bounds something."""
        return tuple(each for each in self.targets if each.kind == "hockey-stick" and self.promised(each) < 1)

    @property
    def instance(self) -> PrivacyFilter:
        """Return the filter for one play: a new copy if it keeps data in its attributes."""
        return self.filter if self.unused is None else deepcopy(self.unused)

    def with_copy_per_play(self) -> ExaminationContext:
        """Return a context that copies the filter for each play, if requests change its attributes."""
        if is_library_class(type(self.filter)) or bridged_filter_of(self.filter) is not None:
            return self
        before = content_of_attributes(self.filter)
        try:
            unused = deepcopy(self.filter)
        except Exception:  # noqa: BLE001 - a class of the user need not allow copies
            return self
        for pair in (pair for family in self.families for pair in (family.pairs[0], family.largest)):
            granted_state(self.filter, checked_start(self.filter, 1), pair)
        changed = content_of_attributes(self.filter) != before
        return replace(self, unused=unused) if changed else self

    @classmethod
    def of(
        cls,
        filt: PrivacyFilter,
        seed: int,
        families: tuple[GrantedSizes, ...] = (),
        denied_families: tuple[GrantedSizes, ...] = (),
    ) -> ExaminationContext:
        """Return the context whose targets follow from the filter's guarantee."""
        answered = frozenset(family.definition.mechanism for family in (*families, *denied_families))
        arguments = (targets(filt.promise), families, seed, denied_families, answered)
        return cls(filt, *arguments, observes_losses=bool(filt.looks_at_losses))

    def promised(self, measure: Divergence) -> float:
        """Return the bound of the filter's guarantee on a divergence."""
        return measure.promised(self.filter.promise)


#: The number of sizes of a family that are tried under any work limit.
_MIN_SIZES_ASKED = 4
#: The relative precision of the largest size, found with few bits so that states coincide.
_SIZE_PRECISION = 2.0**-10
#: How many numbers of the filter's attributes are tried as sizes, and their multiples.
_NUMBERS, _MULTIPLES = 24, (1.0, 2.0, 3.0, 0.5)
#: What an examination assumes about requests at several labels.
_WHOLE_ANSWERS = (
    "assumed: a granted request is answered on all its labels and a denied one on none; code that answers on some is a "
    "service, see fp.services.Release(epoch=...)"
)


def own_numbers(filt: PrivacyFilter) -> tuple[float, ...]:
    """Return sizes that the filter's own attributes and methods suggest, and multiples of them.

    A filter that grants only a few levels usually names them.
    """
    sizes = dict.fromkeys(float(number) for number in _numbers_of(filt) if 1e-6 < number < 40)
    # decimal, as people write numbers: three times 0.1 is 0.3
    multiples = (k * number for number in islice(sizes, _NUMBERS) for k in _MULTIPLES)
    return tuple(dict.fromkeys(float(f"{size:.15g}") for size in multiples))


def _numbers_of(filt: PrivacyFilter) -> Iterator[float]:
    """Yield the numbers in the attributes and in the code of the filter's own classes."""
    mro = type(filt).__mro__
    own_classes = [kind for kind in mro if kind.__module__.partition(".")[0] not in _LIBRARY_PACKAGES]
    for value in attribute_values(filt, own_classes):
        yield from _numbers_in(value)
    for method in (method for kind in own_classes for method in vars(kind).values()):
        code = getattr(getattr(method, "__func__", method), "__code__", None)
        if isinstance(code, CodeType):
            yield from _numbers_in(code.co_consts)


def _numbers_in(value: Any) -> Iterator[float]:
    """Yield the numbers in a value, and in the items of a container."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield float(value) if abs(value) < 1e300 else math.inf
    elif isinstance(value, dict):
        yield from _numbers_in([*value, *value.values()])
    elif isinstance(value, (tuple, list)):
        for part in value[:_NUMBERS]:
            yield from _numbers_in(part)


_LIBRARY_PACKAGES = {"filterproof", "abc", "typing", "builtins"}


def admission_finding(
    filt: PrivacyFilter,
    families: tuple[OneParameterFamily, ...],
    limit: WorkLimit,
    *,
    seed: int,
    own_menu: bool = True,
) -> tuple[StageFinding, ExaminationContext]:
    """Return the finding about the requests that a fresh run grants, and the context of all later stages.

    A family for which the filter's code raises is outside its scope; if it raises for all families, that is a fault.
    Each family has its share of the work. If nothing is granted within it, every size is tried.
    """
    admissions = [
        _FamilyAdmission(filt, family, limit.fraction(1 / (len(families) - place))).granted()
        for place, family in enumerate(families)
    ]
    cut = limit.exhausted
    if cut and not any(each.sizes for each in admissions):
        cut, admissions = False, [_FamilyAdmission(filt, family, None).granted() for family in families]
    with filter_faults_raised(filt):
        chosen = {family.mechanism for family in families}
        pairs = (pair for pair in pairs_in_attributes(filt) if own_menu or mechanism_name(pair) in chosen)
        own = [pair for pair in pairs if _fresh_run_grants(filt, pair)]
    assumed = dict.fromkeys(filter(None, map(assumption, own)))
    sampled = tuple(filter(is_sampled, own))
    granted = len(own)
    if own := [pair for pair in own if pair_with_known_tails(pair) is not None]:
        own.sort(key=lambda pair: float(pair.hockey_stick(0.0)))
        sizes, by_number = tuple(map(float, range(1, len(own) + 1))), partial(_pair_by_number, tuple(own))
        family = OneParameterFamily("own", "its own menu", by_number, 1.0, len(own))
        admissions.append(GrantedSizes(family, sizes))
    granted_families = tuple(each for each in admissions if each.sizes)
    denied_families = tuple(each for each in admissions if not each.sizes and not each.raised)
    raising = {each.definition.mechanism: each.raised for each in admissions if each.raised}
    most: dict[str, float] = {}
    for granted_family in granted_families:
        mechanism = granted_family.definition.mechanism
        most[mechanism] = max(most.get(mechanism, 0.0), granted_family.sizes[-1])
    granted_texts = [f"{mechanism} up to {size:.4g}" for mechanism, size in most.items()]
    if unknown := granted - len(own):
        granted_texts.append(f"{count_words(unknown, 'pair')} of its own without a known distribution")
    # of requests that it admits, where it never comes to spend on one
    fault = "" if granted_families else next((each.raised for each in admissions if each.spending), "")
    if not fault and raising.keys() >= {each.definition.mechanism for each in admissions}:
        fault = next(iter(raising.values()), "")
    finding = StageFinding(
        stage="admission",
        question="Which requests does a fresh run grant?",
        result=", ".join(granted_texts) or "nothing",
        menu=", ".join(dict.fromkeys(family.mechanism for family in families)),
        not_tried=f"sizes between the tested ones: {USED_UP}" if cut else "",
        fault=fault,
        notes=(
            *_out_of_scope_notes(raising),
            *_named_pair_notes(filt),
            *assumed,
            *((_WHOLE_ANSWERS,) if isinstance(filt, LabelledFilter) and filt.together else ()),
        ),
    )
    with filter_faults_raised(filt):
        context = ExaminationContext.of(filt, seed, granted_families, denied_families)
        return finding, replace(context, sampled=sampled)


def _named_pair_notes(filt: PrivacyFilter) -> tuple[str, ...]:
    """Return a note for each pair that the filter names."""
    with naming({}):
        return tuple(f"{name} is {pair_words(pair)}" for pair, name in pair_names(filt).items())


def _out_of_scope_notes(raising: Mapping[str, str]) -> Iterator[str]:
    """Yield a note for each reason why the filter's code raises, with the families."""
    reasons: dict[str, list[str]] = {}
    for mechanism, message in raising.items():
        reasons.setdefault(message.rpartition("): ")[2], []).append(mechanism)
    for names in reasons.values():
        yield f"outside its scope: {', '.join(names)} ({raising[names[0]]})"


def _pair_by_number(pairs: tuple[DominatingPair, ...], t: float) -> DominatingPair:
    """Return pair number t of a menu, counted from 1."""
    return pairs[min(max(int(t), 1), len(pairs)) - 1]


def _fresh_run_grants(filt: PrivacyFilter, pair: DominatingPair) -> bool:
    """Whether a fresh run grants the pair. Raises FilterFault if its code raises."""
    with filter_faults_raised(filt):
        return granted_state(filt, checked_start(filt, 1), pair) is not None


@dataclass(frozen=True, slots=True)
class _FamilyAdmission:
    """The search for the sizes of a family that a fresh run of a filter grants."""

    filter: PrivacyFilter
    family: OneParameterFamily
    limit: WorkLimit | None

    def granted(self) -> GrantedSizes:
        """Return the granted sizes; the family moves if its own are all denied or all granted."""
        family = self.family
        if not any(map(self._is_granted, family.sizes[::4])):
            far = largest_granted(self._is_granted, family.sizes_below, tolerance=1.0)
            return self._on_grid() if far is None else self._around(far)
        granted = self._on_grid()
        if not granted.sizes or granted.raised or not self._keeps_guarantee(granted.largest):
            return granted
        # a far larger request may overflow and be granted where a smaller one is denied
        far = largest_granted(self._is_granted, family.sizes_above, tolerance=1.0)
        granted = replace(
            granted, asked_above=tuple(t for t in family.sizes_above if far is None or t >= far)
        )
        if far is None or far <= granted.sizes[-1]:
            return granted
        if granted.sizes[-1] == family.sizes[-1] and self._keeps_guarantee(family.pair(far)):
            return self._around(far)
        return replace(granted, sizes=(*granted.sizes, far))

    def _is_granted(self, size: float) -> bool:
        """Whether a fresh run grants the pair of this size; False if the filter's code raises."""
        with suppress(FilterFault):
            return _fresh_run_grants(self.filter, self.family.pair(size))
        return False

    def _keeps_guarantee(self, pair: DominatingPair) -> bool:
        """Whether one release of the pair keeps the guarantee, in doubles."""
        promise = self.filter.promise
        hockey_sticks = [each for each in targets(promise) if each.kind == "hockey-stick"]
        return all(float(pair.hockey_stick(each.at)) <= each.promised(promise) for each in hockey_sticks)

    def _around(self, size: float) -> GrantedSizes:
        return replace(self, family=self.family.around_size(size))._on_grid()

    @property
    def _exhausted(self) -> bool:
        return self.limit is not None and self.limit.exhausted

    def _on_grid(self) -> GrantedSizes:
        """Return the granted sizes of the family's grid, and the largest granted ones above them."""
        sizes, raised, spending = list[float](), "", False
        for number, t in enumerate(coarse_first(self.family.sizes)):
            if number >= _MIN_SIZES_ASKED and self._exhausted:
                break
            try:
                sizes += [t] if _fresh_run_grants(self.filter, self.family.pair(t)) else []
            except FilterFault as fault:
                raised, pair = str(fault), self.family.pair(t)
                with suppress(FilterFault), filter_faults_raised(self.filter):
                    spending = bool(checked_admits(self.filter, checked_start(self.filter, 1), pair, 1)[0])
                break
        sizes.sort()
        sizes += self._above_grid(sizes[-1]) if sizes else []
        return GrantedSizes(self.family, tuple(sizes), raised, spending)

    def _above_grid(self, top: float) -> list[float]:
        """Return up to two granted sizes above `top`: one with few bits, and the largest double."""

        def is_granted(size: float) -> bool:
            return not self._exhausted and self._is_granted(size)

        denied = next((t for t in self.family.sizes if t > top), None)
        if denied is None:  # the whole grid is granted: look up to the next octave
            denied = next((t for t in self.family.sizes_above if t > top), None)
            if denied is None or is_granted(denied):
                return []
        coarse = last_granted(is_granted, top, denied, _SIZE_PRECISION)
        largest = last_granted(is_granted, coarse, denied)
        return [size for size in dict.fromkeys((coarse, largest)) if size > top]
