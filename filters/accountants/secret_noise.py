"""Secret noise: normal numbers that depend on a secret, a step, a scale, and the sum that they are added to.

>>> noise = SecretNoise(secret=12345, step=1)
>>> sums = np.array([1.0, 2.0])
>>> bool((noise.noise_for(sums, sigma=2.0) == noise.noise_for(sums, sigma=2.0)).all())
True
>>> bool((noise.noise_for(sums, sigma=2.0) == noise.noise_for(sums + 1, sigma=2.0)).any())
False
>>> bool((noise.noise_for(sums, sigma=2.0) == noise.noise_for(sums, sigma=4.0) / 2).any())
False
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from reprlib import repr as short

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.parameters import one_positive, store_checked_parameters
from filterproof.theory.argument_checks import check_count
from filterproof.theory.numerics.norms import nearest_doubles_of_sum


@dataclass(frozen=True, slots=True)
class SecretNoise:
    """Gaussian noise that depends only on a secret, a step, its scale, and the sum that it is added to.

    The seed of the generator is the SHA-256 of the secret, the step, sigma and the bits of the sum.

    Parameters
    ----------
    secret : int, >= 0
        The secret. `repr` does not contain it. Whoever knows it can subtract the noise.
    step : int, >= 0
        The number of the release. Use a step for one release only.

    Raises
    ------
    ValueError
        If a parameter is negative.

    Notes
    -----
    A step that is repeated, for example after a crash, gives the same noise for the same sum, and so reveals nothing
    new. Another sum or another sigma gives independent noise, so the noise never cancels between two sums, as it would
    with a generator that is set back. Two releases with the same step would show whether their sums are equal.
    `ClippedSums.release` refuses a step that is not above the earlier ones with this secret; a caller of `noise_for`
    has to pass a new step each time. Use a secret for one `IndividualFilter` only, because another one does not know
    its steps.

    Examples
    --------
    >>> noise = SecretNoise(secret=12345, step=1)
    >>> sums = np.array([1.0, 2.0])
    >>> bool((noise.noise_for(sums, sigma=2.0) == noise.noise_for(sums, sigma=2.0)).all())
    True
    """

    secret: int = field(repr=False)
    step: int

    def __post_init__(self) -> None:
        count = partial(check_count, least=0)
        store_checked_parameters(self, secret=count, step=count)

    def noise_for(self, *total: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
        """Return the noise N(0, sigma^2 I) that belongs to a sum; the sum is not added.

        Parameters
        ----------
        *total : ndarray of float
            The sum, or several arrays of one shape that add up to it.
        sigma : float, > 0
            The standard deviation.

        Raises
        ------
        ValueError
            For sigma <= 0 and for a sum that is not finite.
        """
        sigma, shape = one_positive("sigma", sigma), total[0].shape
        if not np.isfinite(total).all():
            raise ValueError(
                f"total must be finite, got {np.sum(~np.isfinite(total))} infinite or NaN entries; clip the vectors"
            )
        message = repr((self.secret, self.step, sigma, shape)).encode()
        bits = b"".join(part.tobytes() for part in _sum_as_expansion(total))
        rng = np.random.default_rng(
            np.random.SeedSequence(int.from_bytes(hashlib.sha256(message + bits).digest()))
        )
        return sigma * rng.standard_normal(shape)


class UsedNoise:
    """The noise that earlier releases of one accountant used: none is drawn for a second sum.

    A refusal depends on the caller's arguments and never on data. The last step of each secret is saved with the
    accountant. The states of generators are remembered for the life of the process. Noise from other code, such as a
    hardened sampler, is not tracked.
    """

    __slots__ = ("_lock", "_states", "_steps")

    def __init__(self, steps: Mapping[str, int] | None = None) -> None:
        self._lock = threading.Lock()
        self._steps = dict(steps or {})
        self._states: set[bytes] = set()

    def to_dict(self) -> dict[str, int]:
        """Return the last step of each secret, by its digest."""
        with self._lock:
            return dict(self._steps)

    @classmethod
    def from_dict(cls, steps: object) -> UsedNoise:
        """Return the object from the result of `to_dict`. Raises ValueError for anything else."""
        if not isinstance(steps, dict) or not all(
            type(name) is str and len(name) == 64 and type(step) is int and step >= 0
            for name, step in steps.items()
        ):
            raise ValueError(
                f"steps must hold a step of each secret, got {short(steps)}; pass the data as it was saved"
            )
        return cls(steps)

    def next_unused_noise(self, secret: int) -> SecretNoise:
        """Return the noise of the first unused step with this secret, from 1 on."""
        with self._lock:
            return SecretNoise(secret, self._steps.get(_secret_digest(secret), 0) + 1)

    def mark_used(self, rng: object) -> None:
        """Mark the step of a SecretNoise as used. Raises ValueError for used noise."""
        with self._lock:
            if isinstance(rng, SecretNoise):
                last = self._steps.get(name := _secret_digest(rng.secret), -1)
                if rng.step <= last:
                    raise ValueError(
                        "step must be above those that these people's releases used with this secret, got "
                        f"step={rng.step!r} after {last}; pass SecretNoise(secret, step={last + 1}), nothing was "
                        "charged"
                    )
                self._steps[name] = rng.step
            elif _generator_digest(rng) in self._states:
                raise ValueError(f"{_REPEATED}, nothing was charged")

    def draw_unused_normals(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Draw standard normals. Raises ValueError if the generator had this state before."""
        with self._lock:
            if (state := _generator_digest(rng)) is not None:
                if state in self._states:
                    raise ValueError(f"{_REPEATED}; the charges remain")
                self._states.add(state)
            return rng.standard_normal(shape)


_REPEATED = (
    "rng must not draw the noise of an earlier release again, got a generator in the state in which that release drew; "
    "make one generator and pass it each time"
)


def _secret_digest(secret: int) -> str:
    """Return the digest that identifies a secret in saved data."""
    return hashlib.sha256(f"filterproof secret {secret}".encode()).hexdigest()


def _generator_digest(rng: object) -> bytes | None:
    """Return a digest of the state of a NumPy generator, or None for other code."""
    if type(rng) is not np.random.Generator:
        return None
    return hashlib.blake2b(pickle.dumps(rng.bit_generator.state), digest_size=16).digest()


def _sum_as_expansion(total: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return the sum of the parts as a list: the nearest double, the double nearest to the rest, and so on."""
    left, parts = [np.asarray(part, dtype=np.float64) + 0.0 for part in total], []
    while (near := nearest_doubles_of_sum(left) + 0.0).any():
        parts.append(near)
        left.append(-near)
    return parts
