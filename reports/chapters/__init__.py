"""The chapters of the report, in reading order; `common` holds what several share, `reports.finding` their parts."""

from reports.chapter import Chapter
from reports.chapters.accountant import ACCOUNTANT
from reports.chapters.approximate_dp import APPROXIMATE_DP
from reports.chapters.bench import BENCH
from reports.chapters.central_limit import CENTRAL_LIMIT
from reports.chapters.coverage import COVERAGE
from reports.chapters.evaluated import EVALUATED
from reports.chapters.examined import EXAMINED
from reports.chapters.games import GAMES
from reports.chapters.gdp import GDP
from reports.chapters.holders import HOLDERS
from reports.chapters.kernel import KERNEL_CHAPTER
from reports.chapters.naive import NAIVE
from reports.chapters.overspending import OVERSPENDING
from reports.chapters.profile import PROFILE
from reports.chapters.rates import RATES
from reports.chapters.realisation import REALISATION
from reports.chapters.renyi import RENYI
from reports.chapters.slips import SLIPS
from reports.chapters.steps import STEPS
from reports.chapters.theorems import THEOREMS_CHAPTER
from reports.chapters.tightness import TIGHTNESS

__all__ = ["CHAPTERS"]

CHAPTERS: tuple[Chapter, ...] = (
    EXAMINED,
    GAMES,
    STEPS,
    RENYI,
    GDP,
    PROFILE,
    APPROXIMATE_DP,
    NAIVE,
    ACCOUNTANT,
    RATES,
    CENTRAL_LIMIT,
    REALISATION,
    EVALUATED,
    HOLDERS,
    TIGHTNESS,
    KERNEL_CHAPTER,
    THEOREMS_CHAPTER,
    SLIPS,
    COVERAGE,
    OVERSPENDING,
    BENCH,
)
