"""What decides: privacy filters, each with its promise."""

from filters.approximate_dp import ApproximateDPFilter
from filters.approximate_zcdp import ApproximateZCDP, ApproximateZCDPFilter
from filters.base import PrivacyFilter
from filters.basic import BasicFilter
from filters.blackwell import BlackwellFilter, RangedBlackwellFilter, RangedZCDP
from filters.gdp import GaussianFilter
from filters.laws import laws
from filters.orders import AllOrdersFilter, RenyiCurve, SomeOrderMarkovFilter
from filters.realisation import RealisationFilter
from filters.renyi import RenyiFilter
from filters.rogers import RogersFilter
from filters.session import FilterHaltedError, Session
from filters.unsound import (
    NaiveRealisationFilter,
    NaturalFilter,
    SomeOrderFilter,
    UnsoundFilterWarning,
    knowingly,
)
from filters.whitehouse import WhitehouseFilter
from filters.zcdp import ZCDPFilter

__all__ = [
    "AllOrdersFilter",
    "ApproximateDPFilter",
    "ApproximateZCDP",
    "ApproximateZCDPFilter",
    "BasicFilter",
    "BlackwellFilter",
    "FilterHaltedError",
    "GaussianFilter",
    "NaiveRealisationFilter",
    "NaturalFilter",
    "PrivacyFilter",
    "RangedBlackwellFilter",
    "RangedZCDP",
    "RealisationFilter",
    "RenyiCurve",
    "RenyiFilter",
    "RogersFilter",
    "Session",
    "SomeOrderFilter",
    "SomeOrderMarkovFilter",
    "UnsoundFilterWarning",
    "WhitehouseFilter",
    "ZCDPFilter",
    "knowingly",
    "laws",
]
