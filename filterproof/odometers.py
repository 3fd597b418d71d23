"""Odometers and trackers: bounds on the loss so far, filters that are used up, and how both are played."""

from filterproof.filters.accountants.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filterproof.filters.accountants.trackers import GaussianTracker, IndividualTracker, RenyiTracker, Tracker
from filterproof.filters.accountants.varying_tracker import VaryingTracker
from filterproof.filters.rules.tracker_limit import TrackerLimitFilter
from filterproof.mc.estimate.crossing import BoundApproaching, crossing_probability

__all__ = [
    "BoundApproaching",
    "DoublingOdometer",
    "GaussianTracker",
    "IndividualTracker",
    "LineOdometer",
    "MixtureOdometer",
    "Odometer",
    "RenyiTracker",
    "RogersOdometer",
    "StitchedOdometer",
    "Tracker",
    "TrackerLimitFilter",
    "VaryingTracker",
    "crossing_probability",
]
