"""Checks of filter parameters: one number each. A number that is no double is rounded down."""

from __future__ import annotations

from collections.abc import Callable

from filterproof.theory.argument_checks import (
    Real,
    check_at_least_zero,
    check_delta,
    check_order,
    check_order_from_one,
    check_positive,
    check_real,
    safe_double_copy,
)

__all__ = [
    "one_at_least_zero",
    "one_delta",
    "one_delta_from_zero",
    "one_epsilon",
    "one_mu",
    "one_order",
    "one_order_from_one",
    "one_positive",
    "one_real",
    "store_checked_parameters",
]

#: The largest mu whose zCDP parameter mu^2 / 2 does not overflow.
_MAX_MU = 2.0**511


def store_checked_parameters(instance: object, **checks: Callable[[str, object], float]) -> tuple[float, ...]:
    """Check the named attributes of a frozen instance and store the checked values. For use in `__post_init__`."""
    values = {name: check(name, getattr(instance, name)) for name, check in checks.items()}
    for name, value in values.items():
        object.__setattr__(instance, name, value)
    return tuple(values.values())


def _scalar_check(
    check: Callable[[str, object], Real], remedy: str = "use one filter each"
) -> Callable[[str, object], float]:
    """Make a check of one number from `check`, which accepts arrays. Round down a number that is no double."""

    def checked(name: str, value: object) -> float:
        number = check(name, safe_double_copy(value, down=True))
        if not isinstance(number, float):
            raise TypeError(f"{name} must be one number, got an array of shape {number.shape}; {remedy}")
        return number

    return checked


#: Finite; positive; not negative; in (0, 1); a finite Rényi order above 1; a finite Rényi order of at least 1.
one_real = _scalar_check(check_real, "ask for one at a time")
one_positive, one_at_least_zero = _scalar_check(check_positive), _scalar_check(check_at_least_zero)
one_delta, one_order, one_order_from_one = (
    _scalar_check(check_delta),
    _scalar_check(check_order),
    _scalar_check(check_order_from_one),
)


def one_epsilon(name: str, value: object) -> float:
    """Return `value` as a float, finite and >= 0: for a negative epsilon H_{e^eps} >= 1 - e^eps > 0."""
    epsilon = one_real(name, value)
    check_at_least_zero(name, epsilon, "pass the epsilon of a promise, zero or more, in nats")
    return epsilon


def one_delta_from_zero(name: str, value: object) -> float:
    """Return `value` as a float in [0, 1)."""
    delta = one_at_least_zero(name, value)
    if delta >= 1:
        raise ValueError(f"{name} must be in [0, 1), got {name}={delta!r}; pass a probability")
    return delta


def one_mu(name: str, value: object) -> float:
    """Return `value` as a float in (0, 2^511], so that its square does not overflow."""
    mu = one_positive(name, value)
    if mu > _MAX_MU:
        raise ValueError(f"{name} must be at most 2^511, got {name}={mu!r}; pass a smaller mu")
    return mu
