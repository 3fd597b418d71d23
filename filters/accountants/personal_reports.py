"""Results about single people: visible to each person, and hidden from everybody else.

>>> import numpy as np
>>> left = PerPersonValues(np.array([0.8, 0.1]), lambda person, value: PersonalRemainingBudget(person, "1-GDP", value))
>>> left
PerPersonValues(2 people; hidden)
>>> str(left.report_for(1))
'For person 1 only, not to be shown to anyone else: 0.1 left of 1-GDP'
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NoReturn, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import check_count
from filterproof.theory.numerics.decimals import format_up
from filterproof.theory.pairs import DominatingPair

#: The most people of one accountant, more than memory can store.
MAX_PEOPLE = 2**33


@dataclass(frozen=True, slots=True, repr=False)
class ForOnePerson(ABC):
    """A number about one person, for that person's eyes only.

    Notes
    -----
    The number depends on that person's data, and on other people's data only through the releases (Feldman & Zrnic
    (2021), after Algorithm 5). To show it to that person costs the others no privacy. To show it to anyone else, to
    publish it or to sum it over people leaks. `str` contains the number, and `repr` does not, because it may appear in
    a log.
    """

    person: int

    @abstractmethod
    def text(self) -> str:
        """Return the text for that person."""

    def __str__(self) -> str:
        return f"For person {self.person} only, not to be shown to anyone else: {self.text()}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(person={self.person}; hidden)"


@dataclass(frozen=True, slots=True, repr=False)
class PersonalRemainingBudget(ForOnePerson):
    """The remaining budget of one person in the filter's own unit, for that person's eyes only.

    Parameters
    ----------
    person : int
        The person.
    promise : str
        The promise of the filter.
    remaining : float
        The rest of the budget.
    """

    promise: str
    remaining: float

    def text(self) -> str:
        return f"{self.remaining:.6g} left of {self.promise}"


@dataclass(frozen=True, slots=True, repr=False)
class PersonalCost(ForOnePerson):
    """An upper bound on one person's cost in the tracker's own unit, for that person's eyes only.

    Parameters
    ----------
    person : int
        The person.
    tracker : str
        The tracker.
    value : float
        The bound.
    """

    tracker: str
    value: float

    def text(self) -> str:
        return f"at most {format_up(self.value)} spent, counted by {self.tracker}"


@dataclass(frozen=True, slots=True, repr=False)
class PersonalFactor(ForOnePerson):
    """The factor of one person's vector in a sum, for that person's eyes only.

    Parameters
    ----------
    person : int
        The person.
    factor : float in [0, 1]
        The factor.
    """

    factor: float

    def text(self) -> str:
        return f"counted with the factor {self.factor:.6g}"


ReportT = TypeVar("ReportT", bound=ForOnePerson)


class PerPersonValues(Generic[ReportT]):
    """One number per person; `repr` hides the numbers. Iteration, pickling and conversion to an array raise TypeError.

    Parameters
    ----------
    values : ndarray of float, shape (people,)
        The numbers.
    report : callable
        report(person, value) is the report for one person.

    Notes
    -----
    `report_for(person)` is for that person. `made_public()` returns all numbers, for data that are public or
    synthetic. Its name shows in a code review.
    """

    __slots__ = ("_report", "_values")

    def __init__(self, values: NDArray[np.float64], report: Callable[[int, float], ReportT]) -> None:
        self._values, self._report = np.array(values, dtype=np.float64), report

    def __len__(self) -> int:
        return len(self._values)

    def report_for(self, person: int) -> ReportT:
        """Return the report for one person; IndexError for an unknown person."""
        index = check_person(person, len(self))
        return self._report(index, float(self._values[index]))

    def made_public(self) -> NDArray[np.float64]:
        """Return all numbers, shape (people,): a release without any protection, unless the data are public."""
        return self._values.copy()

    def __repr__(self) -> str:
        return f"PerPersonValues({len(self)} people; hidden)"

    def __iter__(self) -> NoReturn:
        raise self._hidden_error("iterated over")

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        raise self._hidden_error("turned into an array")

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise self._hidden_error("copied or pickled")

    @staticmethod
    def _hidden_error(what: str) -> TypeError:
        return TypeError(
            f"personal values must not be {what}, because they are personal data; use report_for(person), or "
            "made_public() if the data are public"
        )


def check_pair_per_person(request: object, people: int) -> DominatingPair:
    """Return `request` if it is one pair per person, shape (people,), or one for all, ()."""
    if not isinstance(request, DominatingPair):
        raise TypeError(
            f"request must be a DominatingPair, got a {type(request).__name__}; pass gaussian_request(...)"
        )
    if request.shape not in ((), (people,)):
        raise ValueError(
            f"request must have one pair per person, got shape {request.shape} for {people} people; "
            "declare a pair for everyone, including people without budget"
        )
    return request


def check_person(person: object, people: int) -> int:
    """Return `person` as an int from 0 to people - 1. Raises IndexError beyond."""
    index = check_count("person", person, least=0)
    if index >= people:
        raise IndexError(f"person must be below {people}, got person={person!r}; count from zero")
    return index
