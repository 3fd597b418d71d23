"""Chapters told beside each other tell what they tell one after the other."""

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from filterproof.mc import LocalPool
from filterproof.reports.chapter import Chapter
from filterproof.reports.chapters import chapter
from filterproof.reports.finding import Claim, Told
from filterproof.reports.progress_text import tell
from filterproof.reports.report import verdicts_document
from filterproof.reports.study import Study

CHAPTERS = tuple(map(chapter, ("naive", "steps", "evaluated")))


def dies_in_a_worker(study: Study, claims: Sequence[Claim]) -> Told:
    if multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    study.count(3)
    return Told((), notes=("told at last",))


@pytest.fixture(scope="module")
def pool() -> Iterator[LocalPool]:
    with LocalPool(2) as workers:
        yield workers


DEADLY = Chapter("deadly", "t", "p", "s", (), dies_in_a_worker)


def test_the_same_verdicts_counts_and_games_whether_in_turn_or_beside_each_other(pool: LocalPool) -> None:
    alone = Study(quick=True)
    in_turn = tell(CHAPTERS, alone)
    heard: list[str] = []
    shared = Study(quick=True, executor=pool)
    beside = tell(CHAPTERS, shared, on_chapter=lambda one: heard.append(one.key))
    assert verdicts_document(beside, shared) == verdicts_document(in_turn, alone)
    assert shared.made == alone.made > 0
    assert [repr(one) for one in shared.played] == [repr(one) for one in alone.played]
    assert heard == [one.key for one in CHAPTERS]
    assert [len(what.pictures) for _, what in beside] == [len(what.pictures) for _, what in in_turn]


def test_a_chapter_whose_worker_dies_is_told_by_the_process_that_waits_for_it() -> None:
    with LocalPool(1) as pool:
        study = Study(quick=True, executor=pool)
        (_, what), (_, other) = tell((DEADLY, replace(DEADLY, key="calm", tell=counts_two)), study)
    assert (what.notes, other.notes) == (("told at last",), ("counted",))
    assert study.made == 3 + 2


def counts_two(study: Study, claims: Sequence[Claim]) -> Told:
    study.count(2)
    return Told((), notes=("counted",))


def test_comparisons_beyond_those_that_share_the_failure_are_refused_beside_each_other_too(
    pool: LocalPool,
) -> None:
    both = [replace(DEADLY, key=key, tell=counts_two) for key in ("first", "second")]
    with pytest.raises(RuntimeError, match="comparisons must cover the whole report"):
        tell(both, Study(quick=True, comparisons=3, executor=pool))
