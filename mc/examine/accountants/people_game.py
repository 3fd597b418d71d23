"""The same questions to two data sets that differ in one person, and how far the releases differ.

>>> import filterproof as fp
>>> from fractions import Fraction
>>> people = fp.IndividualFilter(fp.BasicFilter(2.0), people=3)
>>> of_the_first = MembershipQuestion((0,), Fraction(3))
>>> game = PeopleGame(people, (of_the_first, of_the_first))
>>> print(*game.released_pairs)  # the second exceeds the budget of the person who is told of
RandomizedResponse(epsilon=1.0986122886681098, ratio=Fraction(3, 1)) None
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby, product
from typing import Any, Self, TypeAlias

import numpy as np

from filterproof.filters import suppress_unsound_warning
from filterproof.filters.accountants.constant_normals import UNIT_NOISE, ZERO_NOISE
from filterproof.filters.accountants.verifiable import QueryKind
from filterproof.filters.contract.largest_granted import largest_granted
from filterproof.filters.contract.work import count_work
from filterproof.mc.engine.encoding import decode_fraction
from filterproof.mc.examine.accountants.accountant_game import AccountantGame
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.theory.argument_checks import check_count, check_real
from filterproof.theory.pairs import DominatingPair, Gaussian, PairPerRun, RandomizedResponse

#: People in the larger data set. Person 0 is missing in the smaller one.
NUMBER_OF_PEOPLE = 3
#: The largest depth of the exhaustive plays, the largest number of their plays, and the length of pattern plays.
_MAX_EXHAUSTIVE_ROUNDS, _PLAYS, _PATTERN_LENGTH = 6, 6_000, 24
_SIZES = tuple(2.0 ** (k / 2) for k in range(-15, 7))
#: Units of work of one question, of each kind.
_SELECTS, _SUMS = 5, 20
_FREE = RandomizedResponse(0.0)

#: The released value without noise, and the standard deviation of the noise.
Truth: TypeAlias = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class MembershipQuestion:
    """A question by randomised response whether one of the people `of` takes part; free for all others."""

    of: tuple[int, ...]
    ratio: Fraction

    def __str__(self) -> str:
        people = " or ".join(map(str, self.of))
        return f"whether person {people} takes part, by randomised response of e^epsilon = {self.ratio}"

    @property
    def _response_pair(self) -> RandomizedResponse:
        return RandomizedResponse.from_ratio(self.ratio)

    def ask(self, accountant: Any, present: slice) -> Truth:
        """Return whether an accountant of the people `present` counts someone who is asked about."""
        count_work(_SELECTS)
        told_of = np.array([person in self.of for person in range(NUMBER_OF_PEOPLE)])[present]
        request = PairPerRun((_FREE, self._response_pair), told_of.astype(np.intp))
        active = np.asarray(accountant.select(request))
        if active.shape != told_of.shape or active.dtype != np.bool_:
            raise FilterFault(
                f"{type(accountant).__name__}.select must return a boolean for each of {len(told_of)} people, got "
                f"{active.dtype} of shape {active.shape}; return one boolean per person"
            )
        return Fraction(bool((active & told_of).any())), Fraction(0)

    def between(self, truth: Truth, other: Truth) -> DominatingPair | None:
        """Return the pair of the releases with and without the person, or None if they are equal."""
        return None if truth == other else self._response_pair

    def to_data(self) -> dict[str, Any]:
        return {"told of": list(self.of), "ratio": str(self.ratio)}

    @classmethod
    def from_data(cls, data: Any) -> Self:
        people = (check_count("told of", person, least=0) for person in data["told of"])
        return cls(tuple(people), decode_fraction(data["ratio"]))

    @classmethod
    def candidate_questions(cls, accountant: Any) -> tuple[Self, ...]:
        """Return questions of the largest sizes that the accountant grants 1, 2 and 4 times."""
        largest = (_largest_granted_ratio(accountant, wanted) for wanted in (1, 2, 4))
        levels = tuple(dict.fromkeys(ratio for ratio in largest if ratio is not None))
        others = [cls(of, level) for of in ((0, 1), (1,)) for level in levels[:1]]
        return (*(cls((0,), level) for level in levels), *others)


@dataclass(frozen=True, slots=True)
class SumQuestion:
    """A question for the noisy sum of these numbers, one for each person."""

    values: tuple[float, ...]

    def __str__(self) -> str:
        return f"the sum of {', '.join(f'{value:g}' for value in self.values)}"

    def ask(self, accountant: Any, present: slice) -> Truth:
        """Return the sum that an accountant of the people `present` would release, and its noise."""
        count_work(_SUMS)
        release = accountant.noisy_sum(np.array(self.values)[present, None], ZERO_NOISE)
        return Fraction(float(release.value[0])), Fraction(float(release.sigma))

    def between(self, truth: Truth, other: Truth) -> DominatingPair | None:
        (with_all, noise), (without, noise_without) = truth, other
        if noise != noise_without:
            raise FilterFault(
                f"the noise must not depend on a person's presence, got sigma={float(noise)} with and "
                f"{float(noise_without)} without"
            )
        shift = float(abs(with_all - without) / noise) * (1 - 2.0**-50)
        return Gaussian(shift) if shift > 0 else None

    def to_data(self) -> dict[str, Any]:
        return {"values": list(self.values)}

    @classmethod
    def from_data(cls, data: Any) -> Self:
        return cls(tuple(float(check_real("values", value)) for value in data["values"]))

    @classmethod
    def candidate_questions(cls, accountant: Any) -> tuple[Self, ...]:
        """Return five sums whose values are up to 8 times the largest counted norm."""
        largest = float(accountant.largest_norm)
        rows = ((1, 0, 0), (0.5, 0, 0), (8, 0, 0), (8, -1, 0), (0, 1, 0))
        menu = tuple(cls(tuple(largest * part for part in row)) for row in rows)
        _check_noise_reaches_sigma(accountant, menu)
        return menu


def _check_noise_reaches_sigma(accountant: Any, menu: tuple[SumQuestion, ...]) -> None:
    """Raise FilterFault if an accountant adds less noise than the sigma that it reports."""
    with suppress_unsound_warning():
        silent, loud = accountant.with_people(NUMBER_OF_PEOPLE), accountant.with_people(NUMBER_OF_PEOPLE)
    for question in menu:
        values = np.array(question.values)[:, None]
        without, noisy = silent.noisy_sum(values, ZERO_NOISE), loud.noisy_sum(values, UNIT_NOISE)
        drawn, sigma = float(abs(noisy.value[0] - without.value[0])), float(noisy.sigma)
        # a few operations round the noise, and each sum is rounded to a double
        rounding = 2.0**-30 * sigma + 2.0**-52 * float(abs(noisy.value[0]) + abs(without.value[0]))
        if not drawn >= sigma - rounding:
            raise FilterFault(
                f"{type(accountant).__name__} reports sigma={sigma:.6g}, but its noise is {drawn:.6g} if "
                "rng.standard_normal is 1; report the sigma of the noise"
            )


Question: TypeAlias = MembershipQuestion | SumQuestion
#: The questions for each kind of query.
_QUESTION_KINDS: dict[QueryKind, Any] = {"selects": MembershipQuestion, "sums": SumQuestion}


class PeopleGame(AccountantGame):
    """The same questions to an accountant of everybody and to one of everybody except person 0.

    Participation depends on the questions and not on the releases, so that the released pairs are known before the
    play. An adaptive analyst therefore only chooses among such sequences.
    """

    fields = frozenset({"questions"})
    menu = "one person in or out"

    def __init__(self, accountant: Any, questions: tuple[Question, ...]) -> None:
        self.accountant, self.questions, self.rounds = accountant, questions, len(questions)

    @cached_property
    def released_pairs(self) -> tuple[DominatingPair | None, ...]:
        """Return the pair that each question releases, or None if person 0 changes nothing."""
        with suppress_unsound_warning():  # unsound accountants are examined in order to refute them
            everybody = self.accountant.with_people(NUMBER_OF_PEOPLE), slice(0, NUMBER_OF_PEOPLE)
            others = self.accountant.with_people(NUMBER_OF_PEOPLE - 1), slice(1, NUMBER_OF_PEOPLE)
        return tuple(
            question.between(question.ask(*everybody), question.ask(*others)) for question in self.questions
        )

    @cached_property
    def sequence(self) -> RequestSequence:  # type: ignore[override]
        """Return the fixed sequence of the released pairs."""
        return RequestSequence(tuple((pair, 1) for pair in self.released_pairs if pair is not None))

    @property
    def minimisable_parts(self) -> tuple[Question, ...]:
        return self.questions

    def with_parts(self, parts: tuple[Any, ...]) -> Self | None:
        return type(self)(self.accountant, parts) if parts else None

    @property
    def description(self) -> str:  # type: ignore[override]
        runs = ((str(question), len(list(run))) for question, run in groupby(self.questions))
        return ", then ".join(
            f"{times} times {question_text}" if times > 1 else question_text for question_text, times in runs
        )

    def to_data(self) -> dict[str, Any]:
        return {"questions": [question.to_data() for question in self.questions]}

    @classmethod
    def from_data(cls, accountant: Any, data: Mapping[str, Any]) -> Self:
        try:
            questions = tuple(map(_QUESTION_KINDS[accountant.query_kind].from_data, data["questions"]))
        except (TypeError, KeyError) as error:
            raise ValueError(
                f"questions must be questions of {type(accountant).__name__}, got {error}; pass the data that "
                "to_data returned"
            ) from error
        return cls(accountant, questions)

    @classmethod
    def propose_games(cls, accountant: Any) -> Iterator[Self]:
        menu = _QUESTION_KINDS[accountant.query_kind].candidate_questions(accountant)
        for first, second in product(menu, repeat=2):
            for pattern in dict.fromkeys(((first, second), (first, first, first, first, second))):
                yield cls(accountant, (pattern * _PATTERN_LENGTH)[:_PATTERN_LENGTH])
        plays = 0
        for depth in range(1, _MAX_EXHAUSTIVE_ROUNDS + 1):
            plays += len(menu) ** depth
            if plays > _PLAYS:
                break
            for questions in product(menu, repeat=depth):
                yield cls(accountant, questions)


def _largest_granted_ratio(accountant: Any, wanted: int) -> Fraction | None:
    """Return about the largest ratio that person 0 can afford `wanted` times, or None."""

    def fits(size: float) -> bool:
        question = MembershipQuestion((0,), _rational_ratio(size))
        return None not in PeopleGame(accountant, (question,) * 5).released_pairs[:wanted]

    size = largest_granted(fits, _SIZES, tolerance=2.0**-8)
    return None if size is None else _rational_ratio(size)


def _rational_ratio(size: float) -> Fraction:
    """Return the largest multiple of 1/1024 at most e^size, but more than 1."""
    return Fraction(max(math.floor(math.exp(size) * 1024), 1025), 1024)
