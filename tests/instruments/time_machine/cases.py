"""The cases: a fault of budget code that a public thread tells, and its repair, each modelled in a few lines of ours.

A budget is asked by `spend(pair)`. What a thread says was read before it was modelled; none of its code is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import filterproof as fp
from filters.adapters.service import Disk
from filters.privacy_filter import PrivacyFilter
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

K = TypeVar("K", bound="type[Budget] | type[Raced]")


@dataclass(frozen=True, slots=True)
class Case:
    """A fault and its repair; thread is where it was told, and said what was confirmed there.

    budget is a budget, or else a service, whose requests take several steps.
    """

    name: str
    thread: str
    said: str
    budget: type[Budget] | type[Raced]
    labels: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    over: Mapping[str, str | int] = field(default_factory=dict)
    together: tuple[str, ...] = ()

    def filter(self, *, repaired: bool) -> PrivacyFilter:
        """The filter that decides as the budget does."""
        kind = self.budget
        assert issubclass(kind, Budget)
        keeper = fp.from_budget(
            lambda: kind(repaired), lambda budget, pair: budget.spend(pair), self.budget.promise
        )
        if not self.labels:
            return keeper
        return fp.LabelledFilter(keeper, labels=self.labels, over=self.over, together=self.together)


CASES: list[Case] = []


def told(name: str, thread: str, said: str, **asked: Any) -> Callable[[K], K]:
    """The budget below is a case."""

    def add(budget: K) -> K:
        CASES.append(Case(name, thread, said, budget, **asked))
        return budget

    return add


class Budget:
    """A budget with a fault or its repair, in the units of its promise; infinite is what has no price."""

    promise: ClassVar[Guarantee] = fp.PureDP(1.0)
    #: A request of the kind that it is about, of a size.
    kind: ClassVar[Callable[[float], DominatingPair]] = fp.RandomizedResponse
    #: What the fault charges of what is due.
    part: ClassVar[float] = 1.0

    def __init__(self, repaired: bool) -> None:
        self.repaired, self.spent = repaired, 0.0
        self.store: dict[object, float] = {}
        self.history: list[Any] = []

    def due(self, pair: DominatingPair) -> float:
        cost = pair.zcdp_rho if isinstance(self.promise, fp.ZCDP) else pair.pure_epsilon
        return math.inf if cost is None else float(cost)

    def charge(self, pair: DominatingPair) -> float:
        return self.due(pair) * (1.0 if self.repaired else self.part)

    def spend(self, pair: DominatingPair) -> bool:
        raise NotImplementedError


@told(
    "an unset budget is NaN",
    "https://github.com/w3c/attribution/pull/466",
    "the global budget of an epoch was subtracted from before it was set, and later checks compared with NaN",
)
class Unset(Budget):
    """The store of an epoch has no value before it is first written, and what is missing counts as NaN."""

    def spend(self, pair: DominatingPair) -> bool:
        left = self.store.get("epoch", 1.0 if self.repaired else math.nan)
        if self.charge(pair) > left or math.isinf(self.charge(pair)):
            return False
        self.store["epoch"] = left - self.charge(pair)
        return True


class Sum(Budget):
    """Charges add up to the limit, which is that of the promise."""

    def spend(self, pair: DominatingPair) -> bool:
        if math.isinf(self.charge(pair)) or self.spent + self.charge(pair) > self.limit:
            return False
        self.spent += self.charge(pair)
        return True

    @property
    def limit(self) -> float:
        match self.promise:
            case fp.PureDP(limit) | fp.ZCDP(limit) | fp.ApproxDP(_, limit):
                return float(limit)
        raise AssertionError(self.promise)


@told(
    "half is deducted",
    "https://github.com/w3c/attribution/pull/264",
    "a reviewer found that half the sensitivity was deducted where the whole was due",
)
class Half(Sum):
    """Half the sensitivity is deducted, beside noise for the whole of it."""

    part = 1 / 2


@told(
    "an average is charged once",
    "https://github.com/opendp/smartnoise-sdk/issues/202",
    "an average was rewritten as a sum and a count with the same options, and half of the epsilon was told",
)
class Average(Sum):
    """An average is a sum and a count, two releases with the stated parameter each, and one of them is charged."""

    promise, kind, part = fp.ZCDP(0.5), fp.Gaussian, 1 / 2


@told(
    "less noise costs less",
    "https://github.com/OpenMined/PySyft/issues/6914",
    "a query with less noise was charged less",
)
class Inverse(Sum):
    """More noise is charged more."""

    def charge(self, pair: DominatingPair) -> float:
        epsilon = self.due(pair)
        return epsilon if self.repaired or epsilon == 0.0 or math.isinf(epsilon) else 0.1 / epsilon


@told(
    "asking forgets the latest step",
    "https://github.com/meta-pytorch/opacus/issues/535",
    "the question for epsilon popped an entry off the history",
)
class Popped(Budget):
    """The question how much is spent takes the latest entry out of the history."""

    def asked(self) -> float:
        if not self.history:
            return 0.0
        latest = self.history[-1] if self.repaired else self.history.pop()
        return float(sum(self.history) + (0.0 if self.repaired else latest))

    def spend(self, pair: DominatingPair) -> bool:
        if math.isinf(self.charge(pair)) or self.asked() + self.charge(pair) > 1.0:
            return False
        self.history.append(self.charge(pair))
        return True


@told(
    "kinds of steps are counted for steps",
    "https://github.com/meta-pytorch/opacus/issues/834",
    "the length of an accountant was the number of different steps",
)
class Steps(Budget):
    """The history keeps equal steps as one entry with a count, and its entries are counted for steps."""

    promise, kind = fp.ZCDP(0.5), fp.Gaussian

    def __len__(self) -> int:
        return int(sum(count for _, count in self.history)) if self.repaired else len(self.history)

    def spend(self, pair: DominatingPair) -> bool:
        rho = self.charge(pair)
        if rho > 0.0625 or len(self) >= 8:
            return False
        if self.history and self.history[-1][0] == rho:
            self.history[-1][1] += 1
        else:
            self.history.append([rho, 1])
        return True


@told(
    "one epoch pays for all",
    "https://github.com/w3c/attribution/issues/75",
    "budget was deducted from the epoch of the attributed event, and not from all epochs that the report looked at",
    labels={"epoch": (1, 2)},
    over={"epoch": 2},
    together=("epoch",),
)
class Epochs(Budget):
    """A report about several epochs is paid for by the one whose event it tells."""

    def spend(self, pair: DominatingPair) -> bool:
        paying = pair.labels["epoch"] if self.repaired else pair.labels["epoch"][:1]
        if any(self.charge(pair) > self.store.get(epoch, 1.0) for epoch in paying):
            return False
        for epoch in paying:
            self.store[epoch] = self.store.get(epoch, 1.0) - self.charge(pair)
        return True


@told(
    "two contexts set up one store",
    "https://github.com/w3c/attribution/issues/313",
    "two contexts that deduct at once may each write the whole budget where they found none",
    labels={"context": ("one", "two")},
)
class Contexts(Sum):
    """Each of two contexts finds the store without a value, and writes the whole budget into it before it deducts."""

    def spend(self, pair: DominatingPair) -> bool:
        if pair.labels["context"] not in self.store and not self.repaired:
            self.store[pair.labels["context"]] = 1.0
            self.spent = 0.0
        return super().spend(pair)


class Sampled(Budget):
    """Rényi divergences of sampled steps add up, at one order; `seen` is the step that is accounted for."""

    promise = fp.ApproxDP(1.0, 1e-5)
    kind = staticmethod(lambda size: fp.SubsampledGaussian(0.5, 1 / size))
    order: ClassVar[float] = 16.0

    def seen(self, pair: DominatingPair) -> DominatingPair:
        return pair

    def charge(self, pair: DominatingPair) -> float:
        if pair.sampled_normal is None:
            return math.inf
        step = pair if self.repaired else self.seen(pair)
        return max(float(step.renyi(self.order)), float(step.swapped.renyi(self.order)))

    def spend(self, pair: DominatingPair) -> bool:
        if not self.spent + self.charge(pair) <= 1.0 - math.log(1e5) / (self.order - 1):
            return False
        self.spent += self.charge(pair)
        return True


@told(
    "a limit counts for what comes near it",
    "https://github.com/meta-pytorch/opacus/issues/384",
    "the accountant by the central limit theorem was known to tell less than is spent",
)
class Limit(Sampled):
    """Sampled steps count as the Gaussian that ever more of them come near."""

    def spend(self, pair: DominatingPair) -> bool:
        if self.repaired:
            return super().spend(pair)
        if pair.sampled_normal is None:
            return False
        rate, sigma, _ = pair.sampled_normal
        squares = self.spent + float(rate) ** 2 * math.expm1(min(float(sigma) ** -2, 700.0))
        if fp.GaussianDP(math.sqrt(squares)).delta(1.0) > 1e-5:
            return False
        self.spent = squares
        return True


@told(
    "eight batches count for one",
    "https://github.com/google-deepmind/jax_privacy/pull/271",
    "a noise multiplier was accepted at the sampling rate of a batch, where each step takes several of them",
)
class Accumulated(Sampled):
    """A step over eight batches counts at the sampling rate of one."""

    def seen(self, pair: DominatingPair) -> DominatingPair:
        return pair.with_parameters({"q": pair.parameters()["q"] / 8})  # type: ignore[operator]


@told(
    "batches that do not overlap count as random ones",
    "https://github.com/meta-pytorch/opacus/issues/80",
    "batches of a constant size were accounted for as if each record were drawn by itself: a shortcut, they say",
)
class Shuffled(Sampled):
    """Batches that do not overlap, so that one of 64 holds a person, count as 64 that are drawn at random."""

    kind = fp.Gaussian

    def charge(self, pair: DominatingPair) -> float:
        if not isinstance(pair, fp.Gaussian) or float(pair.mu) < 1e-3:
            return math.inf
        if self.repaired:
            return float(pair.renyi(self.order))
        step = fp.SubsampledGaussian(1 / 64, 1 / float(pair.mu))
        return 64 * max(float(step.renyi(self.order)), float(step.swapped.renyi(self.order)))


@told(
    "permute and flip at the price of the exponential mechanism",
    "https://github.com/opendp/opendp/issues/2911",
    "a noisy maximum declared epsilon^2/8 under zCDP, a quarter of what a mechanism that is pure alone may take",
)
class NoisyMax(Sum):
    """Permute and flip, which is pure and no more, has the rho of the exponential mechanism."""

    promise, part = fp.ZCDP(0.5), 1 / 4

    def due(self, pair: DominatingPair) -> float:
        return math.inf if pair.pure_epsilon is None else float(pair.pure_epsilon) ** 2 / 2


@told(
    "the mass at the threshold",
    "https://github.com/opendp/opendp/issues/2922",
    "delta was the tail beyond a threshold at which counts were released as well",
)
class Threshold(Sum):
    """The delta of a threshold leaves out the mass at the threshold itself, which is released."""

    promise, part = fp.ApproxDP(1.0, 1e-2), math.exp(-1.0)
    kind = staticmethod(lambda size: fp.Erasure(size / 100))

    def due(self, pair: DominatingPair) -> float:
        return float(pair.p) if isinstance(pair, fp.Erasure) else math.inf


@told(
    "an interval that starts just after a bucket",
    "https://github.com/world-federation-of-advertisers/cross-media-measurement/issues/2209",
    "a bucket was not charged where the interval that is asked for starts a little after it",
    labels={"start": ("bucket", "after")},
)
class Bucket(Sum):
    """A bucket is charged where it starts within the interval that is asked for, and not where it holds it."""

    def charge(self, pair: DominatingPair) -> float:
        return self.due(pair) if self.repaired or pair.labels["start"] == "bucket" else 0.0


@told(
    "values that others have as well",
    "https://github.com/google/differential-privacy/pull/84",
    "contributions were not bounded for people whose many values others gave too",
    labels={"values": ("own", "shared")},
)
class Shared(Sum):
    """Values that others have as well are counted for one of the four that a person gives."""

    def charge(self, pair: DominatingPair) -> float:
        return self.due(pair) / (1 if self.repaired or pair.labels["values"] == "own" else 4)


@told(
    "a budget computed twice",
    "https://github.com/OpenMined/PipelineDP/pull/164",
    "budget could be requested after all of it had been handed out",
)
class Computed(Sum):
    """Once the budgets are computed a budget may be asked for again, and is handed out again."""

    def spend(self, pair: DominatingPair) -> bool:
        if not self.repaired and self.spent == self.limit:
            self.spent = 0.0
        return super().spend(pair)


@told(
    "two centres in one slice",
    "https://github.com/IBM/differential-privacy-library/issues/104",
    "features and target were centred on one slice of the budget, without composition",
)
class Slices(Sum):
    """Features and target are each centred with noise of the whole slice, and the slice is charged once."""

    part = 1 / 2


@told(
    "noise found to two digits",
    "https://github.com/meta-pytorch/opacus/issues/346",
    "the search for the noise stopped on either side of what is due",
)
class Rounded(Sum):
    """Noise is looked for to two digits, up or down, and what is found counts for what is due."""

    promise, kind = fp.ZCDP(0.5), fp.Gaussian

    def charge(self, pair: DominatingPair) -> float:
        if not isinstance(pair, fp.Gaussian) or float(pair.mu) < 1e-3:
            return math.inf
        hundredths = 100 / float(pair.mu)
        sigma = (math.floor(hundredths) if self.repaired else round(hundredths)) / 100
        return 0.5 / sigma**2 if sigma > 0 else math.inf


@told(
    "a scale that is squared",
    "https://github.com/opendp/smartnoise-core/issues/316",
    "the noise scale of the Gaussian mechanism was squared",
)
class Squared(Sum):
    """The noise's scale is squared on its way to the sampler."""

    promise, kind = fp.ZCDP(2.0), fp.Gaussian

    def charge(self, pair: DominatingPair) -> float:
        if not isinstance(pair, fp.Gaussian):
            return math.inf
        drawn = 1 / float(pair.mu) if pair.mu > 0 else math.inf
        return 0.5 / (drawn if self.repaired else math.sqrt(drawn)) ** 2


@told(
    "a record that is replaced",
    "https://github.com/google/differential-privacy/issues/378",
    "noise relative to the clipping norm was accounted for as if relative to the sensitivity, twice that norm",
)
class Replaced(Sum):
    """A record that is replaced moves a sum by two clipping norms, and is charged for one."""

    promise, kind, part = fp.ZCDP(0.5), fp.Gaussian, 1 / 4


@told(
    "read, compared, set",
    "https://github.com/private-attribution/ipa/pull/14",
    "a reviewer found that two executions at once may both read a budget before either sets it",
)
class Raced:
    """A store that two requests read before either writes: what is consumed is read, compared, and set."""

    promise: ClassVar[Guarantee] = fp.PureDP(1.0)

    def __init__(self, disk: Disk, repaired: bool) -> None:
        self.disk, self.repaired = disk, repaired

    def request(self, pair: DominatingPair, key: str) -> Iterator[fp.Release | None]:
        consumed = self.disk.get("consumed", 0.0) + float(pair.pure_epsilon)
        if not self.repaired:
            yield None
        if consumed <= 1.0:
            self.disk["consumed"] = consumed
            yield fp.Release()
