"""Invariants of accountants: relations between the answers of one object, and between them and true privacy losses.

An invariant raises InvariantBrokenError with a counterexample, and SkipTest if it does not apply to the object.

>>> import filterproof as fp
>>> from dp_accounting import GaussianDpEvent, rdp
>>> filt = fp.from_accountant(
...     rdp.RdpAccountant,
...     lambda pair: GaussianDpEvent(1 / pair.mu),
...     fp.ApproxDP(1.0, 1e-5),
...     menu=(fp.Gaussian(0.1), fp.Gaussian(0.2)),
... )
>>> TestRdpAccountant = fp.invariants_for_accountants(filt)
>>> TestRdpAccountant().test_the_total_never_falls()
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from operator import itemgetter
from typing import Any
from unittest import SkipTest

from filterproof.filters.adapters.budget import is_no
from filterproof.filters.adapters.foreign import CopiedFilter, CountedFilter, spending_limit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.invariants import InvariantBrokenError
from filterproof.mc.accountant_invariants.audited_accountant import (
    AuditedAccountant,
    History,
    exceeds_tolerance,
)
from filterproof.mc.accountant_invariants.true_loss import explain_too_small_answer
from filterproof.theory.argument_checks import check_positive
from filterproof.theory.guarantees import PureDP
from filterproof.theory.pairs import DominatingPair, Laplace, RandomizedResponse

#: Parameters outside any sensible range: each must be refused, or must leave a total that is a number and has not
#: fallen.
_ODD_PARAMETERS = (math.nan, math.inf, -math.inf, -1.0, -0.0, 0.0, 5e-324, 1e308)
#: Ordinary parameters: an object with a `raw` function accepts one of them. The last would be an expensive noise.
_ORDINARY_PARAMETERS = (1.0, 2.0, 0.5, 10.0, 0.1, 100.0, 0.01)
#: A thousand of the first is the whole budget; ten of the second are slightly more than 1.
_TINY_SHARES = (Fraction(1, 1000), Fraction(1, 10))


def a_count_is_so_many_uses(subject: AuditedAccountant) -> None:
    """Composing with a count equals composing that often."""
    if not subject.foreign_object.composes:
        raise SkipTest("it is charged one use at a time")
    for pair, count in product(subject.menu, (2, 3, 10)):
        at_once = subject.foreign_object.make()
        subject.foreign_object.replay_uses(at_once, pair, count)
        first = subject.reported_spent(at_once)
        second = subject.reported_spent(subject.played((pair,) * count)[0])
        if not subject.is_close(first, second):
            amounts = f"{first:.9g} at once, but {second:.9g} one by one"
            raise InvariantBrokenError(f"{count} x {pair!r}: {amounts}")


def the_order_does_not_matter(subject: AuditedAccountant) -> None:
    """The order of independent events does not matter."""
    tried, limit = 0, spending_limit(subject.foreign_object.promise)
    for history in subject.histories:
        budget, granted = subject.played(history)
        for order in subject.reorderings(granted) if len(set(granted)) > 1 else ():
            other, again = subject.played(order)
            spent = subject.foreign_object.spent(budget)
            if len(again) != len(granted) and spent is not None and subject.is_close(spent, limit):
                continue  # the limit lies between two roundings of one sum
            tried += 1
            if len(again) != len(granted):
                raise InvariantBrokenError(
                    f"{_history_text(granted)} is granted, but in another order only {_history_text(again)}"
                )
            if spent is not None and not subject.is_close(spent, subject.reported_spent(other)):
                raise InvariantBrokenError(
                    f"{_history_text(granted)}: {spent:.9g}, in another order {subject.reported_spent(other):.9g}"
                )
    if not tried:
        raise SkipTest("no history has grants of two kinds of requests")


def the_total_never_falls(subject: AuditedAccountant) -> None:
    """The total never falls."""
    for history in subject.histories:
        budget, before = subject.foreign_object.make(), subject.initial_reported_spent()
        for i, pair in enumerate(history):
            subject.foreign_object.granted(budget, pair)
            after = subject.reported_spent(budget)
            if exceeds_tolerance(before, after, subject.tolerance):
                raise InvariantBrokenError(
                    f"after {_history_text(history[: i + 1])} the total falls from {before:.9g} to {after:.9g}"
                )
            before = after


def a_superset_never_costs_less(subject: AuditedAccountant) -> None:
    """Removing any one event from a history never increases its cost."""
    for history in subject.histories:
        _, granted = subject.played(history)
        superset_total = subject.reported_total(granted)
        if superset_total is None:  # its decisions depend on more than the releases
            continue
        for i in range(min(len(granted), 6)):
            part = subject.reported_total(granted[:i] + granted[i + 1 :])
            if part is None:
                raise InvariantBrokenError(
                    f"{_history_text(granted)} is granted, but denied without {granted[i]!r}"
                )
            if exceeds_tolerance(part, superset_total, subject.tolerance):
                raise InvariantBrokenError(
                    f"{_history_text(granted)} costs {superset_total:.9g}, but {part:.9g} without {granted[i]!r}"
                )


def more_noise_never_costs_more(subject: AuditedAccountant) -> None:
    """Doubling the noise, or halving the sampling rate, never costs more."""
    tried = 0
    for pair, count in product(subject.menu, (1, 5)):
        total = subject.reported_total((pair,) * count)
        # a denied request is not charged, and a pair outside the menu need not be supported
        for quiet in filter(subject.supports, pair.more_private_variants):
            if total is None or (less := subject.reported_total((quiet,) * count)) is None:
                continue
            tried += 1
            if exceeds_tolerance(less, total, subject.tolerance):
                raise InvariantBrokenError(
                    f"{count} x {quiet!r} costs {less:.9g}, more than {count} x {pair!r}, which reveals more and costs "
                    f"{total:.9g}"
                )
    if not tried:
        raise SkipTest("no more private mechanism is known and granted")


def a_denial_changes_nothing(subject: AuditedAccountant) -> None:
    """A denial neither charges nor refunds: afterwards the object grants the same as before, or nothing."""
    if subject.foreign_object.composes:
        raise SkipTest("the object only computes its spending and denies no request itself")
    tried = 0
    for history in subject.histories:
        for request in subject.menu:
            budget, granted = subject.played(history)
            if subject.foreign_object.granted(budget, request):
                continue
            untouched, _ = subject.played(granted)
            tried += 1
            cost, due = subject.foreign_object.spent(budget), subject.foreign_object.spent(untouched)
            if cost is not None and due is not None and not subject.is_close(cost, due):
                raise InvariantBrokenError(
                    f"{due:.9g} is spent after {_history_text(granted)}, but {cost:.9g} after the denial of {request!r}"
                )
            count = subject.count_grants
            lasting = [(pair, count(budget, pair), count(untouched, pair)) for pair in subject.menu]
            changed = [row for row in lasting if row[1] != row[2]]
            if changed and any(denied for _, denied, _ in lasting):  # an object may halt after a denial
                pair, denied, fresh = changed[0]
                raise InvariantBrokenError(
                    f"{pair!r} is granted {fresh} times after {_history_text(granted)}, but {denied} times after "
                    f"the denial of {request!r}"
                )
    if not tried:
        raise SkipTest("nothing was denied")


def odd_parameters_never_refund(subject: AuditedAccountant) -> None:
    """The object refuses unusual parameters, such as NaN or -1, or its total does not fall."""
    if subject.raw is None:
        raise SkipTest("no bare parameter is charged")
    refusals = [
        _refusal_text(subject, subject.foreign_object.make(), value) for value in _ORDINARY_PARAMETERS
    ]
    if all(refusals):  # a refusal of an unusual parameter then says nothing
        raise SkipTest(
            "raw(accountant, value) must accept an ordinary value, got a refusal of each of "
            f"{', '.join(f'{value:g}' for value in _ORDINARY_PARAMETERS)}, last {refusals[-1]}; "
            "correct raw, or leave it out"
        )
    foreign = subject.foreign_object
    pair = next((pair for pair in subject.menu if foreign.granted(foreign.make(), pair)), None)
    if pair is None:
        raise SkipTest("no pair of the menu is granted by a fresh accountant; pass cheaper pairs in menu")
    due = subject.count_grants(subject.played((pair,))[0], pair)
    for value in _ODD_PARAMETERS:
        budget = subject.played((pair,))[0]
        before = subject.foreign_object.spent(budget)
        if _refusal_text(subject, budget, value):
            continue
        try:
            after, left = subject.foreign_object.spent(budget), subject.count_grants(budget, pair)
        except ValueError as error:
            raise InvariantBrokenError(
                f"raw accepts {value:g}; then no number is reported: {error}; refuse such values"
            ) from error
        if left > due:
            raise InvariantBrokenError(
                f"raw accepts {value:g}; then {pair!r} is granted {left} times, and {due} times without it; "
                "refuse such values"
            )
        if after is not None and before is not None and exceeds_tolerance(before, after, subject.tolerance):
            raise InvariantBrokenError(
                f"raw accepts {value:g}; then the spending falls from {before:.9g} to {after:.9g}; refuse such values"
            )


def _refusal_text(subject: AuditedAccountant, budget: Any, value: float) -> str:
    """Return how an object refuses a bare parameter such as an epsilon; "" if it accepts it."""
    assert subject.raw is not None
    try:
        return "denied" if is_no(subject.raw(budget, value)) else ""
    except Exception as error:  # noqa: BLE001 refused, in whatever words
        return f"{type(error).__name__}: {error}"


def tiny_spends_are_their_sum(subject: AuditedAccountant) -> None:
    """Tiny charges are granted as long as their exact sum is within the limit."""
    if subject.foreign_object.composes or not isinstance(subject.foreign_object.promise, PureDP):
        raise SkipTest("it does not add up its charges")
    limit = Fraction(spending_limit(subject.foreign_object.promise))
    for share in _TINY_SHARES:
        epsilon = float(share * limit)
        pairs: tuple[DominatingPair, ...] = (RandomizedResponse(epsilon), Laplace(1 / epsilon))
        pair = next(filter(subject.supports, pairs), None)
        if pair is None:
            raise SkipTest(
                f"the object supports neither randomised response nor Laplace noise with epsilon={epsilon:g}"
            )
        budget = subject.foreign_object.make()
        most = int(2 / share)
        granted = next((n for n in range(most) if not subject.foreign_object.granted(budget, pair)), most)
        over = granted * Fraction(epsilon) - limit
        words = f"{granted} x {epsilon!r} of {float(limit)!r}, {float(abs(over)):.3g} {'over' if over > 0 else 'left'}"
        if over > limit * Fraction(subject.tolerance):
            raise InvariantBrokenError(f"it grants {words}")
        if -over > Fraction(epsilon) * (1 + Fraction(1, 1000)):
            raise InvariantBrokenError(f"it grants only {words}")


def what_it_answers_is_at_least_the_truth(subject: AuditedAccountant) -> None:
    """The answer about mechanisms fixed in advance is at least the true value, in closed form or certified."""
    tried = 0
    for granted, answered in filter(itemgetter(0), _reported_after_histories(subject)):
        tried += 1
        if fault := explain_too_small_answer(
            granted, answered, subject.foreign_object.promise, subject.tolerance
        ):
            raise InvariantBrokenError(f"{_history_text(granted)}: {fault}")
    if not tried:
        raise SkipTest("nothing of any history was granted")


def _reported_after_histories(subject: AuditedAccountant) -> Iterator[tuple[History, float]]:
    """Yield the granted part of each history, and of 10 and 100 uses at once, with the reported spending."""
    for history in subject.histories:
        budget, granted = subject.played(history)
        yield granted, subject.reported_spent(budget)
    for pair, count in product(subject.menu if subject.foreign_object.composes else (), (10, 100)):
        budget = subject.foreign_object.make()
        subject.foreign_object.replay_uses(budget, pair, count)
        yield (pair,) * count, subject.reported_spent(budget)


#: Key -> invariant, in the order of the tests.
ACCOUNTANT_INVARIANTS: Mapping[str, Callable[[AuditedAccountant], None]] = {
    invariant.__name__: invariant
    for invariant in (
        a_count_is_so_many_uses,
        the_order_does_not_matter,
        the_total_never_falls,
        a_superset_never_costs_less,
        more_noise_never_costs_more,
        a_denial_changes_nothing,
        odd_parameters_never_refund,
        tiny_spends_are_their_sum,
        what_it_answers_is_at_least_the_truth,
    )
}


def _history_text(history: History) -> str:
    """Return a history as text, such as "2 x Gaussian(mu=0.1)"."""
    counts = {pair: history.count(pair) for pair in history}
    return ", ".join(f"{count} x {pair!r}" for pair, count in counts.items()) or "nothing"


def invariants_for_accountants(
    filt: PrivacyFilter,
    *,
    menu: tuple[DominatingPair, ...] | None = None,
    tolerance: float = 1e-6,
    raw: Callable[[Any, float], object] | None = None,
) -> type:
    """Return a test class with the invariants of the accountant behind a filter.

    Parameters
    ----------
    filt : PrivacyFilter
        A filter made by `from_accountant`, `from_budget` or `from_queryable`.
    menu : tuple of DominatingPair, optional
        The pairs to request. By default the filter's own menu.
    tolerance : float, default 1e-6
        Relative tolerance for comparing answers, > 0.
    raw : callable, optional
        raw(accountant, value) charges a bare parameter, for the invariant on odd parameters.

    Returns
    -------
    type
        A class that pytest collects: `TestMine = fp.invariants_for_accountants(filt)`. A test is skipped, with the
        reason, if its invariant does not apply to the object.

    Raises
    ------
    TypeError
        If `filt` comes from elsewhere, or no menu is known.
    ValueError
        If tolerance <= 0.

    Notes
    -----
    Passed tests are no proof. `verify` looks for adaptive adversaries.
    """
    check_positive("tolerance", tolerance)
    if not isinstance(filt, (CountedFilter, CopiedFilter)):
        raise TypeError(
            f"filt must be made by from_accountant, from_budget or from_queryable, got {filt!r}; "
            "use fp.invariants for other filters"
        )
    chosen_menu = menu if menu is not None else getattr(filt, "menu", None)
    if not chosen_menu:
        raise TypeError(f"menu must be given for {filt!r}, got {menu!r}; pass pairs that it supports")
    subject = AuditedAccountant(filt, tuple(chosen_menu), tolerance, raw)
    tests = ACCOUNTANT_INVARIANTS.items()
    methods = {f"test_{name}": _invariant_test(invariant, subject) for name, invariant in tests}
    return type(f"Test{type(subject.foreign_object.make()).__name__}", (), methods)


def _invariant_test(
    invariant: Callable[[AuditedAccountant], None], subject: AuditedAccountant
) -> Callable[[object], None]:

    def test(self: object) -> None:
        invariant(subject)

    test.__name__ = test.__qualname__ = f"test_{invariant.__name__}"
    test.__doc__ = invariant.__doc__
    return test
