"""A budget for each person: accountants, linear queries, the sparse vector technique, and their simulations."""

from filters.holders.above_threshold import AboveThreshold
from filters.holders.journal import JournalError
from filters.holders.linear_queries import LinearAnswer, LinearQueries
from filters.holders.personal import Personal, PersonalCost, PersonalFactor, PersonalReport
from mc.estimate.answer_misses import answer_misses
from mc.estimate.two_data_sets import simulate_person, simulate_queries
from mc.losses.individual_accountant import IndividualAccountant, PersonalBounds, PersonalRange

__all__ = [
    "AboveThreshold",
    "IndividualAccountant",
    "JournalError",
    "LinearAnswer",
    "LinearQueries",
    "Personal",
    "PersonalBounds",
    "PersonalCost",
    "PersonalFactor",
    "PersonalRange",
    "PersonalReport",
    "answer_misses",
    "simulate_person",
    "simulate_queries",
]
