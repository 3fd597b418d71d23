"""A budget that is spent: an object that grants a cost, or refuses it with an exception or a no.

>>> import filterproof as fp
>>> class Purse:
...     left = 1.0
...     def spend(self, epsilon):
...         if epsilon > self.left:
...             raise LookupError("too dear")
...         self.left -= epsilon
>>> filt = fp.from_budget(
...     Purse, lambda purse, pair: purse.spend(float(pair.pure_epsilon)), fp.PureDP(1.0), denied=LookupError
... )
>>> session = filt.open("retry")
>>> [session.request(fp.RandomizedResponse(size)) for size in (0.75, 0.5, 0.25)]
[True, False, True]
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from filterproof.filters.adapters.foreign import Foreign, checked_callable, checked_make, filter_of
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import checked_menu
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

#: The exceptions that mean "denied", or what says of an exception whether it does.
Denied: TypeAlias = "type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool]"


def is_no(answered: object) -> bool:
    """Whether an answer is False, Python's or numpy's, or an array with one; what says nothing, None or 0, is none.

    Raises TypeError for what has not answered yet.
    """
    if inspect.isawaitable(answered) or inspect.isgenerator(answered):
        raise TypeError(
            f"a budget must answer at once, got a {type(answered).__name__}; wait for it, by asyncio.run say"
        )
    if isinstance(answered, np.ndarray) and answered.dtype == np.bool_:
        answered = answered.all()
    return isinstance(answered, (bool, np.bool_)) and not answered


def from_budget(
    make: Callable[[], Any],
    spend: Callable[[Any, Any], object],
    promise: Guarantee,
    *,
    menu: tuple[DominatingPair, ...] | None = None,
    denied: Denied = (),
    spent: Callable[[Any], float] | None = None,
) -> PrivacyFilter:
    """The filter that grants what `spend(budget, pair)` grants: everything but False and what `denied` names.

    make() gives a fresh budget. `denied` holds the exceptions that mean a denial, or says of an exception whether it
    does; every other one is raised. `spent(budget)` is what it says it has spent, for `invariants_for_accountants`.
    With a menu the state is how often each pair was used, else it is the budget, copied for each request. Raises
    TypeError for arguments of the wrong kind, ValueError if make gives one object twice.
    """
    checked_callable("spend", spend)
    if not all(map(callable, denied if isinstance(denied, tuple) else (denied,))):
        raise TypeError(
            f"denied must be exceptions or a function of one, got {denied!r}; pass e.g. ValueError"
        )
    name = f"the decisions of {checked_make(make)}"
    return filter_of(_Budget(make, name, promise, spend, denied, spent), menu)


@dataclass(frozen=True, eq=False)
class _Budget(Foreign):
    """An object that decides itself."""

    spend: Callable[[Any, Any], object]
    denied: Denied
    says: Callable[[Any], float] | None
    composes = False

    def granted(self, held: Any, pair: DominatingPair) -> bool:
        try:
            answered = self.spend(held, pair)
        except Exception as refused:
            kinds = self.denied
            if not (isinstance(refused, kinds) if isinstance(kinds, (type, tuple)) else kinds(refused)):
                raise
            return False
        return not is_no(answered)

    def replayed(self, held: Any, pair: DominatingPair, count: int) -> bool:
        return all(self.granted(held, pair) for _ in range(count))

    def spent(self, held: Any) -> float | None:
        return None if self.says is None else float(self.says(held))


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
    checked_callable("query", query)
    queries = {pair: query(pair) for pair in checked_menu(menu)}

    def invoked(queryable: Any, pair: DominatingPair) -> None:
        queryable(queries[pair] if pair in queries else query(pair))

    return from_budget(make, invoked, promise, menu=menu, denied=denied, spent=spent)
