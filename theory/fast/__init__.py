"""Faster versions of functions, with the same bits as NumPy.

`losses` and `either` return an array, or None if there is no faster version; then the caller uses NumPy. No result
depends on this package: if both functions always return None, every result stays the same.
"""

from filterproof.theory.fast.compiled_gaussian import either, losses

__all__ = ["either", "losses"]
