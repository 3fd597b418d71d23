"""What additive filters charge for a pair: the exact value of its declared doubles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.ledger import Charge, Plain, Square
from theory.arguments import Real
from theory.pairs import KOV, DominatingPair, Erasure, Gaussian, RandomizedResponse, Selection

__all__ = [
    "Charge",
    "approximate_charge",
    "approximate_zcdp_charge",
    "gdp_charge",
    "renyi_charge",
    "zcdp_charge",
]


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


def approximate_charge(request: DominatingPair, at: float | None) -> tuple[Real, Real]:
    """(epsilon, delta) such that the mechanism is (epsilon, delta)-DP.

    (epsilon, delta) of KOV, (0, p) of Erasure, (pure epsilon, 0) of what has a finite one. Everything else is
    declared at the epsilon `at`, with its hockey-stick there, the larger direction; with at=None its epsilon
    is infinite.
    """
    if isinstance(request, Selection):
        both = [approximate_charge(pair, at) for pair in request.pairs]
        return _pick([e for e, _ in both], request.index), _pick([d for _, d in both], request.index)
    if isinstance(request, KOV):
        return request.epsilon, request.delta
    if isinstance(request, Erasure):
        return _zero_like(request.p), request.p
    epsilon = request.pure_epsilon
    if at is None or np.all(np.isfinite(epsilon)):
        return epsilon, _zero_like(epsilon)
    delta = np.maximum(request.hockey_stick(at), request.swapped.hockey_stick(at)) * (1 + 2.0**-40)
    finite = np.isfinite(epsilon)
    declared: Real = np.where(finite, epsilon, at)
    return declared, np.where(finite, 0.0, delta)


def approximate_zcdp_charge(request: DominatingPair) -> tuple[Charge, Real]:
    """(rho, delta) such that the mechanism is delta-approximately rho-zCDP."""
    if isinstance(request, KOV):
        return Square(request.epsilon, 0.5), request.delta
    if isinstance(request, Erasure):
        return Plain(_zero_like(request.p)), request.p
    if isinstance(request, Selection) and any(isinstance(pair, (KOV, Erasure)) for pair in request.pairs):
        both = [approximate_zcdp_charge(pair) for pair in request.pairs]
        rhos = [np.nextafter(c.rough(1.0), np.inf) if isinstance(c, Square) else c.x for c, _ in both]
        return Plain(_pick(rhos, request.index)), _pick([d for _, d in both], request.index)
    charge = zcdp_charge(request)
    return charge, _zero_like(charge.x)


def _zero_like(x: Real) -> Real:
    return np.zeros_like(x) if isinstance(x, np.ndarray) else 0.0
