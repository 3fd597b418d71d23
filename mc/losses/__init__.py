"""Privacy losses as laws on a lattice: cells, tails, roundings with a side, and compositions fixed in advance."""

from mc.losses.log_ratio import Epsilon, LogRatio

__all__ = ["Epsilon", "LogRatio"]
