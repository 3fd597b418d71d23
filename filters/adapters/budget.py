"""A budget object of another library, which grants a cost or refuses it by an exception or False.

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

from filterproof.filters.adapters.foreign import (
    ForeignObject,
    Menu,
    checked_callable,
    checked_made_name,
    checked_release_callback,
    filter_of,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import checked_menu
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

#: The exceptions that mean "denied", or a function that decides it for an exception.
Denied: TypeAlias = "type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool]"


def is_no(answered: object) -> bool:
    """Whether an answer is False, of Python or numpy, or an array with False. None and 0 are no denial.

    Raises TypeError for an answer that has to be awaited.
    """
    if inspect.isawaitable(answered) or inspect.isgenerator(answered):
        raise TypeError(
            f"a budget must answer at once, got a {type(answered).__name__}; wait for it, e.g. by asyncio.run"
        )
    if isinstance(answered, np.ndarray) and answered.dtype == np.bool_:
        answered = answered.all()
    return isinstance(answered, (bool, np.bool_)) and not answered


def from_budget(
    make: Callable[[], Any],
    spend: Callable[[Any, Any], object],
    promise: Guarantee,
    *,
    menu: Menu | None = None,
    denied: Denied = (),
    spent: Callable[[Any], float] | None = None,
    released: Callable[[Any, Any, float], object] | None = None,
) -> PrivacyFilter:
    """Create a filter from a budget object of another library.

    The filter grants a request if `spend(budget, pair)` returns anything but False and raises no denial. For a request
    with labels it may not return a collection, such as the labels that the answer covers.

    Parameters
    ----------
    make : callable
        A function without arguments that returns a fresh budget.
    spend : callable
        spend(budget, pair) charges the budget.
    promise : Guarantee
        The promise of the filter.
    menu : tuple of DominatingPair, or mapping of names to them, optional
        The pairs that requests may use; an examination uses the names. The state is then the number of uses of each
        pair. Without a menu it is the budget, copied for each request.
    denied : exception type, tuple of exception types, or callable
        The exceptions that mean a denial, or a function that says so of an exception. Other exceptions are raised.
    spent : callable, optional
        spent(budget) is the amount that the budget reports, for `fp.invariants_for_accountants`.
    released : callable, optional
        released(budget, pair, loss) tells the budget what came out, after each granted request: the realised loss log
        p(output)/q(output) of the release, in nats. With it the state is the budget, also with a menu.

    Returns
    -------
    PrivacyFilter

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `make` returns the same object twice.
    """
    checked_callable("spend", spend)
    if not all(map(callable, denied if isinstance(denied, tuple) else (denied,))):
        raise TypeError(
            f"denied must be exceptions or a function of one, got {denied!r}; pass e.g. ValueError"
        )
    class_name = checked_made_name(make)
    return filter_of(
        _BudgetAdapter(
            make, class_name, promise, spend, denied, spent, on_release=checked_release_callback(released)
        ),
        menu,
    )


@dataclass(frozen=True, eq=False)
class _BudgetAdapter(ForeignObject):
    """An object that decides itself."""

    spend: Callable[[Any, Any], object]
    denied: Denied
    reported_spent: Callable[[Any], float] | None
    composes, rule = False, "the decisions"

    def granted(self, instance: Any, pair: DominatingPair) -> bool:
        try:
            answered = self.spend(instance, pair)
        except Exception as refused:
            kinds = self.denied
            if not (isinstance(refused, kinds) if isinstance(kinds, (type, tuple)) else kinds(refused)):
                raise
            return False
        if pair.labels and isinstance(answered, (list, tuple, set, frozenset, dict)):
            raise TypeError(
                f"spend must grant or deny the whole request, got {answered!r}; return a bool, or describe code that "
                "answers on some labels as a service with fp.services.Release(epoch=...)"
            )
        return not is_no(answered)

    def replay_uses(self, instance: Any, pair: DominatingPair, count: int) -> bool:
        return all(self.granted(instance, pair) for _ in range(count))

    def spent(self, instance: Any) -> float | None:
        return None if self.reported_spent is None else float(self.reported_spent(instance))


def from_queryable(
    make: Callable[[], Any],
    query: Callable[[Any], Any],
    promise: Guarantee,
    *,
    menu: Menu,
    denied: Denied,
) -> PrivacyFilter:
    """Create a filter from a queryable: an object that holds data and denies queries beyond its budget.

    The filter grants a request if `queryable(query(pair))` raises no denial.

    Parameters
    ----------
    make : callable
        A function without arguments that returns a fresh queryable.
    query : callable
        A map from a dominating pair to a query. It is called once for each pair of the menu.
    promise : Guarantee
        The promise of the filter.
    menu : tuple of DominatingPair, or mapping of names to them
        The pairs that requests may use; an examination uses the names.
    denied : exception type, tuple of exception types, or callable
        The exceptions that mean a denial. Other exceptions are raised.

    Returns
    -------
    PrivacyFilter

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `make` returns the same object twice.

    Notes
    -----
    A queryable cannot be copied. The filter creates a new one for each combination of uses, repeats the queries, and
    discards the outputs.
    """
    checked_callable("query", query)
    queries = {pair: query(pair) for pair in checked_menu(menu)}

    def invoked(queryable: Any, pair: DominatingPair) -> None:
        queryable(queries[pair] if pair in queries else query(pair))

    return from_budget(make, invoked, promise, menu=menu, denied=denied)
