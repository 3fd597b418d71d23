"""All public names of the filters."""

from filterproof.filters import catalogue
from filterproof.filters.accountants.above_threshold import AboveThreshold
from filterproof.filters.accountants.active_count import ActiveCount
from filterproof.filters.accountants.clipped_sums import ClippedSums, ImplicitVectors, NoisySum
from filterproof.filters.accountants.individual import IndividualFilter, gaussian_request
from filterproof.filters.accountants.journal_file import JournalError
from filterproof.filters.accountants.linear_queries import LinearAnswer, LinearQueries
from filterproof.filters.accountants.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filterproof.filters.accountants.pairwise import PairwiseFilter
from filterproof.filters.accountants.personal_reports import (
    PerPersonValues,
    PersonalCost,
    PersonalFactor,
    PersonalRemainingBudget,
)
from filterproof.filters.accountants.secret_noise import SecretNoise
from filterproof.filters.accountants.session import FilterHaltedError, Session
from filterproof.filters.accountants.trackers import GaussianTracker, IndividualTracker, RenyiTracker, Tracker
from filterproof.filters.accountants.varying_tracker import VaryingTracker
from filterproof.filters.accounting.approximate_charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, SquaredCharge
from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    RenyiCharge,
    gdp_charge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.catalogue import *  # noqa: F403
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.filters.rules.orders import RenyiCurve
from filterproof.filters.rules.several_sums import ApproximateZCDP
from filterproof.filters.rules.tracker_limit import TrackerLimitFilter
from filterproof.filters.rules.unsound import (
    UnsoundFilterWarning,
    ZCDPGuaranteeOnRange,
    suppress_unsound_warning,
)
from filterproof.filters.rules.unsound_sums import ClippingAfterAdding, ForgettingSums

__all__ = [
    "AboveThreshold",
    "ActiveCount",
    "AdditiveFilter",
    "ApproximateZCDP",
    "Budget",
    "Charge",
    "ChargeRule",
    "ClippedSums",
    "ClippingAfterAdding",
    "DoublingOdometer",
    "FilterHaltedError",
    "ForgettingSums",
    "GaussianTracker",
    "GuaranteeScope",
    "ImplicitVectors",
    "IndividualFilter",
    "IndividualTracker",
    "JournalError",
    "LineOdometer",
    "LinearAnswer",
    "LinearCharge",
    "LinearQueries",
    "MixtureOdometer",
    "NoisySum",
    "Odometer",
    "PairwiseFilter",
    "PerPersonValues",
    "PersonalCost",
    "PersonalFactor",
    "PersonalRemainingBudget",
    "PrivacyFilter",
    "RenyiCharge",
    "RenyiCurve",
    "RenyiTracker",
    "RogersOdometer",
    "SecretNoise",
    "Session",
    "SquaredCharge",
    "StitchedOdometer",
    "Tracker",
    "TrackerLimitFilter",
    "UnsoundFilterWarning",
    "VaryingTracker",
    "ZCDPGuaranteeOnRange",
    "approximate_charge",
    "approximate_zcdp_charge",
    "gaussian_request",
    "gdp_charge",
    "pure_charge",
    "renyi_charge",
    "suppress_unsound_warning",
    "zcdp_charge",
]
__all__ += [name for name in catalogue.__all__ if name in catalogue.CATALOGUE]
