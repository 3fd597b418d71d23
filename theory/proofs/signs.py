"""Signs of terms that follow from the ranges of the symbols, also of integrals whose limits are in order."""

from __future__ import annotations

import sympy as sp

from theory.proofs.expressions import range_of

__all__ = ["evidently_nonnegative", "evidently_positive", "in_order"]


def evidently_nonnegative(term: sp.Expr) -> bool:
    """Whether the term is evidently >= 0 at every point of its domain; False may mean that it is not evident."""
    return _evident(term, strict=False)


def evidently_positive(term: sp.Expr) -> bool:
    """Whether the term is evidently > 0 at every point of its domain; False may mean that it is not evident."""
    return _evident(term, strict=True)


def _evident(term: sp.Expr, *, strict: bool) -> bool:
    if isinstance(term, sp.Integral):
        # an inner limit may depend on outer variables, so it must be in order for all their values
        return all(in_order(limit, strict=strict) for limit in term.limits) and _evident(
            term.function, strict=strict
        )
    if term.has(sp.Integral):
        return isinstance(term, sp.Mul) and all(_evident(factor, strict=strict) for factor in term.args)
    # both imply, in sympy, that the term is real and finite
    return bool(term.is_positive if strict else term.is_nonnegative)


def in_order(limit: sp.Tuple, *, strict: bool = False) -> bool:
    """Whether a limit (variable, low, high) has low <= high (< if strict) and stays in the variable's range."""
    if len(limit) != 3:
        return False
    variable, low, high = limit
    if low == sp.oo or high == -sp.oo or not all(end.is_extended_real for end in (low, high)):
        return False
    # the sign of the integrand follows from the declared range, so the limits must stay within it; a single end point
    # on its border does not matter
    if range_of(variable) is None or not (range_of(variable) == "real" or low.is_nonnegative):
        return False
    if high == sp.oo or low == -sp.oo:
        return all(end.is_finite for end in (low, high) if end not in (sp.oo, -sp.oo))
    width = high - low
    return bool(width.is_positive if strict else width.is_nonnegative)
