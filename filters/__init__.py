"""What decides: privacy filters, each with its promise."""

from filters.approximate_dp import ApproximateDPFilter
from filters.base import PrivacyFilter
from filters.gdp import GaussianFilter
from filters.orders import AllOrdersFilter, RenyiCurve, SomeOrderMarkovFilter
from filters.realisation import RealisationFilter
from filters.renyi import RenyiFilter
from filters.session import FilterHaltedError, Session
from filters.unsound import (
    NaiveRealisationFilter,
    NaturalFilter,
    SomeOrderFilter,
    UnsoundFilterWarning,
    knowingly,
)
from filters.zcdp import ZCDPFilter

__all__ = [
    "AllOrdersFilter",
    "ApproximateDPFilter",
    "FilterHaltedError",
    "GaussianFilter",
    "NaiveRealisationFilter",
    "NaturalFilter",
    "PrivacyFilter",
    "RealisationFilter",
    "RenyiCurve",
    "RenyiFilter",
    "Session",
    "SomeOrderFilter",
    "SomeOrderMarkovFilter",
    "UnsoundFilterWarning",
    "ZCDPFilter",
    "knowingly",
]
