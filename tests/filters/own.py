"""What users write and do: filters of their own, odd numbers, several threads."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import filterproof.filters as fp
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import DominatingPair


def together(count: int, work: Callable[[], object]) -> None:
    """`work` in `count` threads that start at once."""
    gate = threading.Barrier(count)

    def run() -> None:
        gate.wait()
        work()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def of(base: type, **own: Any) -> Any:
    """A subclass with parts of its own, methods of (filter, state, request)."""
    return type("Own", (base,), own)


def saying(kind: type, value: object, *names: str) -> Any:
    """A subclass of a pair that declares one value under these names; `renyi` is asked for an order."""
    parts = {name: property(lambda self: value) for name in names}
    return type(
        "Saying", (kind,), parts | {"renyi": lambda self, alpha: value} if "renyi" in names else parts
    )


class Adding(fp.PrivacyFilter):
    """Adds up in doubles what `cost` says of each request, up to `most`."""

    promise = ApproxDP(1.0, 1e-5)
    most = 1.0

    def cost(self, request: DominatingPair) -> Any:
        return request.pure_epsilon

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return state + self.cost(request) <= self.most

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return state + self.cost(request)


class Known(Adding):
    """One that says which states there are."""

    def is_reachable_state(self, state: Any) -> Any:
        return (state >= 0) & (state <= 1)


class OfSquares(Adding):
    """The user's filter of the README."""

    order_free = True
    most = 0.02

    def cost(self, request: DominatingPair) -> Any:
        return request.pure_epsilon**2 / 2


class AddingMu(Adding):
    """The same of the mu of each request."""

    def cost(self, request: DominatingPair) -> Any:
        return request.gdp_mu
