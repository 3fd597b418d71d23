"""How far the answers of `LinearQueries` are from the truth, and how often further than they say, by asking it.

>>> import filterproof as fp
>>> missed = fp.people.answer_misses(20, norm_budget=6.0, kappa=1.0, dimension=3, delta=0.5, answers=500, seed=1)
>>> missed.low <= 0.5
True
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filters.holders.linear_queries import LinearQueries
from mc.intervals import clopper_pearson
from mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from theory.arguments import check_count

#: Queries to one data set before `answer_misses` takes a fresh one.
_LONG = 100
#: Values of a query, coordinates times people, each of which takes 25 bytes in memory.
_MOST_VALUES = 10**8


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers in turn, each array of shape (answers,).

    error is |value - sum over S_t|_inf, bound what `LinearAnswer.error` says of it, left the number of people who may
    still count once more.
    """

    error: NDArray[np.float64]
    bound: NDArray[np.float64]
    left: NDArray[np.int64]


def answered(
    people: int,
    *,
    norm_budget: float,
    kappa: float,
    dimension: int,
    delta: float,
    answers: int,
    rng: np.random.Generator,
    turnover: int = 0,
) -> Answers:
    """The answers of one `LinearQueries` to adaptive 0/1 queries, beside the sums over S_t, those who take part.

    Each coordinate of a query holds for a person with probability 0.1, or 0.3 after an answer whose mean was above a
    tenth of the people. After each answer the `turnover` people who were there longest leave, and as many join. S_t is
    counted here in integers, and not asked of the code under test.
    """
    answers, people = check_count("answers", answers), check_count("people", people)
    dimension, turnover = check_count("dimension", dimension), check_count("turnover", turnover, least=0)
    if turnover > people:
        raise ValueError(
            f"turnover must be at most people={people}, got turnover={turnover}; pass the people who come and go"
        )
    ever = people + turnover * (answers - 1)
    if ever * dimension > _MOST_VALUES:
        raise ValueError(
            f"people must have at most {_MOST_VALUES:,} values in a query, got people={people} with "
            f"dimension={dimension} and turnover={turnover}; pass fewer people, who run out as many do"
        )
    queries = LinearQueries(people, norm_budget=norm_budget, kappa=kappa)
    spent, value = np.zeros(people, dtype=np.int64), np.zeros(dimension)
    error, bound, active = np.empty(answers), np.empty(answers), np.empty(answers, dtype=np.int64)
    departed = 0
    for t in range(answers):
        likely = 0.3 if value.mean() > 0.1 * people else 0.1
        query = rng.random((len(spent), dimension)) < likely
        answer = queries.answer(query, rng)
        value, after = answer.value, spent + query.sum(axis=1)
        present = (after <= norm_budget) & (np.arange(len(spent)) >= departed)
        spent = np.where(present, after, spent)
        error[t] = np.abs(value - query[present].sum(axis=0)).max()
        bound[t] = answer.error(delta)
        active[t] = np.count_nonzero(spent[departed:] + 1 <= norm_budget)
        if turnover:
            queries.leave(np.arange(departed, departed + turnover))
            departed += turnover
            queries.join(turnover)
            spent = np.append(spent, np.zeros(turnover, dtype=np.int64))
    return Answers(error, bound, active)


def answer_misses(
    people: int,
    *,
    norm_budget: float,
    kappa: float,
    dimension: int,
    delta: float,
    answers: int = 10_000,
    turnover: int = 0,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
) -> Estimate:
    """P(|value - sum over S_t of q_t(x_i)|_inf > error(delta)) for an answer of `LinearQueries`, S_t who take part.

    The queries are those of `answered`, with a fresh data set after every 100; after each answer `turnover` people
    leave and as many join. The noise of an answer is independent of
    all before it, so that misses are independent events of one probability, and their count has a Clopper-Pearson
    interval. The promise is delta at most. Raises ValueError for arguments out of range, and a seed below zero or none.
    Source: paper 000, Corollary 4.7 (2).
    """
    answers, failure = check_count("answers", answers), stated_failure(confidence, failure)
    rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))
    how = {"norm_budget": norm_budget, "kappa": kappa, "delta": delta}
    missed = 0
    for first in range(0, answers, _LONG):
        count = min(_LONG, answers - first)
        block = answered(people, dimension=dimension, answers=count, rng=rng, turnover=turnover, **how)
        missed += int(np.count_nonzero(block.error > block.bound))
    return clopper_pearson(missed, answers, failure=failure)
