"""What is kept between requests: unset, forgotten, counted or read at the wrong time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import filterproof as fp
from filterproof.filters.adapters.service import Disk
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair
from tests.instruments.corpus.public.bug import Budget, PublicBugs, Sum

CASES = PublicBugs()


@CASES.add(
    "an unset budget is NaN",
    "https://github.com/w3c/attribution/pull/466",
    "the global budget of an epoch was subtracted from before it was set, and later checks compared with NaN",
)
class Unset(Budget):
    """The store of an epoch has no value before it is first written, and what is missing counts as NaN."""

    def spend(self, pair: DominatingPair) -> bool:
        charge, left = self.charge(pair), self.store.get("epoch", Fraction(1) if self.repaired else math.nan)
        if charge > left or math.isinf(charge):
            return False
        self.store["epoch"] = left - (Fraction(charge) if self.repaired else charge)
        return True


@CASES.add(
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


@CASES.add(
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


@CASES.add(
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


@CASES.add(
    "read, compared, set",
    "https://github.com/private-attribution/ipa/pull/14",
    "a reviewer found that two executions at once may both read a budget before either sets it",
)
class Raced:
    """A store that two requests read before either writes: what is consumed is read, compared, and set."""

    promise: ClassVar[Guarantee] = fp.PureDP(1.0)

    def __init__(self, disk: Disk, repaired: bool) -> None:
        self.disk, self.repaired = disk, repaired

    def request(self, pair: DominatingPair, key: str) -> Iterator[fp.services.Release | None]:
        consumed = self.disk.get("consumed", 0.0) + float(pair.pure_epsilon)
        if not self.repaired:
            yield None
        if consumed <= 1.0:
            self.disk["consumed"] = consumed
            yield fp.services.Release()
