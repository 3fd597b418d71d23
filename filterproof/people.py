"""Individual budgets: accountants, linear queries, the sparse vector technique and simulations."""

from filterproof.filters.accountants.above_threshold import AboveThreshold
from filterproof.filters.accountants.active_count import ActiveCount
from filterproof.filters.accountants.journal_file import JournalError
from filterproof.filters.accountants.linear_queries import LinearAnswer, LinearQueries
from filterproof.filters.accountants.pairwise import PairwiseFilter
from filterproof.filters.accountants.personal_reports import (
    PerPersonValues,
    PersonalCost,
    PersonalFactor,
    PersonalRemainingBudget,
)
from filterproof.mc.estimate.answer_misses import answer_misses
from filterproof.mc.estimate.two_data_sets import simulate_person
from filterproof.mc.losses.individual_accountant import IndividualAccountant, PersonalBounds, PersonalRange

__all__ = [
    "AboveThreshold",
    "ActiveCount",
    "IndividualAccountant",
    "JournalError",
    "LinearAnswer",
    "LinearQueries",
    "PairwiseFilter",
    "PerPersonValues",
    "PersonalBounds",
    "PersonalCost",
    "PersonalFactor",
    "PersonalRange",
    "PersonalRemainingBudget",
    "answer_misses",
    "simulate_person",
]
