"""A specification: the parameters of a figure, with the paper's values as defaults.

>>> from reports.figures.gaussian_steps import PrivateGradientDescent
>>> PrivateGradientDescent(sigma=50).parameters()["sigma"]
50.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

from theory.arguments import check_count, check_delta, check_real, did_you_mean

__all__ = [
    "MOST_POINTS",
    "Specification",
    "check_between",
    "check_count_to",
    "check_points",
    "check_probability",
    "check_rising",
    "check_seed",
    "check_several",
    "check_told_apart",
    "checked",
]

Number = TypeVar("Number", int, float)
T = TypeVar("T")

#: More points than this cannot be told apart in a picture.
MOST_POINTS = 2000


def checked(default: T, check: Callable[..., T], /, **limits: Any) -> T:
    """A parameter with its default; it becomes what `check(name, value, **limits)` makes of it, in subclasses too."""
    parameter: T = field(default=default, metadata={"check": partial(check, **limits)})
    return parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """The parameters of a figure: a frozen dataclass that checks those that are `checked` when it is made."""

    #: What a quick figure has in place of the defaults.
    QUICK: ClassVar[Mapping[str, Any]] = {}
    #: The parameters that no printed number depends on.
    FREE: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        # a subclass with another default keeps the check
        checks = {
            name: one.metadata["check"]
            for kind in reversed(type(self).__mro__)
            for name, one in vars(kind).get("__dataclass_fields__", {}).items()
            if "check" in one.metadata
        }
        for name, check in checks.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))
        self.check_together()

    def check_together(self) -> None:
        """Raise ValueError where parameters that are right by themselves do not go together."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def of(cls, given: Mapping[str, Any], *, quick: bool = False, figure: str = "the figure") -> Self:
        """The specification with these parameters; ValueError names those that exist where one does not."""
        for name, value in given.items():
            if name not in cls.names():
                raise ValueError(
                    f"{name} must be a parameter of {figure}, got {name}={value!r}; "
                    f"there are {', '.join(cls.names())}{did_you_mean(name, cls.names())}"
                )
        return cls(**{**(cls.QUICK if quick else {}), **given})

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as JSON-able values."""
        return {name: getattr(self, name) for name in self.names()}

    @property
    def as_printed(self) -> bool:
        """Whether every parameter that a printed number depends on is the paper's."""
        paper = type(self)()
        return all(getattr(self, one) == getattr(paper, one) for one in self.names() if one not in self.FREE)


def check_between(name: str, value: object, low: float, high: float) -> float:
    """`value` as a number from `low` to `high`: where a figure can be computed and drawn in doubles."""
    number = float(check_real(name, value))
    if not low <= number <= high:
        raise ValueError(
            f"{name} must be from {low:g} to {high:g}, got {name}={number!r}; pass a number between them"
        )
    return number


def check_probability(name: str, value: Any, low: float, high: float) -> float:
    """`value` as a number between 0 and 1, from `low` to `high`."""
    return check_between(name, check_delta(name, value), low, high)


def check_count_to(name: str, value: object, most: int, *, least: int = 1, remedy: str = "pass fewer") -> int:
    """`value` as a whole number, `least` to `most`."""
    count = check_count(name, value, least=least)
    if count > most:
        raise ValueError(f"{name} must be at most {most}, got {name}={count}; {remedy}")
    return count


def check_points(name: str, value: object) -> int:
    """`value` as a number of points on an axis, 2 to 2000."""
    return check_count_to(name, value, MOST_POINTS, least=2, remedy="draw fewer points")


def check_seed(name: str, value: object) -> int:
    """`value` as a seed."""
    return check_count_to(name, value, 2**63 - 1, least=0, remedy="pass a smaller one")


def check_rising(low_name: str, low: float, high_name: str, high: float) -> None:
    """Raise ValueError unless low < high."""
    if not low < high:
        raise ValueError(
            f"{low_name} must be below {high_name}, got {low_name}={low!r}, {high_name}={high!r}; exchange them"
        )


def check_several(
    name: str, value: object, check: Callable[[str, Any], Number], *, least: int = 1, most: int
) -> tuple[Number, ...]:
    """`value`, one number or several, as `least` to `most` rising numbers that pass `check`.

    Those that are no whole numbers must differ in six digits: columns and captions name them so.
    """
    given = value if isinstance(value, tuple | list) else (value,)
    several = tuple(check(name, one) for one in given)
    if not least <= len(several) <= most:
        raise ValueError(f"{name} must be {least} to {most} numbers, got {len(several)}; pass more or fewer")
    if any(one >= other for one, other in pairwise(several)):
        raise ValueError(
            f"{name} must rise from each number to the next, got {name}={several!r}; order them, each once"
        )
    if not all(isinstance(one, int) for one in several):
        check_told_apart(name, several, several)
    return several


def check_told_apart(name: str, given: tuple[Number, ...], shown: tuple[float, ...]) -> None:
    """ValueError unless the numbers `shown` for those `given` differ in the six digits that are printed."""
    words = [f"{one:g}" for one in shown]
    for one, other in pairwise(range(len(words))):
        if words[one] == words[other]:
            raise ValueError(
                f"{name} must differ in the six digits that are printed, got {given[one]!r} and {given[other]!r}, both "
                f"shown as {words[one]}; pass one of them"
            )
