"""Answers that several requests share, and reports that leave out the epochs without budget."""

from typing import Any

import pytest

import filterproof as fp
from tests.mc.examine import services

PROMISE = fp.PureDP(1.0)


class Cache(services.Purse):
    """Sound: the first query that was ever asked is answered, and who asks the same gets the same answer."""

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        first = self.disk.get("query")
        if first is None and float(pair.pure_epsilon) <= 1.0:
            self.disk["query"] = first = repr(pair)
        if first == repr(pair):
            yield fp.services.Release(answer=first)


class ForgetfulCache(services.Purse):
    """The cache is in memory alone: after a crash the answer is drawn again."""

    cached = False

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        if not self.cached and self.disk.get("query", repr(pair)) == repr(pair) and pair.pure_epsilon <= 1.0:
            self.disk["query"] = repr(pair)
            self.disk["life"] = self.disk.get("life", 0) + 1
            self.cached = True
        if self.cached and self.disk["query"] == repr(pair):
            yield fp.services.Release(answer=f"{self.disk['life']}")


class SeededNoise(services.Purse):
    """Sound: each query is charged once, and its noise comes from a seed that the query determines."""

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
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

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        for release in super().request(pair, key):
            yield release and fp.services.Release(answer=f"{release.answer} on day {self.now}", epoch=0)


@pytest.mark.parametrize(
    ("service", "sound"),
    [
        *((Cache, True), (SeedOfTheDay, False)),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in ((SeededNoise, True), (ForgetfulCache, False))
        ),
    ],
)
def test_a_named_answer_counts_once_and_under_another_name_again(service: type, sound: bool) -> None:
    found = fp.services.first_violation(service, PROMISE, effort=0.03 if sound else 0.1, mechanisms="rr")
    assert found.released > 0
    assert (found.violation is None) is sound


def test_one_name_for_two_mechanisms_names_two_answers() -> None:
    class SameName(services.Purse):
        def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
            if float(pair.pure_epsilon) <= 1.0:
                yield fp.services.Release(answer="the answer")

    found = fp.services.first_violation(SameName, PROMISE, effort=0.1, mechanisms="rr")
    assert len({move.at for move in found.violation.schedule.moves if move.what == "ask"}) > 1


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"answer": 3}, TypeError, "answer must be a text, got answer=3"),
        ({"answer": "a", "again": True}, ValueError, "again must be False for a named answer"),
    ],
)
def test_a_release_says_one_thing(given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fp.services.Release(**given)


class Reports(services.Purse):
    """A report over this epoch and the last leaves out an epoch without budget, and answers on the other."""

    now, free_when_partial = 0, False

    def clock(self, epoch: int) -> None:
        self.now = epoch

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        epsilon, epochs = float(pair.pure_epsilon), range(max(0, self.now - 1), self.now + 1)
        left = {one: self.disk.get(f"left {one}", 1.0) for one in epochs}
        used = [one for one in epochs if epsilon <= left[one]]
        for one in used:
            if not (self.free_when_partial and len(used) < len(epochs)):
                self.disk[f"left {one}"] = left[one] - epsilon
        for one in used:
            yield fp.services.Release(epoch=one)


class FreeReports(Reports):
    free_when_partial = True


def test_a_partial_report_is_said_by_an_answer_for_each_epoch_in_it() -> None:
    right = fp.services.first_violation(Reports, PROMISE, effort=0.02, mechanisms="rr")
    assert right.violation is None
    wrong = fp.services.first_violation(FreeReports, PROMISE, effort=0.1, mechanisms="rr").violation
    assert wrong is not None
    assert "tick" in {move.what for move in wrong.schedule.moves}
