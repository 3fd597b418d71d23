"""A mechanism: the code that draws an output, and the dominating pair that a filter charges for it.

>>> import filterproof as fp
>>> count = fp.Mechanism(lambda data, rng: len(data) + rng.laplace(scale=2.0), fp.Laplace(2.0))
>>> fp.BasicFilter(1.0).open().request(count.pair)
True
>>> count.audit([1, 1], [1], n=20_000).verdict.outcome.name
'UNDECIDED'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np

from filterproof.mc.estimate.audit_mechanism import MechanismAudit, audit_mechanism
from filterproof.theory.pairs import DominatingPair


class AuditOptions(TypedDict, total=False):
    """The keywords of `audit_mechanism`."""

    epsilons: Sequence[float] | None
    n: int
    seed: int
    failure: float


@dataclass(frozen=True, slots=True)
class Mechanism:
    """The code that draws an output, and the dominating pair that a filter charges for it.

    Parameters
    ----------
    release : callable
        `release(data, rng)` returns a number or an array of numbers of one shape. It draws all randomness from the
        `numpy.random.Generator` and keeps nothing from earlier calls.
    pair : DominatingPair
        The single pair that requests pass to a filter.

    Raises
    ------
    TypeError
        If `release` is not callable, or `pair` is no single pair.

    Notes
    -----
    A filter sees `pair` only and trusts it. `audit` tests that `pair` dominates what `release` draws.

    Examples
    --------
    >>> import filterproof as fp
    >>> def mean(data, rng):  # the sensitivity is 1/2, and the noise is divided once more
    ...     return (sum(data) + rng.laplace(scale=1.0)) / 2
    >>> mechanism = fp.Mechanism(mean, fp.Laplace(2.0))
    >>> fp.BasicFilter(1.0).open().request(mechanism.pair)  # the filter sees no fault
    True
    >>> mechanism.audit([1.0, 1.0], [1.0, 0.0], n=20_000).verdict.outcome.name
    'REFUTED'
    """

    release: Callable[[Any, np.random.Generator], object]
    pair: DominatingPair

    def __post_init__(self) -> None:
        release: object = self.release
        if not callable(release):
            raise TypeError(
                f"release must be callable, got {release!r}; pass a function release(data, rng) of one draw"
            )
        pair: object = self.pair
        if not isinstance(pair, DominatingPair):
            raise TypeError(f"pair must be a DominatingPair, got {pair!r}; pass e.g. Laplace(2.0)")
        if pair.shape:
            raise TypeError(f"pair must be a single pair, got parameters of shape {pair.shape}; pass one")

    def audit(self, data: object, neighbour: object, **how: Unpack[AuditOptions]) -> MechanismAudit:
        """Test by samples on two neighbouring data sets whether the pair dominates the drawn outputs.

        Parameters
        ----------
        data, neighbour : object
            Two neighbouring data sets.
        **how
            epsilons, n, seed and failure, as in `audit_mechanism`.

        Returns
        -------
        MechanismAudit
            `promised` is the hockey-stick divergence of the pair, the larger of both orders, rounded up.

        Raises
        ------
        ValueError, TypeError
            As in `audit_mechanism`.
        """
        return audit_mechanism(self.release, data, neighbour, self.pair, **how)
