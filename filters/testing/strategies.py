"""Hypothesis strategies for testing filters: mechanisms, requests, budgets, histories and adversaries.

    >>> adversary = TreeAdversary({(): Erasure(0.1), (1,): Erasure(0.2)})
    >>> adversary.request((0.7,)).p, adversary.request((-0.7,))
    (0.2, None)

Importing this module imports hypothesis; no other module of the project does so when it is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ModuleNotFoundError as missing:
    raise ImportError(
        "strategies and laws need Hypothesis, which is not installed; pip install filterproof[testing]"
    ) from missing

from theory.pairs import KOV, DominatingPair, Erasure, Gaussian, RandomizedResponse

__all__ = [
    "History",
    "TreeAdversary",
    "adversaries",
    "budgets",
    "comparable",
    "dyadic",
    "histories",
    "losses",
    "mechanisms",
]

#: The rounds so far: each request and the privacy loss that its output realised, in nats.
History: TypeAlias = list[tuple[DominatingPair, float]]


def budgets(least: float = 1e-6, most: float = 1e6) -> SearchStrategy[float]:
    """Positive budgets over many orders of magnitude."""
    return st.floats(np.log(least), np.log(most)).map(lambda x: float(np.exp(x)))


def mechanisms(most: float = 2.0) -> SearchStrategy[DominatingPair]:
    """Single pairs of the common families, parameters up to `most`, small ones as often as large ones."""
    size = st.one_of(st.floats(1e-6, most), st.floats(-14, 0).map(lambda x: most * float(np.exp(x))))
    chance = st.floats(-30, -2).map(lambda x: float(np.exp(x)))
    return st.one_of(
        size.map(Gaussian),
        size.map(RandomizedResponse),
        st.builds(KOV, size, chance),
        chance.map(Erasure),
    )


def dyadic(most: float = 1.0) -> SearchStrategy[DominatingPair]:
    """Gaussians and randomised responses at multiples of most/64, whose squares add up without rounding."""
    size = st.integers(1, 64).map(lambda k: most * k / 64)
    return st.one_of(size.map(Gaussian), size.map(RandomizedResponse))


def losses(most: float = 2.0) -> SearchStrategy[float]:
    """Realised losses in [-most, most]."""
    return st.floats(-most, most)


def histories(
    requests: SearchStrategy[DominatingPair] | None = None, longest: int = 12
) -> SearchStrategy[History]:
    """Lists of at most `longest` requests, each with the loss that it realises if it is granted."""
    return st.lists(st.tuples(mechanisms() if requests is None else requests, losses()), max_size=longest)


def comparable(
    requests: SearchStrategy[DominatingPair] | None = None,
) -> SearchStrategy[tuple[DominatingPair, DominatingPair]]:
    """(cheaper, dearer) of one family: no parameter of the first exceeds that of the second."""
    drawn = mechanisms() if requests is None else requests
    return st.tuples(drawn, drawn).map(_sorted).filter(lambda both: both is not None)  # type: ignore[return-value]


def _numbers(pair: DominatingPair) -> tuple[float, ...]:
    values = (getattr(pair, f.name) for f in fields(pair))  # type: ignore[arg-type]
    return tuple(value for value in values if isinstance(value, float))


def _sorted(
    both: tuple[DominatingPair, DominatingPair],
) -> tuple[DominatingPair, DominatingPair] | None:
    first, second = both
    if type(first) is not type(second) or not _numbers(first):
        return (first, first)
    if all(a <= b for a, b in zip(_numbers(first), _numbers(second), strict=True)):
        return first, second
    if all(a >= b for a, b in zip(_numbers(first), _numbers(second), strict=True)):
        return second, first
    return (first, first)


@dataclass(frozen=True, slots=True)
class TreeAdversary:
    """A decision tree: the next request as a function of the signs of the losses so far, as plain data.

    `tree` maps (sign, sign, ...) to a request; a path without an entry makes no more requests. The adversary is
    predictable: a request depends on past losses only.
    """

    tree: Mapping[tuple[int, ...], DominatingPair]

    def request(self, past: tuple[float, ...]) -> DominatingPair | None:
        """The request after these losses, None to stop."""
        return self.tree.get(tuple(int(np.sign(loss)) for loss in past))


@st.composite
def adversaries(
    draw: st.DrawFn, requests: SearchStrategy[DominatingPair] | None = None, depth: int = 3
) -> TreeAdversary:
    """Adaptive adversaries of at most `depth` rounds over finite mechanisms."""
    chosen = requests
    if chosen is None:
        chosen = mechanisms().filter(lambda pair: not isinstance(pair, Gaussian))
    menu = draw(st.lists(chosen, min_size=1, max_size=4))
    tree: dict[tuple[int, ...], DominatingPair] = {}
    layer: list[tuple[int, ...]] = [()]
    for _ in range(depth):
        for past in layer:
            tree[past] = draw(st.sampled_from(menu))
        layer = [(*past, sign) for past in layer for sign in (-1, 0, 1)]
    return TreeAdversary(tree)
