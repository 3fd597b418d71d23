"""Finds the invariants that a filter violates, on examples from a numpy Generator.

    >>> import filterproof as fp
    >>> import numpy as np
    >>> broken_invariants(fp.ZCDPFilter(0.5), rng=np.random.default_rng(1), examples=5)
    ()

Importing this module does not import hypothesis. `invariants` makes a test class of the same invariants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from filterproof.filters.contract.contract_checks import StateWrittenError, checked_filter
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.invariants import (
    INVARIANT_FUNCTIONS,
    InvariantBrokenError,
    case_byte_count,
    drawn_case,
    something_is_admitted,
)
from filterproof.filters.testing.request_sampling import ByteTape, requests_near, requests_of
from filterproof.theory.pairs import DominatingPair

#: The invariant that a method violates by writing into its state. Other methods violate `asking_changes_nothing`.
_WRITING = {
    "admits": "admits_has_no_effect",
    "step": "admits_has_no_effect",
    "spend": "the_old_state_is_left_alone",
    "observe": "the_old_state_is_left_alone",
}


@dataclass(frozen=True, slots=True)
class BrokenInvariant:
    """A violated invariant: the name of its function in `invariants`, and a description of the violation."""

    name: str
    words: str


def broken_invariants(
    filt: PrivacyFilter,
    *,
    rng: np.random.Generator,
    examples: int = 100,
    requests: Sequence[DominatingPair] | None = None,
    until: Callable[[], bool] = lambda: False,
) -> tuple[BrokenInvariant, ...]:
    """Return the invariants that some example violates, each at most once, in the order of `INVARIANT_FUNCTIONS`.

    `requests` are the single pairs to draw from, by default `requests_near(filt)`. A filter that raises for some
    pairs needs requests without them, because its exceptions pass through. Realised losses are drawn from [-2, 2] and
    clipped to the possible losses of the request. `until` is called between examples and stops the search. An empty
    result is not a proof. Raises ValueError for no requests and for examples below 1.
    """
    checked_filter(filt)
    if examples < 1:
        raise ValueError(f"examples must be at least 1, got examples={examples}; pass e.g. 100")
    try:
        drawn = requests_near(filt) if requests is None else requests_of(requests, filt)
        broken: dict[str, str] = {}
        admitted = [pair for pair in (*drawn.near, *drawn.pairs) if something_is_admitted(filt, pair)]
        if not admitted:
            broken["something_is_admitted"] = "a fresh run admits none of the requests"
        for _ in range(examples):
            for invariant in INVARIANT_FUNCTIONS:
                name = invariant.__name__
                if name in broken:
                    continue
                if until():
                    return _in_order(broken)
                case = drawn_case(name, drawn, ByteTape(rng.bytes(case_byte_count(name))))
                try:
                    invariant(filt, **case)
                except InvariantBrokenError as how:
                    broken[name] = str(how)
            # a filter with a counter in an attribute soon denies everything and then violates nothing
            for pair in admitted[:4]:
                if not something_is_admitted(filt, pair):
                    words = f"a fresh run denies {pair!r}; an earlier one admitted it, and other runs came between"
                    broken.setdefault("runs_do_not_see_each_other", words)
        return _in_order(broken)
    except StateWrittenError as how:
        return (BrokenInvariant(_WRITING.get(how.method, "asking_changes_nothing"), str(how)),)


def _in_order(broken: dict[str, str]) -> tuple[BrokenInvariant, ...]:
    names = ("something_is_admitted", *(invariant.__name__ for invariant in INVARIANT_FUNCTIONS))
    return tuple(BrokenInvariant(name, broken[name]) for name in names if name in broken)
