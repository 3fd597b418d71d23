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
from filterproof.filters.rules.blocks import BlockFilter
from filterproof.mc.estimate.crossing import Approaching, crossing

__all__ = [
    "Approaching",
    "BlockFilter",
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
    "VaryingTracker",
    "crossing",
]
