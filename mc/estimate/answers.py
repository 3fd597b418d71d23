"""How far the answers of `LinearQueries` are from the truth, and how often further than they say, by asking it.

>>> import filterproof as fp
>>> missed = fp.answer_misses(20, norm_budget=6.0, kappa=1.0, dimension=3, delta=0.5, answers=500, seed=1)
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

__all__ = ["Answers", "answer_misses", "answered"]

#: Queries to one data set before `answer_misses` takes a fresh one.
_LONG = 100


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
) -> Answers:
    """The answers of one `LinearQueries` to adaptive 0/1 queries, beside the sums over S_t, those who take part.

    Each coordinate of a query holds for a person with probability 0.1, or 0.3 after an answer whose mean was above a
    tenth of the people. S_t is counted here in integers, and not asked of the code under test.
    """
    answers, shape = (
        check_count("answers", answers),
        (check_count("people", people), check_count("dimension", dimension)),
    )
    queries = LinearQueries(people, norm_budget=norm_budget, kappa=kappa)
    spent, value = np.zeros(people, dtype=np.int64), np.zeros(dimension)
    error, bound, left = np.empty(answers), np.empty(answers), np.empty(answers, dtype=np.int64)
    for t in range(answers):
        query = (rng.random(shape) < (0.3 if value.mean() > 0.1 * people else 0.1)).astype(np.int64)
        answer = queries.answer(query.astype(np.float64), rng)
        value, after = answer.value, spent + query.sum(axis=1)
        present = after <= norm_budget
        spent = np.where(present, after, spent)
        error[t] = np.abs(value - query[present].sum(axis=0)).max()
        bound[t] = answer.error(delta)
        left[t] = np.count_nonzero(spent + 1 <= norm_budget)
    return Answers(error, bound, left)


def answer_misses(
    people: int,
    *,
    norm_budget: float,
    kappa: float,
    dimension: int,
    delta: float,
    answers: int = 10_000,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
) -> Estimate:
    """P(|value - sum over S_t of q_t(x_i)|_inf > error(delta)) for an answer of `LinearQueries`, S_t who take part.

    The queries are those of `answered`, with a fresh data set after every 100. The noise of an answer is independent of
    all before it, so that misses are independent events of one probability, and their count has a Clopper-Pearson
    interval. The promise is delta at most. Raises ValueError for arguments out of range, and a seed below zero or none.
    Source: paper 000, Corollary 4.7 (2).
    """
    answers = check_count("answers", answers)
    failure = stated_failure(confidence, failure)
    rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))
    missed = 0
    for first in range(0, answers, _LONG):
        some = answered(
            people,
            norm_budget=norm_budget,
            kappa=kappa,
            dimension=dimension,
            delta=delta,
            answers=min(_LONG, answers - first),
            rng=rng,
        )
        missed += int(np.count_nonzero(some.error > some.bound))
    return clopper_pearson(missed, answers, failure=failure)
