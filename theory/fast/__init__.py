"""Faster versions of functions, with the same bits as NumPy.

`losses` returns an array, or None if there is no faster version; callers then use NumPy. No result depends on this
package: if the function always returns None, every result stays the same.
"""

from filterproof.theory.fast.compiled_gaussian import losses

__all__ = ["losses"]
