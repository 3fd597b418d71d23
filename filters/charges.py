"""What additive filters charge for a pair: the exact value of its declared doubles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.ledger import Charge, Plain, Square
from theory.arguments import Real
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse, Selection

__all__ = ["Charge", "gdp_charge", "renyi_charge", "zcdp_charge"]


def gdp_charge(request: DominatingPair) -> Square:
    """mu^2 of the declared mu."""
    return Square(request.gdp_mu)


def zcdp_charge(request: DominatingPair) -> Charge:
    """mu^2/2 for Gaussian(mu), epsilon^2/2 for RandomizedResponse(epsilon), the declared rho otherwise."""
    root = _zcdp_root(request)
    if root is not None:
        return Square(root, 0.5)
    if isinstance(request, Selection):
        return Plain(_pick([_zcdp_bound(pair) for pair in request.pairs], request.index))
    return Plain(request.zcdp_rho)


def renyi_charge(request: DominatingPair, alpha: float) -> Charge:
    """alpha mu^2/2 for Gaussian(mu), otherwise the declared divergence of order alpha, both directions."""
    if isinstance(request, Gaussian):
        return Square(request.mu, alpha / 2)
    if isinstance(request, Selection):
        if all(isinstance(pair, Gaussian) for pair in request.pairs):
            return Square(request.gdp_mu, alpha / 2)
        return Plain(_pick([_renyi_bound(pair, alpha) for pair in request.pairs], request.index))
    return Plain(_renyi_bound(request, alpha))


def _zcdp_root(request: DominatingPair) -> Real | None:
    """The t with exact charge t^2/2, where there is one."""
    if isinstance(request, Gaussian):
        return request.mu
    if isinstance(request, RandomizedResponse):
        return request.epsilon
    if isinstance(request, Selection):
        roots = [_zcdp_root(pair) for pair in request.pairs]
        known = [root for root in roots if root is not None]
        return _pick(known, request.index) if len(known) == len(roots) else None
    return None


def _zcdp_bound(pair: DominatingPair) -> Real:
    root = _zcdp_root(pair)
    return pair.zcdp_rho if root is None else np.nextafter(root * root / 2, np.inf)


def _renyi_bound(pair: DominatingPair, alpha: float) -> Real:
    if isinstance(pair, Gaussian):
        return np.nextafter(alpha * np.nextafter(pair.mu * pair.mu / 2, np.inf), np.inf)
    forward, swapped = pair.renyi(alpha), pair.swapped
    if swapped is pair:
        return forward
    larger: Real = np.maximum(forward, swapped.renyi(alpha))
    return larger


def _pick(values: Sequence[Real], index: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """values[index[i]] for every run i; each value is shared or has one entry per run."""
    if any(np.ndim(value) for value in values):
        table = np.stack([np.broadcast_to(value, index.shape) for value in values])
        picked: NDArray[np.float64] = table[index, np.arange(len(index))]
    else:
        picked = np.array(values, dtype=np.float64)[index]
    return picked
