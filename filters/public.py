"""Every public name of the filters, loaded together."""

from filters import catalogue
from filters.accounting.amounts import Charge, Plain, Square
from filters.accounting.charge_rules import (
    ChargeRule,
    RenyiCharge,
    gdp_charge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filters.accounting.charges import approximate_charge, approximate_zcdp_charge
from filters.accounting.ledger import Budget
from filters.catalogue import *  # noqa: F403
from filters.contract.holds import Holds
from filters.holders.above_threshold import AboveThreshold
from filters.holders.clipped_sums import ClippedSums, PrivateSum, Vectors
from filters.holders.individual import IndividualFilter, gaussian_request
from filters.holders.journal import JournalError
from filters.holders.linear_queries import LinearAnswer, LinearQueries
from filters.holders.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filters.holders.personal import Personal, PersonalCost, PersonalFactor, PersonalReport
from filters.holders.secret_noise import SecretNoise
from filters.holders.session import FilterHaltedError, Session
from filters.holders.trackers import GaussianTracker, IndividualTracker, RenyiTracker, Tracker
from filters.privacy_filter import PrivacyFilter
from filters.rules.additive import AdditiveFilter
from filters.rules.blocks import BlockFilter
from filters.rules.orders import RenyiCurve
from filters.rules.several_sums import ApproximateZCDP
from filters.rules.unsound import RangedZCDP, UnsoundFilterWarning, knowingly
from filters.rules.unsound_sums import ClippingAfterAdding, ForgettingSums

__all__ = [
    "AboveThreshold",
    "AdditiveFilter",
    "ApproximateZCDP",
    "BlockFilter",
    "Budget",
    "Charge",
    "ChargeRule",
    "ClippedSums",
    "ClippingAfterAdding",
    "DoublingOdometer",
    "FilterHaltedError",
    "ForgettingSums",
    "GaussianTracker",
    "Holds",
    "IndividualFilter",
    "IndividualTracker",
    "JournalError",
    "LineOdometer",
    "LinearAnswer",
    "LinearQueries",
    "MixtureOdometer",
    "Odometer",
    "Personal",
    "PersonalCost",
    "PersonalFactor",
    "PersonalReport",
    "Plain",
    "PrivacyFilter",
    "PrivateSum",
    "RangedZCDP",
    "RenyiCharge",
    "RenyiCurve",
    "RenyiTracker",
    "RogersOdometer",
    "SecretNoise",
    "Session",
    "Square",
    "StitchedOdometer",
    "Tracker",
    "UnsoundFilterWarning",
    "Vectors",
    "approximate_charge",
    "approximate_zcdp_charge",
    "gaussian_request",
    "gdp_charge",
    "knowingly",
    "pure_charge",
    "renyi_charge",
    "zcdp_charge",
]
__all__ += [name for name in catalogue.__all__ if name in catalogue.CATALOGUE]
