"""A test of whether a filter keeps all changing data in its state: it repeats some requests and compares the answers.

>>> import numpy as np
>>> import filterproof as fp
>>> class Own(fp.PrivacyFilter):
...     promise = fp.ZCDP(0.2)
...     spent = 0.0
...     def start(self, n): return np.zeros(n)
...     def admits(self, state, request): return np.full(len(state), self.spent < 0.2)
...     def spend(self, state, request): self.spent += float(request.zcdp_rho); return state
>>> check_determinism_on_requests(Own(), [fp.Gaussian(1.0)])
Traceback (most recent call last):
TypeError: Own changed its attribute 'spent' (0.0 before, 0.5 after) during a decision; move it into the state
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

import numpy as np

from filterproof.filters.contract.content import IdentityKey, content
from filterproof.filters.contract.contract_checks import checked_start, granted_state
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.library import instance_attributes, is_library_class, user_members
from filterproof.filters.contract.state import State, is_free_of_objects, run_keys, state_leaves
from filterproof.theory.pairs import DominatingPair

#: The number of requests of a sample.
SAMPLED_REQUESTS = 16
#: The most further requests to a filter whose state the sample did not change.
EXTRA_REQUESTS = 1024
#: Types in which a class may count.
_COUNTER_TYPES = (int, float, list, dict, set, bytearray, np.ndarray)
#: Number types. bool is excluded: a flag may mark a value that is computed on first use.
_NUMBERS = frozenset((int, float, complex, Fraction, Decimal))


@dataclass(slots=True)
class SampleRun:
    """One run that gets some requests, its answers and its present state."""

    filter: FilterBase[Any]
    state: State
    requests: list[tuple[DominatingPair, float]] = field(default_factory=list)
    answers: list[Hashable] = field(default_factory=list)

    @classmethod
    def fresh(cls, filt: FilterBase[Any]) -> SampleRun:
        """Return a run without requests."""
        return cls(filt, checked_start(filt, 1))

    def ask(self, request: DominatingPair, loss: float) -> bool:
        """Ask for a request and return whether it is granted. A filter that looks at losses observes `loss`."""
        after = granted_state(self.filter, self.state, request, loss if self.filter.looks_at_losses else None)
        self.requests.append((request, loss))
        if after is not None:
            self.state = after
        # an object in a state may differ between runs without deciding anything: a time, a name
        charged = after is not None and all(map(is_free_of_objects, state_leaves(after)))
        self.answers.append(run_keys(self.state)[0] if charged else after is not None)
        return after is not None


def check_determinism_on_requests(
    filt: FilterBase[Any], menu: Sequence[DominatingPair], rounds: int | None = None
) -> None:
    """Run `check_determinism` with these requests in turn, each with a realised loss of 0."""
    most = SAMPLED_REQUESTS if rounds is None else min(rounds, SAMPLED_REQUESTS)

    def ask_in_turn(run: SampleRun) -> None:
        for request in islice(cycle(menu), most):
            run.ask(request, 0.0)

    check_determinism(filt, ask_in_turn)


def check_determinism(filt: FilterBase[Any], sample: Callable[[SampleRun], None]) -> None:
    """Raise TypeError for a filter that changes outside its state while `sample` asks a run.

    The filter fails if a number or an array in an attribute of the filter or its class has changed, or if a second
    run, started together with the first, answers or charges the same requests differently. A cache may grow as long
    as it decides nothing. Filters of the library are not tested. Exceptions of the filter are ignored here; the later
    calls of the filter report them.
    """
    if not (users := tuple(_user_parts(filt, set()))):
        return
    before = _attributes_with_content(users)
    try:
        # a start between the two runs would reset a counter
        first, second = SampleRun.fresh(filt), SampleRun.fresh(filt)
        begun, state = _attributes_with_content(users), run_keys(first.state)
        sample(first)
        if run_keys(first.state) == state:
            # the state never changes: does the filter grant the same request for ever?
            for request, loss in islice(cycle(tuple(first.requests)), EXTRA_REQUESTS):
                if not first.ask(request, loss):
                    break
        after = _attributes_with_content(users)
        for request, loss in first.requests:
            second.ask(request, loss)
    except Exception:  # noqa: BLE001 - any exception of the filter
        return
    changed = {
        name: earlier[name]
        for earlier in (before, begun)  # a start may undo the change that the previous run made
        for name in earlier.keys() & after.keys()
        if earlier[name][0] != after[name][0]
    }
    moved = [name for name, (change, _) in changed.items() if _has_changed_number(change, after[name][0])]
    if not moved and second.answers == first.answers:
        return
    if not (named := moved or changed or after.keys() - begun.keys()):
        raise TypeError(
            f"{type(users[0]).__name__} answers the same requests differently in a second run; keep everything that "
            "changes in the state"
        )
    kind, _, name = min(named).rpartition(".")
    where = f"{kind}.{name}"
    values = [attributes[where][1] for attributes in (changed, after) if where in attributes]
    numbers = len(values) == 2 and all(type(x) in _NUMBERS or isinstance(x, np.generic) for x in values)
    raise TypeError(
        f"{kind} changed its attribute {name!r} {'({} before, {} after) '.format(*values) if numbers else ''}during "
        "a decision; move it into the state"
    )


def content_of_attributes(filt: FilterBase[Any]) -> dict[str, Hashable]:
    """Return the content of all attributes of a user's filter and its classes, for a comparison after a request."""
    return {
        name: description
        for name, (description, _) in _attributes_with_content(tuple(_user_parts(filt, set()))).items()
    }


def _user_parts(thing: object, seen: set[int]) -> Iterator[object]:
    """Yield the filters with user code among a filter and its parts."""
    kind: Any = type(thing)
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if kind is tuple or kind is list:
        for part in thing:  # type: ignore[attr-defined]
            yield from _user_parts(part, seen)
    elif is_library_class(kind):
        for part in instance_attributes(thing).values():
            yield from _user_parts(part, seen)
    elif isinstance(thing, FilterBase) or callable(getattr(kind, "spend", None)):
        yield thing


def _attributes_with_content(users: Sequence[object]) -> dict[str, tuple[Hashable, object]]:
    """Return each attribute of these objects and their classes by name: its content and its value."""
    attributes: dict[str, tuple[Hashable, object]] = {}
    for thing in users:
        counters = {
            name: part for name, part in user_members(type(thing)) if isinstance(part, _COUNTER_TYPES)
        }
        parts = counters | instance_attributes(thing)
        attributes |= {
            f"{type(thing).__name__}.{name}": (content(part, IdentityKey), part)
            for name, part in parts.items()
        }
    return attributes


def _has_changed_number(before: Any, after: Any) -> bool:
    """Return whether a number or an array inside the content has changed. New entries do not count."""
    if before == after or not (type(before) is type(after) is tuple):
        return False
    kind, other = before[0], after[0]
    if kind in _NUMBERS and other in _NUMBERS:
        return True
    if type(kind) is type(other) is str:  # arrays and NumPy numbers of any size
        return True
    if kind is not other or kind is set or kind is frozenset:
        return False
    parts, others = before[1:], after[1:]
    if kind is dict or (kind is not list and kind is not tuple and all(map(_is_attribute_content, parts))):
        there = {name: part for _, name, part in others}
        return any(name in there and _has_changed_number(part, there[name]) for _, name, part in parts)
    return any(_has_changed_number(part, other) for part, other in zip(parts, others, strict=False))


def _is_attribute_content(part: Any) -> bool:
    """Whether a part is a (name, value) pair of an object."""
    return type(part) is tuple and len(part) == 3 and part[0] is tuple and part[1][0] is str
