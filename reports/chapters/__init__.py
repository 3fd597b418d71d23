"""The chapters of the report: each a function of a study, with its result and its claims beside it."""

from filterproof.reports.chapters import accountant_chapter as accountants
from filterproof.reports.chapters import filter_chapter as filters
from filterproof.reports.chapters import potential_filter_rounds as rates
from filterproof.reports.chapters import tightness
from filterproof.reports.finding import Claim

__all__ = ["CLAIMS"]

#: Every claim of the report, in reading order.
CLAIMS: tuple[Claim, ...] = (
    *filters.CLAIMS,
    *accountants.accountant_claims(),
    filters.SIMULATION,
    *tightness.CLAIMS,
    rates.CLAIM,
)
