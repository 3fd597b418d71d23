"""A study: outcomes that do not depend on workers, kept one by one, each for what was asked for."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mc.runs.store import RunStore
from reports.figures import trials as outcomes_room
from reports.figures.experiments import GroupRun, Setting
from reports.figures.trials import Trial, outcome_of, study

SETTING = Setting(epsilon=2.0, clip=6.0, steps=2, rate=0.5, looks=2, every=1)
TRIALS = [Trial(SETTING, seed=0, number=number) for number in range(9)]
RUN = Trial(GroupRun(sigma=10.0, clip=2.0, rate=2.0, at=1, epochs=2), seed=0, number=0)
ALL: list[Trial[Any]] = [*TRIALS, RUN]


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes_room, "PLAYED", {})


def forget() -> None:
    outcomes_room.PLAYED.clear()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore(tmp_path / "outcomes.sqlite") as kept:
        yield kept


def test_the_outcomes_do_not_depend_on_the_number_of_workers(store: RunStore) -> None:
    told: list[tuple[int, int]] = []
    assert study(ALL, workers=2, store=store, on_trial=lambda *at: told.append(at)) == 10
    assert told == [(done, 10) for done in range(11)]
    together = [outcome_of(trial) for trial in ALL]
    forget()
    assert study(ALL, workers=1) == 10
    assert [outcome_of(trial) for trial in ALL] == together


def test_what_is_kept_is_not_played_again_and_reads_the_same(store: RunStore) -> None:
    assert study([TRIALS[0], RUN, TRIALS[0]], store=store) == 2
    known = [outcome_of(TRIALS[0]), outcome_of(RUN)]
    assert study([TRIALS[0], RUN]) == 0, "this process has them"
    forget()
    assert study([TRIALS[0], RUN, TRIALS[1]], store=store) == 1, "the store has two of them"
    assert [outcome_of(TRIALS[0]), outcome_of(RUN)] == known


def test_an_interrupt_loses_no_outcome_that_was_done(store: RunStore) -> None:
    def interrupted(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(TRIALS[:4], store=store, workers=1, on_trial=interrupted)
    forget()
    assert study(TRIALS[:4], store=store) == 2


def test_an_outcome_is_kept_for_its_own_trial_code_and_digits(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study([TRIALS[0]], store=store)
    (tmp_path / "others.npz").write_bytes(b"others")
    for name, other in (("code_version", lambda: "another"), ("FILE", tmp_path / "others.npz")):
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(outcomes_room, name, other)
            assert study([TRIALS[0]], store=store) == 1, name
    forget()
    changed = replace(SETTING, asked=0.2)
    assert (
        study([replace(TRIALS[0], **one) for one in ({"seed": 1}, {"setting": changed}, {})], store=store)
        == 2
    )
