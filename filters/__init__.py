"""What decides: privacy filters, each with its promise."""

from filters.approximate_dp import ApproximateDPFilter
from filters.approximate_zcdp import ApproximateZCDP, ApproximateZCDPFilter
from filters.base import PrivacyFilter
from filters.basic import BasicFilter
from filters.blackwell import BlackwellFilter, RangedBlackwellFilter, RangedZCDP
from filters.gdp import GaussianFilter
from filters.holds import Holds
from filters.individual import IndividualFilter, PersonalReport, gaussian_request
from filters.linear_queries import LinearAnswer, LinearQueries
from filters.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filters.orders import AllOrdersFilter, RenyiCurve, SomeOrderMarkovFilter
from filters.realisation import RealisationFilter
from filters.renyi import RenyiFilter
from filters.rogers import RogersFilter
from filters.session import FilterHaltedError, Session
from filters.trackers import GaussianTracker, RenyiTracker, Tracker
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
    "DoublingOdometer",
    "FilterHaltedError",
    "GaussianFilter",
    "GaussianTracker",
    "Holds",
    "IndividualFilter",
    "LineOdometer",
    "LinearAnswer",
    "LinearQueries",
    "MixtureOdometer",
    "NaiveRealisationFilter",
    "NaturalFilter",
    "Odometer",
    "PersonalReport",
    "PrivacyFilter",
    "RangedBlackwellFilter",
    "RangedZCDP",
    "RealisationFilter",
    "RenyiCurve",
    "RenyiFilter",
    "RenyiTracker",
    "RogersFilter",
    "RogersOdometer",
    "Session",
    "SomeOrderFilter",
    "SomeOrderMarkovFilter",
    "StitchedOdometer",
    "Tracker",
    "UnsoundFilterWarning",
    "WhitehouseFilter",
    "ZCDPFilter",
    "gaussian_request",
    "knowingly",
]
