"""A specification: the parameters of a figure, with the paper's values as defaults.

>>> from filterproof.reports.figures.gaussian_steps import DeltaCurves
>>> DeltaCurves(sigma=50).parameters()["sigma"]
50.0
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from filterproof.reports.figures.data import FigureData
from filterproof.theory.argument_checks import check_count, check_delta, check_real, did_you_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Number = TypeVar("Number", int, float)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Printed:
    """What a paper prints a number for, the number, and the one computed; `remark` says where they part and why."""

    what: str
    printed: float
    computed: float
    remark: str = ""

    @property
    def difference(self) -> float:
        """computed - printed."""
        return float(self.computed - self.printed)

    def to_data(self) -> dict[str, str | float]:
        """The comparison as JSON-able data."""
        return asdict(self) | {"difference": self.difference}

    def __str__(self) -> str:
        return f"{self.what}: printed {self.printed:g}, computed {self.computed:.6g}"


#: More points than this cannot be told apart in a picture.
_MOST_POINTS = 2000


def checked(default: T, check: Callable[..., T], /, **limits: Any) -> T:
    """A parameter with its default; it becomes what `check(name, value, **limits)` makes of it."""
    parameter: T = field(default=default, metadata={"check": partial(check, **limits)})
    return parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification(ABC):
    """A figure to be: its parameters, which are checked when it is made, and how data and picture follow from them.

    A figure is a subclass: parameters as fields, made by `real`, `whole` and the like, or `checked`; `data`, `draw`,
    and what its words in `templates/figures.toml` name besides parameters, facts and rows.
    """

    #: What a quick figure has in place of the defaults.
    QUICK: ClassVar[Mapping[str, Any]] = {}
    #: The parameters that no printed number depends on.
    FREE: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, one.metadata["check"](one.name, getattr(self, one.name)))
        self.check_together()

    def check_together(self) -> None:  # noqa: B027, most have nothing to check
        """Raise ValueError where parameters that are right by themselves do not go together."""

    @abstractmethod
    def data(self) -> FigureData:
        """The numbers that the figure shows."""

    @abstractmethod
    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        """Draw the data into as many axes as the figure has panels."""

    def words(self, data: FigureData) -> Mapping[str, Any]:
        """What caption and alt name of the data, by the name that they give it."""
        return {}

    def printed(self, data: FigureData) -> Sequence[Printed]:
        """The paper's numbers beside ours, where the parameters are the paper's."""
        return ()

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


def real(default: float, low: float, high: float) -> float:
    """A parameter from `low` to `high`."""
    return checked(default, check_between, low=low, high=high)


def reals(default: tuple[float, ...], low: float, high: float, *, most: int) -> tuple[float, ...]:
    """A parameter of one to `most` rising numbers from `low` to `high`."""
    return checked(default, check_several, check=partial(check_between, low=low, high=high), most=most)


def probability(default: float, low: float, high: float) -> float:
    """A parameter between 0 and 1, from `low` to `high`."""
    return checked(default, _check_probability, low=low, high=high)


def whole(default: int, *, most: int, least: int = 1, remedy: str = "pass fewer") -> int:
    """A parameter that is a whole number, `least` to `most`."""
    return checked(default, check_count, most=most, least=least, remedy=remedy)


def wholes(
    default: tuple[int, ...],
    *,
    highest: int,
    most: int,
    least: int = 1,
    fewest: int = 1,
    remedy: str = "pass fewer",
) -> tuple[int, ...]:
    """A parameter of `fewest` to `most` rising whole numbers, each from `least` to `highest`."""
    each = partial(check_count, most=highest, least=least, remedy=remedy)
    return checked(default, check_several, check=each, least=fewest, most=most)


def axis_points(default: int) -> int:
    """A parameter that is a number of points on an axis, 2 to 2000."""
    return whole(default, most=_MOST_POINTS, least=2, remedy="draw fewer points")


def any_seed(default: int) -> int:
    """A parameter that is a seed."""
    return whole(default, most=2**63 - 1, least=0, remedy="pass a smaller one")


def _check_probability(name: str, value: Any, low: float, high: float) -> float:
    return check_between(name, check_delta(name, value), low, high)


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
    for one, other in pairwise(several):
        if not isinstance(one, int) and f"{one:g}" == f"{other:g}":
            raise ValueError(
                f"{name} must differ in the six digits that are printed, got {one!r} and {other!r}, both shown as "
                f"{one:g}; pass one of them"
            )
    return several
