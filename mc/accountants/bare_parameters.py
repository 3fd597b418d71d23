"""The laws of bare parameters, such as an epsilon: odd ones grant nothing, and tiny ones are their sum."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from filters.adapters.budget import is_no
from filters.adapters.foreign import limit_of
from filters.testing.laws import LawBrokenError
from mc.accountants.accountant_subject import AccountantSubject, NotAskedError, exceeds
from theory.guarantees import PureDP

#: Parameters that nobody means: each must be refused, or must leave the total a number that has not fallen.
_ODD = (math.nan, math.inf, -math.inf, -1.0, -0.0, 0.0, 5e-324, 1e308)
#: A thousand of it is the whole budget; and the classic, ten of which are a little more than 1.
_TINY = (Fraction(1, 1000), Fraction(1, 10))

#: Parameters of which an object that takes any takes one; those last that as a noise would be costly to account for.
_ORDINARY = (1.0, 2.0, 0.5, 10.0, 0.1, 100.0, 0.01)


def odd_parameters_grant_nothing(subject: AccountantSubject) -> str:
    """Parameters that nobody means, NaN or -1, say, are refused, or leave a total that has not fallen."""
    if subject.raw is None:
        raise NotAskedError("no bare parameter is charged")
    _takes_ordinary(subject)
    pair = next((one for one in subject.menu if subject.foreign.granted(subject.foreign.make(), one)), None)
    if pair is None:
        raise NotAskedError("nothing of its menu is granted")
    due = subject.lasts(subject.played((pair,))[0], pair)
    taken = []
    for value in _ODD:
        budget = subject.played((pair,))[0]
        before = subject.foreign.spent(budget)
        if not _taken(subject, budget, value)[0]:
            continue
        taken.append(f"{value:g}")
        try:
            after, left = subject.foreign.spent(budget), subject.lasts(budget, pair)
        except ValueError as error:
            raise LawBrokenError(f"{value:g} is taken, and then it answers no number: {error}") from error
        if left > due:
            raise LawBrokenError(f"{value:g} is taken, and then {pair!r} is granted {left} times, not {due}")
        if after is not None and before is not None and exceeds(before, after, subject.tolerance):
            raise LawBrokenError(
                f"{value:g} is taken, and what was spent falls from {before:.9g} to {after:.9g}"
            )
    return f"takes {', '.join(taken) or 'none of them'}"


def tiny_spends_are_their_sum(subject: AccountantSubject) -> str:
    """Tiny spends are granted while their exact sum is within the limit, and no longer."""
    if subject.raw is None or subject.foreign.composes or not isinstance(subject.foreign.promise, PureDP):
        raise NotAskedError("its spends are not added up")
    limit = Fraction(limit_of(subject.foreign.promise))
    _takes_ordinary(subject)
    if not _charges_epsilons(subject, float(limit)):
        raise NotAskedError("its bare parameter is no epsilon")
    sums = []
    for share in _TINY:
        epsilon = float(share * limit)
        granted = _spends(subject, epsilon, most=int(2 / share))
        over = granted * Fraction(epsilon) - limit
        words = f"{granted} x {epsilon!r} of {float(limit)!r}, {float(abs(over)):.3g} {'over' if over > 0 else 'left'}"
        if over > limit * Fraction(subject.tolerance):
            raise LawBrokenError(f"it grants {words}")
        if -over > Fraction(epsilon) * (1 + Fraction(1, 1000)):
            raise LawBrokenError(f"it grants only {words}")
        sums.append(words)
    return "; ".join(sums)


def _takes_ordinary(subject: AccountantSubject) -> None:
    """NotAskedError where the object takes no ordinary bare parameter: then a refusal says nothing of an odd one."""
    said = ""
    for value in _ORDINARY:
        taken, refusal = _taken(subject, subject.foreign.make(), value)
        if taken:
            return
        said = said if refusal is None else f": {type(refusal).__name__}: {refusal}"
    raise NotAskedError(f"it takes no bare parameter, not even an ordinary one{said}")


def _taken(subject: AccountantSubject, budget: Any, value: float) -> tuple[bool, Exception | None]:
    """Whether an object takes a bare parameter, and what it raised if it does not."""
    assert subject.raw is not None
    try:
        return not is_no(subject.raw(budget, value)), None
    except Exception as error:  # noqa: BLE001 refused, in whatever words
        return False, error


def _charges_epsilons(subject: AccountantSubject, limit: float) -> bool:
    """Whether bare parameters are charged as epsilons are: a noise costs less, and is taken, where it is larger."""
    small, large = _cost(subject, limit / 4), _cost(subject, limit / 2)
    if small is None and large is None:
        return _cost(subject, 8 * limit) is None
    return small is None or large is None or small <= large


def _cost(subject: AccountantSubject, value: float) -> float | None:
    """What a fresh object says it has spent on a bare parameter, 0 if it does not say; None if it refuses it."""
    budget = subject.foreign.make()
    try:
        return (subject.foreign.spent(budget) or 0.0) if _taken(subject, budget, value)[0] else None
    except Exception:  # noqa: BLE001 it takes it, and cannot say what that cost
        return None


def _spends(subject: AccountantSubject, epsilon: float, *, most: int) -> int:
    """How often a fresh object takes the bare epsilon."""
    budget = subject.foreign.make()
    return next((times for times in range(most) if not _taken(subject, budget, epsilon)[0]), most)
