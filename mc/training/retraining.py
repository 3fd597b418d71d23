"""The experiment of Feldman & Zrnic (2021): their convolutional network, trained on a folder of IDX files.

    outcome = train_idx(Path("mnist"), epsilon=0.3, delta=1e-5, clip=10.0, steps=112, rate=0.2, out=Path("run"))

It needs the extra `filterproof[training]`. Killed at any moment, the same call goes on where it stood.
"""

from __future__ import annotations

import io
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.rules.one_sum import GaussianFilter
from filterproof.mc.intervals import clopper_pearson
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.runs.output import OutputFolder
from filterproof.mc.training.convolutional import ConvolutionalNetwork
from filterproof.mc.training.data_set import DataSet, classified
from filterproof.mc.training.descent import Learner, PrivateGradientDescent
from filterproof.mc.training.idx import read_idx_data_set
from filterproof.theory.argument_checks import check_count, check_delta
from filterproof.theory.conversions import max_gaussian_mu

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

#: The most steps after the first `steps` in Feldman & Zrnic (2021) (Appendix A).
_MAX_FURTHER_STEPS = 35
_FAILURE = 0.05
#: Everyone's spending and the generator of the noise: private.
_PRIVATE, _CHECKPOINT = "private", "descent.json"
#: Locked by the run that writes next to it.
_LOCK = "lock"
_MODEL = "model.npz"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RetrainedModel:
    """Parameters theta, shape (d,), that are mu-GDP for adding or removing one person.

    `sigma` is the noise in units of the clip. `steps` is the number that everyone's budget covers at the full clip,
    `steps_taken` the actual number. `accuracy` is the share of correctly classified test pictures, with a 95%
    Clopper-Pearson interval for a random test set. The guarantee does not cover the test pictures.
    """

    theta: NDArray[np.float64]
    mu: float
    sigma: float
    steps: int
    steps_taken: int
    accuracy: Estimate
    model: Path


def train_idx(
    folder: Path,
    *,
    epsilon: float,
    delta: float,
    clip: float,
    rate: float,
    steps: int,
    out: Path,
    most_steps: int | None = None,
    seed: int | None = None,
    on_step: Callable[[int, Estimate], None] | None = None,
) -> RetrainedModel:
    """Train a convolutional network on a folder of IDX files by private gradient descent with filtering.

    Parameters
    ----------
    folder : Path
        A folder of IDX files with pictures of 28 by 28 points, such as MNIST's.
    epsilon, delta : float
        The guarantee of each person. The budget is the largest mu for which mu-GDP implies it.
    clip : float
        Largest norm of a gradient, > 0.
    rate : float
        Learning rate, > 0.
    steps : int
        The number of sums clipped to `clip` that the budget covers: the noise has sigma = sqrt(steps) / mu.
    out : Path
        The folder of the results. out/model.npz may be shown. out/private contains everyone's spending and the state of
        the noise: keep it to yourself.
    most_steps : int, optional
        Largest number of steps, by default 35 more than `steps`. People with some budget left take part in the later
        steps.
    seed : int, optional
        Seed of the first parameters and of the noise. Without it the seed is secret, as the guarantee requires.
    on_step : callable, optional
        Receives the number of steps and the accuracy after each step, once everything is stored.

    Returns
    -------
    RetrainedModel
        The number of steps, the accuracy and the guarantee.

    Raises
    ------
    ImportError
        Without the extra `filterproof[training]`.
    OSError
        For a folder or file that cannot be used.
    ValueError
        For numbers out of range, damaged files, and a file of another run.

    Notes
    -----
    Everything is stored after each step and before `on_step`, so a crash forgets no spending. The same call continues
    from there, with the same numbers on the same machine with as many threads; `most_steps` may grow, and `seed` is
    ignored. A second call with the same `out` at the same time is refused (on systems with `fcntl`). Feldman & Zrnic
    choose the best step by the training data; here the last step counts. Source: Feldman & Zrnic (2021), Algorithm 7
    and Appendix A, with the budget in Gaussian differential privacy (Koskela, Tobaben & Honkela 2023, Theorem 11).
    """
    mu = float(max_gaussian_mu(epsilon, check_delta("delta", delta)))
    sigma = check_count("steps", steps) ** 0.5 / mu
    most = check_count("most_steps", steps + _MAX_FURTHER_STEPS if most_steps is None else most_steps)
    network = ConvolutionalNetwork()  # before the files are read, because Torch may be missing
    data = read_idx_data_set(folder)
    if (data.feature_count, data.class_count) != network.sizes:
        raise ValueError(
            f"folder must hold pictures of 28 by 28 points, got {data.feature_count} points in folder={str(folder)!r}; "
            "pass one with pictures of that size"
        )
    private = _private_folder(out)
    saved, filt = private / _CHECKPOINT, GaussianFilter(mu)
    with _exclusive_lock(private):
        if saved.exists():
            descent = _restored_descent(
                saved, data, network, filt, {"clip": clip, "sigma": sigma, "rate": rate}
            )
        else:
            descent = PrivateGradientDescent(
                data,
                network,
                IndividualFilter(filt, people=data.people),
                clip=clip,
                sigma=sigma,
                rate=rate,
                seed=secrets.randbits(128) if seed is None else seed,
            )
        while descent.steps_taken < most:
            next(descent)
            descent.save(saved)
            if on_step is not None:
                on_step(descent.steps_taken, _test_accuracy_estimate(descent))
        theta, file = descent.theta, io.BytesIO()
        np.savez(file, theta=theta)
        with OutputFolder(out) as output:
            output.add(_MODEL, file.getvalue())
    return RetrainedModel(
        theta=theta,
        mu=mu,
        sigma=sigma,
        steps=steps,
        steps_taken=descent.steps_taken,
        accuracy=_test_accuracy_estimate(descent),
        model=out / _MODEL,
    )


def _private_folder(out: Path) -> Path:
    """Return the private folder inside `out`; it and `out` are on the disk."""
    private = out / _PRIVATE
    with OutputFolder(out), suppress(FileExistsError):
        private.mkdir(mode=0o700)
    return private


@contextmanager
def _exclusive_lock(private: Path) -> Iterator[None]:
    """Lock `private` for this run; the system releases the lock when the process ends."""
    with ExitStack() as to_the_end:
        file = os.fdopen(os.open(private / _LOCK, os.O_RDWR | os.O_CREAT, 0o600))
        to_the_end.enter_context(file)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(
                f"out must be used by one run at a time, got one that is running in {str(private)!r}; wait for its end "
                "or pass another out"
            ) from None
        yield


def _restored_descent(
    file: Path, data: DataSet, network: Learner, filt: FilterBase, given: Mapping[str, float]
) -> PrivateGradientDescent:
    """Return the descent in the file, which must have the same parameters."""
    try:
        descent = PrivateGradientDescent.restored(file, data, network, filt)
        for name, value in given.items():
            if getattr(descent, name) != value:
                raise ValueError(f"{name} must be {getattr(descent, name)!r}, got {name}={value!r}")
    except ValueError as error:
        raise ValueError(f"{file} must be of the same run: {error}; or pass another out") from error
    return descent


def _test_accuracy_estimate(descent: PrivateGradientDescent) -> Estimate:
    """Return the share of correctly classified test pictures with a Clopper-Pearson interval."""
    data = descent.data
    right = classified(descent.network.scores(descent.theta, data.test_features), data.test_labels)
    return clopper_pearson(round(float(right.sum())), len(right), failure=_FAILURE)
