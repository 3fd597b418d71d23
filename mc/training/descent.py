"""Private gradient descent with individual filters: each person's gradient is limited by their own budget.

>>> import numpy as np
>>> from filterproof.filters import GaussianFilter, IndividualFilter
>>> from filterproof.mc.training.digits import load_digits
>>> from filterproof.mc.training.network import DenseNetwork
>>> data = load_digits()
>>> people = IndividualFilter(GaussianFilter(mu=1.0), people=data.people)
>>> descent = PrivateGradientDescent(data, DenseNetwork(), people, clip=1.0, sigma=5.0, rate=1.0, seed=0)
>>> for step in descent:
...     if step == 3:
...         break
>>> descent.steps_taken, descent.theta.shape
(3, (2410,))
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import repeat
from math import prod
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.clipped_sums import ClippedSums, ImplicitVectors
from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.accountants.saved_state import checked_content, content_signed_if_key, saved_count
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.mc.runs.output import OutputFolder
from filterproof.mc.training.data_set import DataSet
from filterproof.theory.argument_checks import check_count, check_positive

Array = NDArray[np.float64]

_VERSION = 7
_SAVED = ("state", "parameters", "taken", "secret", "people")
#: Adam's decays of the two moving means, and what it adds to the root of the second, as in Torch.
_DECAYS, _OFFSET = (0.9, 0.999), 1e-8
#: Not secret: the signature only detects damage.
_FORMAT_KEY = b"filterproof.descent"


class Learner(Protocol):
    """The losses l_i(theta) of n people and their gradients, for parameters theta of shape (d,).

    Methods take rows x of shape (n, f) and labels y of shape (n, k). They raise ValueError for a wrong shape, and for
    numbers that are not finite.
    """

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of features f, of hidden units, and of classes k."""

    @property
    def output(self) -> str:
        """The probabilities that the scores stand for, "softmax" or "logistic"."""

    def start(self, rng: np.random.Generator) -> Array:
        """Return initial parameters, shape (d,)."""

    def gradients(self, theta: Array, x: Array, y: Array) -> ImplicitVectors:
        """Return the gradient of each person's loss by theta."""

    def losses(self, theta: Array, x: Array, y: Array) -> Array:
        """Return each person's loss in nats, shape (n,)."""

    def scores(self, theta: Array, x: Array) -> Array:
        """Return a score of each class or label, shape (n, k), larger for the more likely."""


class PrivateGradientDescent:
    """Private gradient descent in which each person has a budget of their own.

        theta_{t+1} = theta_t - rate m_t,  m_t = (1 / n) (sum_i f_i g_i(theta_t) + N(0, (sigma clip)^2 I))
        |f_i g_i| = min(|g_i|, clip, what the budget of person i still covers at this noise)

    Iterating takes a step and yields the number of steps taken. Stopping at any moment wastes nothing.

    Parameters
    ----------
    data : DataSet
        Features, labels and the number of people.
    network : Learner
        The model, e.g. `DenseNetwork`.
    people : IndividualFilter
        The budgets of the people in `data`. With a budget of k sums clipped to `clip`, the first k steps are Algorithm
        6 and all steps are Algorithm 7.
    clip : float
        Largest norm of a gradient, > 0.
    sigma : float
        Standard deviation of the noise in multiples of `clip`, > 0.
    rate : float
        Learning rate, > 0.
    seed : int
        Seed of the first parameters and of the noise. Whoever knows it can subtract the noise, and a small seed can be
        guessed from the first parameters: pass `secrets.randbits(128)`.
    adam : bool, default False
        Whether to step by Adam, which replaces m_t by a function of m_1, ..., m_t; the guarantee is the same.

    Raises
    ------
    ValueError
        If a number is out of range, if people, data and network do not fit, and, while iterating, for numbers that are
        not finite.

    Notes
    -----
    The number of people n counts as known. `save` stores everything and `restored` continues from there to the bit: the
    noise is a `SecretNoise`, so a repeated step repeats its release, and a step with other data or other code has other
    noise. Continue only from the newest save; another step from an older one releases more than it charges. Source:
    Feldman & Zrnic (2021), Algorithms 6 and 7, Propositions 5.1 and 5.2; Kingma & Ba (2015), Algorithm 1, for Adam.
    """

    def __init__(
        self,
        data: DataSet,
        network: Learner,
        people: IndividualFilter,
        *,
        clip: float,
        sigma: float,
        rate: float,
        seed: int,
        adam: bool = False,
    ) -> None:
        if people.people != data.people:
            raise ValueError(
                f"people must be those of the data set, got {people.people} for {data.people}; "
                "pass IndividualFilter(filt, people=data.people)"
            )
        if (network.sizes[0], network.sizes[-1]) != (data.feature_count, data.class_count):
            raise ValueError(
                f"network must have {data.feature_count} features and {data.class_count} classes, got "
                f"sizes={network.sizes}; "
                f"pass e.g. DenseNetwork(sizes=({data.feature_count}, 32, {data.class_count}))"
            )
        self.data, self.network, self.people = data, network, people
        self.rate = float(check_positive("rate", rate))
        self.sigma = float(check_positive("sigma", sigma))
        self._sums = ClippedSums(people, clip=clip, sigma=self.sigma * float(check_positive("clip", clip)))
        self._secret = check_count("seed", seed, least=0)
        theta = network.start(np.random.default_rng(self._secret))
        #: theta, and with Adam the moving means of the released gradients and of their squares
        self._state = np.concatenate([theta[np.newaxis], np.zeros((2 if adam else 0, len(theta)))])
        self._taken = 0

    @property
    def steps_taken(self) -> int:
        """The number of steps so far."""
        return self._taken

    @property
    def clip(self) -> float:
        """The largest norm of a person's gradient."""
        return self._sums.clip

    @property
    def theta(self) -> Array:
        """The parameters after the steps so far, shape (d,), covered by the guarantee."""
        return np.array(self._state[0])

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        gradients = self.network.gradients(self._state[0], self.data.features, self.data.labels)
        total = self._sums.release(gradients, self._sums.next_noise(self._secret)).value
        moved = self._next_state(total)
        if not np.isfinite(moved).all():
            raise ValueError(
                f"theta must be finite, got {float(moved[~np.isfinite(moved)][0])!r}; lower the rate, step "
                f"{self._taken + 1} was charged and not taken"
            )
        self._state = moved
        self._taken += 1
        return self._taken

    def _next_state(self, total: Array) -> Array:
        theta, *means = self._state
        if not means:
            return np.array([theta - (self.rate / self.data.people) * total])
        gradient = total / self.data.people
        moved = [
            decay * mean + (1 - decay) * gradient**k
            for k, (decay, mean) in enumerate(zip(_DECAYS, means, strict=True), 1)
        ]
        # a power by multiplications, the same bits on every processor
        first, second = (
            mean / (1 - prod(repeat(decay, self._taken + 1)))
            for decay, mean in zip(_DECAYS, moved, strict=True)
        )
        return np.array([theta - self.rate * first / (np.sqrt(second) + _OFFSET), *moved])

    def steps(self, number: int) -> None:
        """Take this many steps."""
        for _ in range(number):
            next(self)

    def active(self) -> int:
        """Return how many people took part in the last step. Raises ValueError unless the data are public."""
        if not self.data.public:
            raise ValueError(
                f"active() is only for a data set with public=True, got the data set {self.data.name!r}; the number "
                "of people is personal data: release a noisy count and charge it to the same people"
            )
        if not self._taken:
            return self.data.people
        return int(np.count_nonzero(self._sums.factors.made_public()))

    # -- save and restore -------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write everything that `restored` needs, except data, network and filter, to a file that is always complete.

        The file has everyone's spending, which is personal data. Raises OSError if it cannot be written.
        """
        content = {
            "state": self._state.astype("<f8").tobytes().hex(),
            "parameters": self._saved_parameters(),
            "taken": self._taken,
            "secret": self._secret,
            "people": self.people.to_dict(),
        }
        path = Path(path)
        with OutputFolder(path.parent) as folder:
            folder.add(
                path.name,
                json.dumps(content_signed_if_key("descent", _VERSION, content, _FORMAT_KEY)).encode(),
            )

    @classmethod
    def restored(
        cls, path: str | Path, data: DataSet, network: Learner, filt: FilterBase
    ) -> PrivateGradientDescent:
        """Return the descent that `save` wrote.

        Raises OSError without the file; ValueError for a damaged or another one, and for other data, network or filter.
        """
        content = Path(path).read_bytes()
        try:
            saved = checked_content(
                json.loads(content), "descent", _VERSION, _SAVED, _FORMAT_KEY, "PrivateGradientDescent.save"
            )
            # anybody can sign: data that is not checked below or by a constructor is checked here
            given, state = saved["parameters"], np.frombuffer(bytes.fromhex(saved["state"]), dtype="<f8")
            clip, sigma, rate = (float(given[name]) for name in ("clip", "sigma", "rate"))
            adam = bool(given["adam"])
            secret, taken = (saved_count(saved, name) for name in ("secret", "taken"))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(
                f"path must name a file of PrivateGradientDescent.save, got {len(content)} other bytes ({error}); "
                f"pass the "
                "file unchanged"
            ) from error
        people = IndividualFilter.from_dict(saved["people"], filt)
        descent = cls(data, network, people, clip=clip, sigma=sigma, rate=rate, seed=secret, adam=adam)
        for name, own in descent._saved_parameters().items():
            if given.get(name) != own:
                raise ValueError(
                    f"{name} must be that of the saved descent, {given.get(name)!r}, got {own!r}; pass the same data, "
                    "network and filter"
                )
        if state.size != descent._state.size or not np.isfinite(state).all():
            raise ValueError(
                f"state must be {descent._state.size} finite numbers, got {state.size}, {np.isfinite(state).sum()} of "
                "them finite; pass the file unchanged"
            )
        descent._state, descent._taken = state.reshape(descent._state.shape).astype(np.float64), taken
        return descent

    def _saved_parameters(self) -> dict[str, Any]:
        digest = hashlib.sha256()
        for array in (self.data.features, self.data.labels):
            digest.update(repr(array.shape).encode())
            digest.update(array.data.cast("B"))
        return {
            "clip": self.clip,
            "sigma": self.sigma,
            "rate": self.rate,
            "adam": len(self._state) > 1,
            "sizes": list(self.network.sizes),
            "output": self.network.output,
            "data": digest.hexdigest(),
        }
