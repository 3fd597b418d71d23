"""What decides: privacy filters, each with its promise."""

from filters.approximate_dp import ApproximateDPFilter
from filters.base import PrivacyFilter
from filters.gdp import GaussianFilter
from filters.realisation import RealisationFilter
from filters.renyi import RenyiFilter
from filters.session import FilterHaltedError, Session
from filters.unsound import NaiveRealisationFilter, NaturalFilter, UnsoundFilterWarning, knowingly
from filters.zcdp import ZCDPFilter

__all__ = [
    "ApproximateDPFilter",
    "FilterHaltedError",
    "GaussianFilter",
    "NaiveRealisationFilter",
    "NaturalFilter",
    "PrivacyFilter",
    "RealisationFilter",
    "RenyiFilter",
    "Session",
    "UnsoundFilterWarning",
    "ZCDPFilter",
    "knowingly",
]
