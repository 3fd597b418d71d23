"""Secret noise: normal numbers that are a function of a secret, a step, their scale, and what they are added to.

>>> noise = SecretNoise(secret=12345, step=1)
>>> sums = np.array([1.0, 2.0])
>>> bool((noise.added_to(sums, sigma=2.0) == noise.added_to(sums, sigma=2.0)).all())
True
>>> bool((noise.added_to(sums, sigma=2.0) == noise.added_to(sums + 1, sigma=2.0)).any())
False
>>> bool((noise.added_to(sums, sigma=2.0) == noise.added_to(sums, sigma=4.0) / 2).any())
False
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from filters.contract.parameters import checked_parameters, one_positive
from theory.arguments import check_count
from theory.numerics.norms import nearest


@dataclass(frozen=True, slots=True)
class SecretNoise:
    """N(0, sigma^2 I) by a generator whose seed is the SHA-256 of the secret, the step, sigma, and the bits of the sum.

    A step that is made again, after a crash say, gives the same noise for the same sum, so that nothing new is said.
    For another sum, of other data or of other code, and at another sigma the noise is another: the two never cancel,
    as they would if a generator were set back. Whoever knows the secret can subtract the noise; `repr` does not tell
    it.
    """

    secret: int = field(repr=False)
    step: int

    def __post_init__(self) -> None:
        count = partial(check_count, least=0)
        checked_parameters(self, secret=count, step=count)

    def added_to(self, *total: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
        """The noise of standard deviation sigma for sums: one array, or several of its shape that add up to it.

        Raises ValueError for sigma <= 0 and for what is not finite.
        """
        sigma, shape = one_positive("sigma", sigma), total[0].shape
        if not np.isfinite(total).all():
            raise ValueError(
                f"total must be finite, got {np.sum(~np.isfinite(total))} others; clip what is summed"
            )
        told = repr((self.secret, self.step, sigma, shape)).encode()
        bits = b"".join(part.tobytes() for part in _expansion(total))
        rng = np.random.default_rng(
            np.random.SeedSequence(int.from_bytes(hashlib.sha256(told + bits).digest()))
        )
        return sigma * rng.standard_normal(shape)


def _expansion(total: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """The sum of the parts as the double next to it, the one next to the rest, and so on: alike for other parts."""
    left, parts = [np.asarray(part, dtype=np.float64) + 0.0 for part in total], []
    while (near := nearest(left) + 0.0).any():
        parts.append(near)
        left.append(-near)
    return parts
