"""Hypothesis strategies that generate mechanisms and adversaries for tests of filters.

Importing this module imports hypothesis; no other module of the project does so when it is imported.

    >>> adversary = TreeAdversary({(): Erasure(0.1), (1,): Erasure(0.2)})
    >>> adversary.request((0.7,)).p, adversary.request((-0.7,))
    (0.2, None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from filterproof.filters.testing.request_sampling import ByteTape, RequestMenu, requests_of
from filterproof.theory.pairs import KOV, DominatingPair, Erasure, Gaussian, RandomizedResponse

__all__ = ["TreeAdversary", "mechanisms", "tree_adversaries"]

_T = TypeVar("_T")


def reproducible_settings(examples: int, **more: Any) -> hypothesis.settings:
    """Return settings with this many examples, the same in every run, without a time limit."""
    return hypothesis.settings(
        deadline=None,
        max_examples=examples,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        **more,
    )


def mechanisms(most: float = 2.0) -> SearchStrategy[DominatingPair]:
    """Generate single pairs of the common families, with small parameters as often as large ones.

    Parameters
    ----------
    most : float
        The largest mu of a Gaussian and epsilon of a RandomizedResponse or KOV. Deltas and the probabilities of an
        Erasure are between exp(-30) and exp(-2).

    Returns
    -------
    SearchStrategy of DominatingPair
    """
    size = st.one_of(st.floats(1e-6, most), st.floats(-14, 0).map(lambda x: most * float(np.exp(x))))
    chance = st.floats(-30, -2).map(lambda x: float(np.exp(x)))
    return st.one_of(
        size.map(Gaussian),
        size.map(RandomizedResponse),
        st.builds(KOV, size, chance),
        chance.map(Erasure),
    )


def hypothesis_strategy_by_bytes(
    requests: SearchStrategy[RequestMenu], make: Callable[[RequestMenu, ByteTape], _T], size: int
) -> SearchStrategy[_T]:
    """Generate what `make` reads from `size` bytes. One choice of Hypothesis makes drawing and shrinking fast."""
    data = st.binary(min_size=size, max_size=size)
    return st.tuples(requests, data).map(lambda both: make(both[0], ByteTape(both[1])))


def request_menus(requests: SearchStrategy[DominatingPair], size: int = 4) -> SearchStrategy[RequestMenu]:
    """Generate menus of `size` requests, from which one example is made."""
    return st.tuples(*[requests] * size).map(requests_of)


@dataclass(frozen=True, slots=True)
class TreeAdversary:
    """A decision tree: the next request as a function of the signs of the losses so far.

    Parameters
    ----------
    tree : mapping from tuple of int to DominatingPair
        The request after the signs (-1, 0 or 1) of the losses so far; () is the first. A path without an entry ends.
    """

    tree: Mapping[tuple[int, ...], DominatingPair]

    def request(self, past: tuple[float, ...]) -> DominatingPair | None:
        """Return the request after these losses, or None to stop."""
        return self.tree.get(tuple((loss > 0) - (loss < 0) for loss in past))


def tree_adversaries(
    requests: SearchStrategy[DominatingPair] | None = None, depth: int = 3
) -> SearchStrategy[TreeAdversary]:
    """Generate adaptive adversaries over at most four mechanisms.

    Parameters
    ----------
    requests : SearchStrategy of DominatingPair, optional
        The mechanisms. Default: those of `mechanisms` with finitely many outputs.
    depth : int
        The number of rounds.

    Returns
    -------
    SearchStrategy of TreeAdversary
    """
    chosen = requests
    if chosen is None:
        chosen = mechanisms().filter(lambda pair: pair.outputs is not None)
    return adversaries_of(request_menus(chosen), depth)


def adversaries_of(requests: SearchStrategy[RequestMenu], depth: int = 3) -> SearchStrategy[TreeAdversary]:
    """Generate adversaries that use at most four of the requests, one after each sequence of signs."""

    def drawn_adversary(some: RequestMenu, tape: ByteTape) -> TreeAdversary:
        menu = [some.request(tape) for _ in range(1 + tape.below(4))]
        layers = [product((-1, 0, 1), repeat=rounds) for rounds in range(depth)]
        return TreeAdversary({past: menu[tape.below(len(menu))] for layer in layers for past in layer})

    return hypothesis_strategy_by_bytes(requests, drawn_adversary, 16 + 3**depth)
