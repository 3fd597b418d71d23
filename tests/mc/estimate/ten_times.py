"""Filters that let more through than they promise, and an adversary that does not say what it asks for."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import filterproof as fp


class TenTimes(fp.PrivacyFilter):
    """Promises 0.02-zCDP and lets ten times as much through; only Gaussians."""

    promise = fp.ZCDP(rho=0.02)

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        if not isinstance(request, fp.Gaussian):
            return np.zeros(len(state), dtype=np.bool_)
        return state + request.mu**2 / 2 <= 0.2

    def spend(self, state: Any, request: Any) -> Any:
        return state + request.mu**2 / 2


class Grants(fp.PrivacyFilter):
    """Promises what it is told to, and grants so many requests, whatever they are."""

    def __init__(self, promise: fp.Guarantee, most: float = math.inf) -> None:
        self.promise, self.most = promise, most

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        return state < self.most

    def spend(self, state: Any, request: Any) -> Any:
        return state + 1


@dataclass(frozen=True)
class Silent(fp.Adversary):
    """Asks for one pair for ever, and does not say so: nothing but the filter bounds a path."""

    pair: fp.DominatingPair

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        return self.pair
