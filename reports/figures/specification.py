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

from filterproof.reports.figures.figure_data import FigureData
from filterproof.theory.argument_checks import check_count, check_delta, check_real, did_you_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Number = TypeVar("Number", int, float)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PrintedAndComputed:
    """A number that the paper prints, and the one that this code computes."""

    what: str
    printed: float
    computed: float
    remark: str = ""

    @property
    def difference(self) -> float:
        """Return computed - printed."""
        return float(self.computed - self.printed)

    def to_data(self) -> dict[str, str | float]:
        """Return the comparison as JSON data."""
        return asdict(self) | {"difference": self.difference}

    def __str__(self) -> str:
        return f"{self.what}: printed {self.printed:g}, computed {self.computed:.6g}"


#: The largest number of points that a picture can show.
_MAX_POINTS = 2000


def parameter_field(default: T, check: Callable[..., T], /, **limits: Any) -> T:
    """Declare a field with a default and a check, which runs when a specification is made."""
    parameter: T = field(default=default, metadata={"check": partial(check, **limits)})
    return parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification(ABC):
    """The checked parameters of a figure, and the code for its data and its picture.

    A figure is a subclass with parameters as fields (by `real_parameter`, `integer_parameter`, ... or
    `parameter_field`), `data`, `draw`, and `caption_values` for the other names in its texts in
    `templates/figures.toml`.
    """

    #: The parameters of a quick figure that differ from the defaults.
    QUICK: ClassVar[Mapping[str, Any]] = {}
    #: The parameters that do not affect a printed number.
    FREE: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for parameter in fields(self):
            object.__setattr__(
                self,
                parameter.name,
                parameter.metadata["check"](parameter.name, getattr(self, parameter.name)),
            )
        self.check_together()

    def check_together(self) -> None:  # noqa: B027, most have nothing to check
        """Raise ValueError for valid parameters that are not valid together."""

    @abstractmethod
    def data(self) -> FigureData:
        """Return the numbers of the figure."""

    @abstractmethod
    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        """Draw the data into the axes, one for each panel."""

    def caption_values(self, data: FigureData) -> Mapping[str, Any]:
        """Return the further values in caption and alt, by name."""
        return {}

    def printed(self, data: FigureData) -> Sequence[PrintedAndComputed]:
        """Return the paper's numbers with ours, if the parameters are the paper's."""
        return ()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the parameters, in order."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def of(cls, given: Mapping[str, Any], *, quick: bool = False, figure: str = "the figure") -> Self:
        """Return the specification with these parameters; raise ValueError for an unknown name."""
        for name, value in given.items():
            if name not in cls.names():
                raise ValueError(
                    f"{name} must be a parameter of {figure}, got {name}={value!r}; "
                    f"there are {', '.join(cls.names())}{did_you_mean(name, cls.names())}"
                )
        return cls(**{**(cls.QUICK if quick else {}), **given})

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name, as JSON values."""
        return {name: getattr(self, name) for name in self.names()}

    @property
    def has_printed_parameters(self) -> bool:
        """Return whether every parameter that affects a printed number is the paper's."""
        paper = type(self)()
        return all(
            getattr(self, parameter) == getattr(paper, parameter)
            for parameter in self.names()
            if parameter not in self.FREE
        )


def check_between(name: str, value: object, low: float, high: float) -> float:
    """Return `value` as a number from `low` to `high`, for which doubles suffice."""
    number = float(check_real(name, value))
    if not low <= number <= high:
        raise ValueError(
            f"{name} must be from {low:g} to {high:g}, got {name}={number!r}; pass a number between them"
        )
    return number


def real_parameter(default: float, low: float, high: float) -> float:
    """Return a parameter from `low` to `high`."""
    return parameter_field(default, check_between, low=low, high=high)


def real_parameters(default: tuple[float, ...], low: float, high: float, *, most: int) -> tuple[float, ...]:
    """Return a parameter of 1 to `most` increasing numbers from `low` to `high`."""
    return parameter_field(
        default, check_increasing, check=partial(check_between, low=low, high=high), most=most
    )


def probability_parameter(default: float, low: float, high: float) -> float:
    """Return a parameter between 0 and 1, from `low` to `high`."""
    return parameter_field(default, _check_probability, low=low, high=high)


def integer_parameter(default: int, *, most: int, least: int = 1, remedy: str = "pass fewer") -> int:
    """Return a parameter that is a whole number, `least` to `most`."""
    return parameter_field(default, check_count, most=most, least=least, remedy=remedy)


def integer_parameters(
    default: tuple[int, ...], *, highest: int, most: int, fewest: int = 1
) -> tuple[int, ...]:
    """Return a parameter of `fewest` to `most` increasing whole numbers, each from 1 to `highest`."""
    each = partial(check_count, most=highest, least=1, remedy="pass fewer")
    return parameter_field(default, check_increasing, check=each, least=fewest, most=most)


def axis_points(default: int) -> int:
    """Return a parameter that is a number of points on an axis, 2 to 2000."""
    return integer_parameter(default, most=_MAX_POINTS, least=2, remedy="pass fewer points")


def any_seed(default: int) -> int:
    """Return a parameter that is a seed."""
    return integer_parameter(default, most=2**63 - 1, least=0, remedy="pass a smaller one")


def _check_probability(name: str, value: Any, low: float, high: float) -> float:
    """Return `value` as a probability from `low` to `high`; raise ValueError otherwise."""
    return check_between(name, check_delta(name, value), low, high)


def check_increasing(
    name: str, value: object, check: Callable[[str, Any], Number], *, least: int = 1, most: int
) -> tuple[Number, ...]:
    """Return `value`, one number or several, as `least` to `most` increasing numbers that pass `check`.

    Numbers that are not whole must differ in six digits, because columns and captions show six.
    """
    given = value if isinstance(value, tuple | list) else (value,)
    several = tuple(check(name, number) for number in given)
    if not least <= len(several) <= most:
        raise ValueError(f"{name} must be {least} to {most} numbers, got {len(several)}; pass more or fewer")
    if any(number >= following for number, following in pairwise(several)):
        raise ValueError(
            f"{name} must be increasing, got {name}={several!r}; sort them and remove duplicates"
        )
    for number, following in pairwise(several):
        if not isinstance(number, int) and f"{number:g}" == f"{following:g}":
            raise ValueError(
                f"{name} must differ in the six digits that are printed, got {number!r} and {following!r}, both "
                f"shown as {number:g}; pass one of them"
            )
    return several
