"""The chapters of the report: each a function of a study, with its result and its claims beside it."""

from filterproof.reports.chapters import accountants, filters, rates, tightness
from filterproof.reports.finding import Claim

__all__ = ["CLAIMS"]

#: Every claim of the report, in reading order.
CLAIMS: tuple[Claim, ...] = (
    *filters.CLAIMS,
    *accountants.claims(),
    filters.SIMULATION,
    *tightness.CLAIMS,
    rates.CLAIM,
)
