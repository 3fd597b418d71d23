"""The probability that an answer of `LinearQueries` is further from the true sum than its stated error.

>>> import filterproof as fp
>>> missed = fp.people.answer_misses(20, norm_budget=6.0, kappa=1.0, dimension=3, delta=0.5, answers=500, seed=1)
>>> missed.low <= 0.5
True
"""

from __future__ import annotations

import numpy as np

from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.mc.intervals import clopper_pearson
from filterproof.mc.intervals.estimate import FAILURE, Estimate
from filterproof.theory.argument_checks import check_count, check_delta

#: Queries to one data set before `answer_misses` makes a new one.
_QUERIES_PER_DATA_SET = 100
#: The most values of a query, coordinates times people; each takes 25 bytes in memory.
_MAX_VALUES = 10**8


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
    failure: float = FAILURE,
) -> Estimate:
    """Estimate the probability that an answer of `LinearQueries` misses the true sum by more than its stated error.

        P(|value - sum_{i in S_t} q_t(x_i)|_inf > error(delta))

    S_t are the people who take part in query t. The guarantee is that the probability is at most delta.

    Parameters
    ----------
    people : int
        Number of people.
    norm_budget, kappa : float
        Parameters of `LinearQueries`, > 0.
    dimension : int
        Number of coordinates of a query.
    delta : float
        Failure probability of the stated error, in (0, 1).
    answers : int, default 10,000
        Number of answers.
    turnover : int, default 0
        Number of people who leave and join after each answer.
    seed : int, default 0
        Seed of the queries and the noise.
    failure : float, default 1e-6
        Probability that the interval misses, in (0, 1).

    Returns
    -------
    Estimate
        A Clopper-Pearson interval for the probability.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    A coordinate of a query is 1 with probability 0.1, or 0.3 after an answer with a mean above a tenth of the people,
    and otherwise 0. Every 100 answers start with a new data set. This function counts S_t itself, in integers. The
    noise of an answer is independent of the past, so that misses are independent events with one probability. Source:
    Feldman & Zrnic (2021), Corollary 4.7 (2).
    """
    answers, failure = check_count("answers", answers), float(check_delta("failure", failure))
    people, dimension = check_count("people", people), check_count("dimension", dimension)
    turnover = check_count(
        "turnover", turnover, least=0, most=people, remedy="pass the number of people who leave and join"
    )
    block = min(answers, _QUERIES_PER_DATA_SET)
    if (people + turnover * (block - 1)) * dimension > _MAX_VALUES:
        raise ValueError(
            f"people must have at most {_MAX_VALUES:,} values in a query, got people={people} with "
            f"dimension={dimension} and turnover={turnover}; pass fewer people, or a smaller dimension or turnover"
        )
    rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))
    missed = 0
    for t in range(answers):
        if t % _QUERIES_PER_DATA_SET == 0:
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
