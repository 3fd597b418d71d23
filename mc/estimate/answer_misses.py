"""How far the answers of `LinearQueries` are from the truth, and how often further than they say, by asking it.

>>> import filterproof as fp
>>> missed = fp.people.answer_misses(20, norm_budget=6.0, kappa=1.0, dimension=3, delta=0.5, answers=500, seed=1)
>>> missed.low <= 0.5
True
"""

from __future__ import annotations

import numpy as np

from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.mc.intervals import clopper_pearson
from filterproof.mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from filterproof.theory.argument_checks import check_count

#: Queries to one data set before `answer_misses` takes a fresh one.
_LONG = 100
#: Values of a query, coordinates times people, each of which takes 25 bytes in memory.
_MOST_VALUES = 10**8


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

    Each coordinate of a query is 1 for a person with probability 0.1, or 0.3 after an answer whose mean was above a
    tenth of the people, else 0. After each answer the `turnover` people who were there longest leave, and as many
    join; every 100 answers have a fresh data set. S_t is counted here in integers, and not asked of the code under
    test. The noise of an answer is independent of all before it, so that misses are independent events of one
    probability, and their count has a Clopper-Pearson interval. The promise is delta at most.
    Raises ValueError for arguments out of range, and a seed below zero or none.
    Source: paper 000, Corollary 4.7 (2).
    """
    answers, failure = check_count("answers", answers), stated_failure(confidence, failure)
    people, dimension = check_count("people", people), check_count("dimension", dimension)
    turnover = check_count(
        "turnover", turnover, least=0, most=people, remedy="pass the people who come and go"
    )
    block = min(answers, _LONG)
    if (people + turnover * (block - 1)) * dimension > _MOST_VALUES:
        raise ValueError(
            f"people must have at most {_MOST_VALUES:,} values in a query, got people={people} with "
            f"dimension={dimension} and turnover={turnover}; pass fewer people, who run out as many do"
        )
    rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))
    missed = 0
    for t in range(answers):
        if t % _LONG == 0:
            queries = LinearQueries(people, norm_budget=norm_budget, kappa=kappa)
            spent, value, departed = np.zeros(people, dtype=np.int64), np.zeros(dimension), 0
        likely = 0.3 if value.mean() > 0.1 * people else 0.1
        query = rng.random((len(spent), dimension)) < likely
        answer = queries.answer(query, rng)
        value, after = answer.value, spent + query.sum(axis=1)
        present = (after <= norm_budget) & (np.arange(len(spent)) >= departed)
        spent = np.where(present, after, spent)
        missed += bool(np.abs(value - query[present].sum(axis=0)).max() > answer.error(delta))
        if turnover:
            queries.leave(np.arange(departed, departed + turnover))
            departed += turnover
            queries.join(turnover)
            spent = np.append(spent, np.zeros(turnover, dtype=np.int64))
    return clopper_pearson(missed, answers, failure=failure)
