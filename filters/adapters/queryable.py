"""A queryable: an object that is invoked with a mechanism, releases its output, or refuses with an exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from filters.adapters.budget import SpendingObject
from filters.adapters.counted import CountedFilter
from filters.adapters.denial import Denied, checked_denied
from filters.adapters.foreign import checked_callable
from filters.privacy_filter import PrivacyFilter
from filters.rules.menu import checked_menu
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

__all__ = ["from_queryable"]


def from_queryable(
    make: Callable[[], Any],
    query: Callable[[Any], Any],
    promise: Guarantee,
    *,
    menu: tuple[DominatingPair, ...],
    denied: Denied,
    spent: Callable[[Any], float] | None = None,
) -> PrivacyFilter:
    """The filter that grants a request where invoking `queryable(query(pair))` does not raise what `denied` names.

    make() gives a fresh queryable over some data, query(pair) the mechanism that the pair describes, made once for each
    pair of the menu. A queryable keeps what it released inside and cannot be copied: it is made again and invoked again
    for each row of uses, so its outputs are thrown away. Exceptions that `denied` does not name are raised. `spent` is
    as in `from_budget`. Raises TypeError for arguments of the wrong kind, ValueError if make gives one object twice.
    """
    for name, value in (("make", make), ("query", query)):
        checked_callable(name, value)
    queries = {pair: query(pair) for pair in checked_menu(menu)}

    def invoked(queryable: Any, pair: DominatingPair) -> None:
        queryable(queries[pair] if pair in queries else query(pair))

    return CountedFilter(SpendingObject(make, invoked, promise, checked_denied(denied), spent), menu)
