"""The stand-in experiment for the figures on closed data, and its trials. Each trial is played once.

Private gradient descent continues after the budgets of some people are spent: on scikit-learn's digits, or on a folder
of the closed data. This process keeps each trial. Equal trials have equal bits.

>>> trial = Trial(FilteredDescent(sigma=10.618, clip=2.0, rate=0.5, at=2, further=1), seed=0, number=0)
>>> outcome = outcome_of(trial)
>>> outcome.active[:3], len(outcome.before.epsilon), round(trial.setting.mu, 4)
((1437, 1437, 1437), 5, 0.1332)
>>> trial.play() == outcome, outcome_of(trial) is outcome
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.rules.one_sum import GaussianFilter
from filterproof.mc.runs.executors import LocalPool, available_cores, iter_completed
from filterproof.mc.training.data_set import DataSet
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.idx import read_idx_data_set
from filterproof.mc.training.mimic import read_mimic
from filterproof.mc.training.network import DenseNetwork
from filterproof.theory.conversions import gaussian_epsilon

#: The delta of all epsilons of the stand-in and of the papers.
DELTA = 1e-5
#: Fewer trials than this are faster in one process.
_FEW_TRIALS = 8
#: Epochs between two queries of the accuracy (Feldman & Zrnic, Appendix A).
_BETWEEN_QUERIES = 5
#: The most rows of a group of phenotypes in training and in the test set (Koskela, Tobaben & Honkela, Section 6).
_GROUP_SIZES = (1000, 400)


@lru_cache(maxsize=4)
def training_data(folder: str, mislabelled: int = 0) -> DataSet:
    """Return the digits, or the data of a folder of IDX files or of the MIMIC-III benchmark, which may be shown.

    A digit c is replaced by a random one with probability mislabelled (c // 2) / 4 percent: the labels of the first
    group of people are certain, those of the last the least.
    """
    if not folder:
        data, rng = load_digits(), np.random.default_rng(0)

        def uncertain(labels: NDArray[np.float64]) -> NDArray[np.float64]:
            classes = labels.argmax(axis=1)
            moved = rng.random(len(classes)) < mislabelled / 100 * (classes // 2) / 4
            return np.eye(10)[np.where(moved, rng.integers(10, size=len(classes)), classes)]

        return replace(data, labels=uncertain(data.labels), test_labels=uncertain(data.test_labels))
    place = Path(folder)
    read = read_mimic if (place / "train" / "listfile.csv").exists() else read_idx_data_set
    return replace(read(place), public=True)


def dense_network(data: DataSet) -> DenseNetwork:
    """Return a network of one hidden layer for the data; for phenotypes, with the units of Koskela and others' code."""
    several = bool(data.label_names)
    hidden = (data.feature_count + data.class_count) // 2 if several else 32
    return DenseNetwork(
        sizes=(data.feature_count, hidden, data.class_count), output="logistic" if several else "softmax"
    )


def rows_of_people_groups(data: DataSet) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the rows of disjoint groups of people by name, in training and in the test set.

    The groups are pairs of classes, or the five groups of phenotypes of Koskela, Tobaben & Honkela (2023), Section 6.
    """

    def chosen(labels: NDArray[np.float64], most: int) -> dict[str, NDArray[np.int64]]:
        if data.label_names:
            pneumonia, attack = (
                labels[:, [name.startswith(prefix) for name in data.label_names].index(True)] > 0
                for prefix in ("Pneumonia", "Acute myocardial infarction")
            )
            among = {"no condition": ~labels.any(axis=1), "pneumonia": pneumonia, "no pneumonia": ~pneumonia}
            among |= {"heart attack": attack, "no heart attack": ~attack}
            most = min(most, len(labels) // 10)  # a small data set has people left for the last group
        else:
            most = len(labels)
            pairs = ((k, k + 1) for k in range(0, data.class_count - 1, 2))
            among = {" and ".join(map(str, pair)): labels[:, pair].any(axis=1) for pair in pairs}
        free, rows = np.ones(len(labels), dtype=np.bool_), {}
        for name, members in among.items():
            rows[name] = np.flatnonzero(members & free)[:most]
            free[rows[name]] = False
        return rows

    train, test = map(chosen, (data.labels, data.test_labels), _GROUP_SIZES)
    return {name: (train[name], test[name]) for name in train}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMeans:
    """Means over each group of people at one epoch: losses in nats, and the epsilon spent on a person."""

    train_loss: tuple[float, ...]
    test_loss: tuple[float, ...]
    epsilon: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """The outcome of a trial; shown because the data are public, or because their owner asks for it.

    quality, active: test accuracy or area under the curve, and the number of active rows in the last step, after each
    epoch, shape (epochs + 1,). queries: the same quality on the training and on the test rows when filtering begins and
    every five epochs after it. before, after: the groups at the epoch where filtering begins, and at the end.
    epsilons: the spent epsilon of each row when filtering begins, in increasing order, shape (n,).
    """

    quality: tuple[float, ...]
    active: tuple[int, ...]
    queries: tuple[tuple[float, float], ...]
    before: GroupMeans
    after: GroupMeans
    epsilons: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredDescent:
    """`at` + `further` steps on full batches, under a budget of `at` steps at the full clip.

    Everyone has a mu-GDP filter with mu = sqrt(at) / sigma. Nobody's budget is spent before epoch `at`. After it, the
    people with smaller clipped gradients stay active. Each row stands for `copies` people with the same data, whose
    gradients and budgets are equal: their sum is `copies` times that of the rows, so the rows with 1 / copies of the
    noise are that experiment. Source: Koskela, Tobaben & Honkela, Section 6 and Appendix E; Feldman & Zrnic,
    Algorithm 7.
    """

    sigma: float
    clip: float
    rate: float
    at: int
    further: int
    adam: bool = False
    copies: int = 1
    folder: str = ""
    mislabelled: int = 0

    @property
    def mu(self) -> float:
        """Return the budget of each person."""
        return float(self.at**0.5 / self.sigma)

    def play(self, seeds: np.random.SeedSequence) -> TrialOutcome:
        """Play one trial with these seeds."""
        data, seed = training_data(self.folder, self.mislabelled), int(seeds.generate_state(1)[0])
        descent = PrivateGradientDescent(
            data,
            dense_network(data),
            IndividualFilter(GaussianFilter(mu=self.mu * self.copies), people=data.people),
            clip=self.clip,
            sigma=self.sigma / self.copies,
            rate=self.rate,
            seed=seed,
            adam=self.adam,
        )
        quality, active = [_quality(descent)], [descent.active()]
        epsilons, means, queries = [], [], []
        for epoch in range(1, self.at + self.further + 1):
            next(descent)
            quality.append(_quality(descent))
            active.append(descent.active())
            if epoch >= self.at and (epoch - self.at) % _BETWEEN_QUERIES == 0:
                scores = descent.network.scores(descent.theta, data.features)
                queries.append((data.quality(scores, data.labels), quality[-1]))
            if epoch in (self.at, self.at + self.further):
                epsilons.append(self._epsilons(descent))
                means.append(_group_means(descent, epsilons[-1]))
        return TrialOutcome(
            quality=tuple(quality),
            active=tuple(active),
            queries=tuple(queries),
            before=means[0],
            after=means[1],
            epsilons=tuple(np.sort(epsilons[0]).tolist()),
        )

    def _epsilons(self, descent: PrivateGradientDescent) -> NDArray[np.float64]:
        """Return each person's spent epsilon at DELTA, shape (n,)."""
        left = descent.people.remaining().made_public() / self.copies
        spent = np.sqrt(np.maximum(self.mu**2 - left**2, 0.0))
        epsilons = np.zeros(len(spent))
        epsilons[spent > 0] = gaussian_epsilon(spent[spent > 0], DELTA)
        return epsilons


def _quality(descent: PrivateGradientDescent) -> float:
    data = descent.data
    return data.quality(descent.network.scores(descent.theta, data.test_features), data.test_labels)


def _group_means(descent: PrivateGradientDescent, epsilons: NDArray[np.float64]) -> GroupMeans:
    """Return the mean losses and spent epsilon of each group."""
    data, losses = descent.data, descent.network.losses
    train = losses(descent.theta, data.features, data.labels)
    test = losses(descent.theta, data.test_features, data.test_labels)
    rows = rows_of_people_groups(data).values()
    return GroupMeans(
        train_loss=tuple(float(train[own].mean()) for own, _ in rows),
        test_loss=tuple(float(test[own].mean()) for _, own in rows),
        epsilon=tuple(float(epsilons[own].mean()) for own, _ in rows),
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """Trial `number` of a setting and a seed."""

    setting: FilteredDescent
    seed: int
    number: int

    def play(self) -> TrialOutcome:
        """Play the trial on one thread, which is faster for small products."""
        with threadpool_limits(1):
            return self.setting.play(np.random.SeedSequence([self.seed, self.number]))


#: The trials that this process has played.
PLAYED_TRIALS: dict[Trial, TrialOutcome] = {}


def outcome_of(trial: Trial) -> TrialOutcome:
    """Return the outcome of a trial; play it if it is new."""
    if trial not in PLAYED_TRIALS:
        PLAYED_TRIALS[trial] = trial.play()
    return PLAYED_TRIALS[trial]


def play_trials(trials: Iterable[Trial], *, workers: int | None = None) -> None:
    """Play every new trial on `workers` processes, by default one for each core.

    The outcomes do not depend on the number of workers. `outcome_of` returns them.
    """
    missing = [trial for trial in dict.fromkeys(trials) if trial not in PLAYED_TRIALS]
    many = available_cores() if workers is None else workers
    with ExitStack() as stack:
        pool = None
        if many > 1 and len(missing) >= _FEW_TRIALS:
            pool = LocalPool(many)
            stack.callback(pool.kill)
        PLAYED_TRIALS.update(iter_completed(pool, Trial.play, missing, window=2 * many))
