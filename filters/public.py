"""Every public name of the filters, loaded together."""

from filterproof.filters import catalogue
from filterproof.filters.accounting.amounts import Charge, Plain, Square
from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    RenyiCharge,
    gdp_charge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filterproof.filters.accounting.charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.catalogue import *  # noqa: F403
from filterproof.filters.contract.holds import Holds
from filterproof.filters.holders.above_threshold import AboveThreshold
from filterproof.filters.holders.clipped_sums import ClippedSums, PrivateSum, Vectors
from filterproof.filters.holders.individual import IndividualFilter, gaussian_request
from filterproof.filters.holders.journal import JournalError
from filterproof.filters.holders.linear_queries import LinearAnswer, LinearQueries
from filterproof.filters.holders.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filterproof.filters.holders.personal import Personal, PersonalCost, PersonalFactor, PersonalReport
from filterproof.filters.holders.secret_noise import SecretNoise
from filterproof.filters.holders.session import FilterHaltedError, Session
from filterproof.filters.holders.trackers import GaussianTracker, IndividualTracker, RenyiTracker, Tracker
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.filters.rules.blocks import BlockFilter
from filterproof.filters.rules.orders import RenyiCurve
from filterproof.filters.rules.several_sums import ApproximateZCDP
from filterproof.filters.rules.unsound import RangedZCDP, UnsoundFilterWarning, knowingly
from filterproof.filters.rules.unsound_sums import ClippingAfterAdding, ForgettingSums

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
