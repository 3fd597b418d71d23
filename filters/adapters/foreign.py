"""An object of another library that decides: made afresh, charged, and asked what it has spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs import DominatingPair

__all__ = ["Foreign", "checked_callable", "checked_make", "limit_of"]

#: The one number of a guarantee that a total is compared with.
_LIMITS = {ApproxDP: "epsilon", PureDP: "epsilon", ZCDP: "rho", GaussianDP: "mu", RenyiDP: "rho"}


@dataclass(frozen=True, slots=True, eq=False)
class Foreign:
    """How an object of another library is used as a filter. What the library raises is raised, and is no denial.

    make() gives a fresh object, before anything was released; name is the object and the rule in words, without
    addresses; promise is what the library promises, or the rule that is made of it. granted(held, pair) requests one
    use of the pair: whether it is granted; if so, it is charged. replayed(held, pair, count) charges so many uses that
    were granted before: whether the object grants them again. spent(held) is what the object says it has spent, in the
    unit of the promise, None where it does not say. composes: whether `granted` depends on what was released and not on
    its order, by the definition of the rule.
    """

    make: Callable[[], Any]
    name: str
    promise: Guarantee
    granted: Callable[[Any, DominatingPair], bool]
    replayed: Callable[[Any, DominatingPair, int], bool]
    spent: Callable[[Any], float | None]
    composes: bool


def limit_of(target: Guarantee) -> float:
    """The number that what was spent may reach under a guarantee: its epsilon, rho or mu."""
    if type(target) not in _LIMITS:
        raise TypeError(f"target must be a guarantee, got {target!r}; pass e.g. fp.ApproxDP(1.0, 1e-5)")
    return float(getattr(target, _LIMITS[type(target)]))


def checked_callable(name: str, value: object) -> None:
    """TypeError if `value` cannot be called."""
    if not callable(value):
        raise TypeError(f"{name} must be callable, got {value!r}; pass a function or a lambda")


def checked_make(make: Callable[[], Any]) -> str:
    """The name of what `make` makes; ValueError if it gives one object twice, whose uses would be those of all runs."""
    checked_callable("make", make)
    foreign = make()
    if make() is foreign:
        raise ValueError(
            f"make must give a fresh object each time, got one {type(foreign).__name__} twice; make it inside the "
            "function"
        )
    return type(foreign).__name__
