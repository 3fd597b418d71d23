"""What decides: privacy filters, each with its promise."""

from filters.accounting.amounts import Plain, Square
from filters.accounting.charges import (
    approximate_charge,
    approximate_zcdp_charge,
    gdp_charge,
    renyi_charge,
    zcdp_charge,
)
from filters.accounting.ledger import Allowance, Budget
from filters.contract.holds import Holds
from filters.contract.privacy_filter import PrivacyFilter
from filters.holders.individual import IndividualFilter, PersonalReport, gaussian_request
from filters.holders.linear_queries import LinearAnswer, LinearQueries
from filters.holders.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filters.holders.session import FilterHaltedError, Session
from filters.holders.trackers import GaussianTracker, RenyiTracker, Tracker
from filters.rules.additive import AdditiveFilter
from filters.rules.approximate_dp import ApproximateDPFilter
from filters.rules.approximate_zcdp import ApproximateZCDP, ApproximateZCDPFilter
from filters.rules.basic import BasicFilter
from filters.rules.blackwell import BlackwellFilter, RangedBlackwellFilter, RangedZCDP
from filters.rules.gdp import GaussianFilter
from filters.rules.orders import AllOrdersFilter, RenyiCurve, SomeOrderMarkovFilter
from filters.rules.realisation import RealisationFilter
from filters.rules.renyi import RenyiFilter
from filters.rules.rogers import RogersFilter
from filters.rules.unsound import (
    NaiveRealisationFilter,
    NaturalFilter,
    SomeOrderFilter,
    UnsoundFilterWarning,
    knowingly,
)
from filters.rules.whitehouse import WhitehouseFilter
from filters.rules.zcdp import ZCDPFilter

__all__ = [
    "AdditiveFilter",
    "AllOrdersFilter",
    "Allowance",
    "ApproximateDPFilter",
    "ApproximateZCDP",
    "ApproximateZCDPFilter",
    "BasicFilter",
    "BlackwellFilter",
    "Budget",
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
    "Plain",
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
    "Square",
    "StitchedOdometer",
    "Tracker",
    "UnsoundFilterWarning",
    "WhitehouseFilter",
    "ZCDPFilter",
    "approximate_charge",
    "approximate_zcdp_charge",
    "gaussian_request",
    "gdp_charge",
    "knowingly",
    "renyi_charge",
    "zcdp_charge",
]
