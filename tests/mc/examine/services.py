"""Services for the tests of schedules: sound ones, and each with one fault that no single request shows."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

import filterproof as fp
from filterproof.filters.adapters.service import Disk
from filterproof.theory.pairs import DominatingPair

Steps = Iterator[fp.services.Release | None]


class Purse:
    """Sound: what is spent is stored before anything goes out, and a key that is known gets its old answer."""

    account = "spent"

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    @property
    def spent(self) -> float:
        return float(self.disk.get(self.account, 0.0))

    def fits(self, pair: DominatingPair) -> bool:
        return self.spent + float(pair.pure_epsilon) <= 1.0

    def charge(self, pair: DominatingPair) -> None:
        self.disk[self.account] = self.spent + float(pair.pure_epsilon)

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if key in self.disk:
            yield fp.services.Release(again=True)
        elif self.fits(pair):
            self.charge(pair)
            yield None
            self.disk[key] = "answer"
            yield None
            yield fp.services.Release(again=True)


class NotAtomic(Purse):
    """Another request comes between check and deduction."""

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if self.fits(pair):
            yield None
            self.charge(pair)
            yield fp.services.Release()


class FreeRetry(Purse):
    """A key that was charged is not charged again, and its answer is drawn afresh."""

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if key not in self.disk:
            if not self.fits(pair):
                return
            self.charge(pair)
            self.disk[key] = "charged"
        yield fp.services.Release()


class InMemory(Purse):
    """What is spent is written behind, at the second charge."""

    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        self.now, self.behind = self.spent, 0

    def fits(self, pair: DominatingPair) -> bool:
        return self.now + float(pair.pure_epsilon) <= 1.0

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if self.fits(pair):
            self.now, self.behind = self.now + float(pair.pure_epsilon), self.behind + 1
            if self.behind % 2 == 0:
                self.disk["spent"] = self.now
            yield fp.services.Release()


class Shrugs(Purse):
    """A write that the disk refuses is passed over, and the answer goes out."""

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if self.fits(pair):
            with suppress(OSError):
                self.charge(pair)
            yield fp.services.Release()


class Straddles(Purse):
    """The budget is that of the epoch in which the charge is made, the data that of the epoch before."""

    now = 0

    def clock(self, epoch: int) -> None:
        self.now, self.account = epoch, f"epoch {epoch}"

    def request(self, pair: DominatingPair, key: str) -> Steps:
        yield None
        if self.fits(pair):
            self.charge(pair)
            yield fp.services.Release()


class Epochs(Straddles):
    """Sound: each epoch has a budget of its own, that of the moment at which a request came."""

    def request(self, pair: DominatingPair, key: str) -> Steps:
        account = self.account
        yield None
        spent = self.disk.get(account, 0.0) + float(pair.pure_epsilon)
        if spent <= 1.0:
            self.disk[account] = spent
            yield None
            yield fp.services.Release()


class Sessions:
    """Our session, which records before it grants."""

    make: Callable[[], fp.PrivacyFilter] = staticmethod(lambda: fp.BasicFilter(1.0))

    def __init__(self, disk: Disk) -> None:
        filt = self.make()

        def record(data: Mapping[str, object]) -> None:
            disk["session"] = dict(data)

        if "session" in disk:
            self.session = fp.Session.from_dict(disk["session"], filt, "retry", record=record)
        else:
            self.session = filt.open("retry", record=record)

    def request(self, pair: DominatingPair, key: str) -> Steps:
        yield None
        if self.session.request(pair):
            yield None
            yield fp.services.Release()


class Quiet(np.random.Generator):
    """Draws no noise: an answer shows who took part."""

    def standard_normal(self, size: Any = None, *rest: Any, **more: Any) -> Any:
        return np.zeros(size)


class Queries:
    """Our linear queries with a journal, a file for each play, and one person, who counts as much as is asked."""

    folder: Path

    def __init__(self, disk: Disk) -> None:
        terms: dict[str, Any] = {"norm_budget": 1.0, "kappa": 0.5}
        if "journal" in disk:
            self.queries = fp.people.LinearQueries.open(disk["journal"], **terms)
        else:
            disk["journal"] = str(self.folder / f"{uuid4().hex}.journal")
            self.queries = fp.people.LinearQueries(people=1, journal=disk["journal"], **terms)
        self.rng = Quiet(np.random.PCG64(0))

    def request(self, pair: DominatingPair, key: str) -> Steps:
        # value / sigma is the mean shift of the one who counts: mu^2 / 2 = kappa value^2 / norm_budget
        value = float(pair.gdp_mu) * float(np.sqrt(self.queries.norm_budget / (2 * self.queries.kappa)))
        yield None
        if self.queries.answer(np.array([value]), self.rng).value[0]:
            yield fp.services.Release()

    def kill(self) -> None:
        self.queries.close()


# -- answers of earlier epochs, and answers that several requests share


class KeyBeforeCharge(Purse):
    """A process that is killed between the second write and the third has charged nothing, and sends the answer."""

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if key not in self.disk:
            if not self.fits(pair):
                return
            self.disk["count"] = self.disk.get("count", 0) + 1
            self.disk[key] = "charged"
            self.charge(pair)
        yield fp.services.Release(again=True)


class Kept(Straddles):
    """Sound: an answer is computed once, from the epoch of its request, and sent whenever it is asked for."""

    states_epoch = False

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if key not in self.disk:
            if not self.fits(pair):
                return
            self.charge(pair)
            self.disk[key] = self.now
            yield None
        yield fp.services.Release(again=True, epoch=self.disk[key] if self.states_epoch else None)


class StatesEpoch(Kept):
    states_epoch = True


class Exits(Purse):
    """Sound: a disk that is full ends the process."""

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if self.fits(pair):
            try:
                self.charge(pair)
            except OSError:
                sys.exit(1)
            yield fp.services.Release()


class SeededNoise(Purse):
    """Sound: each query is charged once, and its noise comes from a seed that the query determines."""

    def request(self, pair: DominatingPair, key: str) -> Steps:
        if repr(pair) not in self.disk:
            if not self.fits(pair):
                return
            self.charge(pair)
            yield None
            self.disk[repr(pair)] = "charged"
        yield fp.services.Release(answer=repr(pair))


class SeedOfTheDay(SeededNoise):
    """The seed changes with the epoch, and an answer of an earlier charge is drawn again."""

    now = 0

    def clock(self, epoch: int) -> None:
        self.now = epoch

    def request(self, pair: DominatingPair, key: str) -> Steps:
        for release in super().request(pair, key):
            yield release and fp.services.Release(answer=f"{release.answer} on day {self.now}", epoch=0)


class Reports(Straddles):
    """Sound: a report over this epoch and the last leaves out an epoch without budget, and answers on the other."""

    free_when_partial = False

    def request(self, pair: DominatingPair, key: str) -> Steps:
        epsilon, epochs = float(pair.pure_epsilon), range(max(0, self.now - 1), self.now + 1)
        left = {epoch: self.disk.get(f"left {epoch}", 1.0) for epoch in epochs}
        used = [epoch for epoch in epochs if epsilon <= left[epoch]]
        for epoch in used:
            if not (self.free_when_partial and len(used) < len(epochs)):
                self.disk[f"left {epoch}"] = left[epoch] - epsilon
        for epoch in used:
            yield fp.services.Release(epoch=epoch)


class FreeReports(Reports):
    free_when_partial = True
