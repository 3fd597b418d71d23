"""Faster versions of functions, with the same bits as NumPy.

`losses` and `select_levels` return an array, or None if there is no faster version; callers then use NumPy. No result
depends on this package: if both functions always return None, every result stays the same.
"""

from filterproof.theory.fast.compiled_gaussian import losses, select_levels

__all__ = ["losses", "select_levels"]
