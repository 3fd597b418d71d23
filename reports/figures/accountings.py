"""The same analysis on two neighbouring data sets, under individual accounting: how far the transcripts differ.

>>> from fractions import Fraction
>>> [str(delta) for delta in transcript_deltas("per-instance", Fraction(3), rounds=4)]
['0', '0', '3/8', '3/8']
>>> [str(delta) for delta in transcript_deltas("individual", Fraction(3), rounds=4)]
['0', '0', '0', '0']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from filters.holders.individual import IndividualFilter
from filters.rules.basic import BasicFilter
from theory.pairs import RandomizedResponse, Selection

__all__ = ["Accounting", "Analyst", "charged", "transcript_deltas"]

#: Who is charged what, and what follows: see `transcript_deltas`.
Accounting: TypeAlias = Literal["individual", "per-instance", "per-instance, halting", "pair by pair"]
#: What was released so far -> e^epsilon of the next question, None to stop.
Analyst: TypeAlias = Callable[[tuple[bool, ...]], Fraction | None]


def transcript_deltas(
    accounting: Accounting, ratio: Fraction | int, *, rounds: int, analyst: Analyst | None = None
) -> tuple[Fraction, ...]:
    """H_{ratio} between the transcripts of two neighbouring data sets after 1, ..., `rounds` rounds, exactly.

    The data sets hold two people who both have a property, and one of them. Each round asks whether any active person
    has it, and releases randomised response of the answer, at the level that the analyst chooses by what was released
    (by default log(ratio) each time). Everyone's budget is BasicFilter(log ratio), so that delta at epsilon =
    log(ratio) is promised to be 0. The larger of the two directions is returned.

    "individual" charges by the worst case over all data sets that hold the person (Definition 2.5). "per-instance"
    charges D(A(S), A(S^-i)) on the present data set (Definition 2.6): nothing, while somebody else has the property.
    Whoever cannot pay sits out, by `IndividualFilter`. "per-instance, halting" has one filter for all, charged the
    largest of these, and its denial ends the analysis, which is seen. "pair by pair" has a filter for each pair of
    neighbours, two people and one, one and none, charged what the question may lose on it; where one of them denies,
    the analysis ends on every data set.
    Enumerates all transcripts, those that are alike to the analyst at once. Source: paper 000, Definitions 2.5 and
    2.6, Remark 3.2, and the paragraph before Remark 4.6.
    """
    ratio = Fraction(ratio)
    game = _Game(accounting, ratio, analyst)
    deltas: list[Fraction] = []
    seen = Counter({_Transcript((), (), Fraction(1), Fraction(1)): 1})
    for _ in range(rounds):
        after: Counter[_Transcript] = Counter()
        for transcript, times in seen.items():
            for longer in game.next(transcript):
                after[longer] += times
        seen = after
        none = Fraction(0)
        forward = sum((times * max(one.p - ratio * one.q, none) for one, times in seen.items()), none)
        back = sum((times * max(one.q - ratio * one.p, none) for one, times in seen.items()), none)
        deltas.append(max(forward, back))
    return tuple(deltas)


def charged(accounting: Accounting, ratio: Fraction | int, *, rounds: int) -> float:
    """The share of a budget of log(ratio) that was charged on the larger data set after `rounds` questions at ratio.

    In [0, 1]: a person's own budget, or with "halting" that of all.
    """
    return _run(accounting, Fraction(ratio), 2, (Fraction(ratio),) * rounds).charged


@dataclass(frozen=True, slots=True)
class _Transcript:
    """What was released, as far as it is looked at, and asked, its probabilities on the two data sets, and its end."""

    released: tuple[bool, ...]
    asked: tuple[Fraction, ...]
    p: Fraction
    q: Fraction
    ended: bool = False


@dataclass(frozen=True, slots=True)
class _Game:
    accounting: Accounting
    ratio: Fraction
    analyst: Analyst | None

    def next(self, seen: _Transcript) -> Iterator[_Transcript]:
        """What it may be a round later."""
        if seen.ended:
            yield seen
            return
        level = self.ratio if self.analyst is None else self.analyst(seen.released)
        if level is None:
            yield replace(seen, ended=True)
            return
        asked = (*seen.asked, level)
        whole, fewer = (_run(self.accounting, self.ratio, people, asked).answers[-1] for people in (2, 1))
        for output in (False, True, None):
            p, q = seen.p * _mass(level, output, whole), seen.q * _mass(level, output, fewer)
            if p or q:
                released = seen.released
                if output is not None and self.analyst is not None:
                    released = (*released, output)
                yield _Transcript(released, asked, p, q, ended=output is None)


def _mass(level: Fraction, output: bool | None, answer: bool | None) -> Fraction:
    """The probability of an output, None being a halt, where the true answer is `answer`."""
    if output is None or answer is None:
        return Fraction(output is answer)
    return (level if output is answer else Fraction(1)) / (1 + level)


@dataclass(frozen=True, slots=True)
class _Run:
    """What the filters let through: the true answers, None from a halt on, and the share of a budget charged."""

    answers: tuple[bool | None, ...]
    charged: float


@lru_cache(maxsize=1 << 14)
def _run(accounting: Accounting, ratio: Fraction, people: int, asked: tuple[Fraction, ...]) -> _Run:
    # charges depend on what was asked, not on what was released: one run serves every transcript with these questions
    free = RandomizedResponse(0.0)
    dear = accounting == "individual" or people == 1  # else somebody else's presence gives the same answer
    filt = BasicFilter(float(RandomizedResponse.from_ratio(ratio).pure_epsilon))
    pairs = [RandomizedResponse.from_ratio(level) for level in asked]
    if accounting == "per-instance, halting":
        session = filt.open("halt")
        allowed = [not session.halted and session.request(pair if dear else free) for pair in pairs]
        return _Run(tuple(True if go else None for go in allowed), 1 - session.remaining() / filt.epsilon)
    if accounting == "pair by pair":
        shared, alone = filt.open("halt"), filt.open("halt")  # two people and one; one and none
        allowed = [not alone.halted and shared.request(free) and alone.request(pair) for pair in pairs]
        return _Run(tuple(True if go else None for go in allowed), 1 - shared.remaining() / filt.epsilon)
    holder = IndividualFilter(filt, people)
    place = np.full(people, 0 if dear else 1)
    answers = tuple(bool(holder.select(Selection((pair, free), place)).any()) for pair in pairs)
    return _Run(answers, 1 - holder.report_for(0).remaining / filt.epsilon)
