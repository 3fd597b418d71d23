"""What a request is about: epochs, contexts, intervals, values."""

from __future__ import annotations

from fractions import Fraction

from filterproof.theory.pairs import DominatingPair
from tests.instruments.corpus.public.bug import Budget, PublicBugs, Sum

CASES = PublicBugs()


@CASES.add(
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
        charge = self.charge(pair)
        if any(charge > self.store.get(epoch, 1.0) for epoch in paying):
            return False
        for epoch in paying:
            self.store[epoch] = Fraction(self.store.get(epoch, 1.0)) - Fraction(charge)
        return True


@CASES.add(
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


@CASES.add(
    "an interval that starts just after a bucket",
    "https://github.com/world-federation-of-advertisers/cross-media-measurement/issues/2209",
    "a bucket was not charged where the interval that is asked for starts a little after it",
    labels={"start": ("bucket", "after")},
)
class Bucket(Sum):
    """A bucket is charged where it starts within the interval that is asked for, and not where it holds it."""

    def charge(self, pair: DominatingPair) -> float:
        return self.due(pair) if self.repaired or pair.labels["start"] == "bucket" else 0.0


@CASES.add(
    "values that others have as well",
    "https://github.com/google/differential-privacy/pull/84",
    "contributions were not bounded for people whose many values others gave too",
    labels={"values": ("own", "shared")},
)
class Shared(Sum):
    """Values that others have as well are counted for one of the four that a person gives."""

    def charge(self, pair: DominatingPair) -> float:
        return self.due(pair) / (1 if self.repaired or pair.labels["values"] == "own" else 4)
