"""Runs: worker processes play the tiles of a game; their sums are merged, and kept in a store if one is given.

The play of a single tile is in `filterproof.mc.engine`; what the sums mean is in `filterproof.mc.estimate`.
"""
