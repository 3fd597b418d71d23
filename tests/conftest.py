"""What every room's tests share: how many examples Hypothesis tries, and what is made once in a run of them all."""

from __future__ import annotations

import fcntl
import gc
import os
import pickle
import signal
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from filterproof.theory.proofs.proof import Proof

T = TypeVar("T")

# `make test-all` asks for the large one; a test that says how many examples it needs has as many in both
settings.register_profile("small", max_examples=24, deadline=None)
settings.register_profile("large", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "small"))


# a suite that a script starts in the background is born deaf to Ctrl-C, and so are the commands that it starts
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected, and what was imported for it, stays to the end: the collector of garbage walks it never."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)  # what tests make is soon gone, and most of it without the collector
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _kernels() -> None:
    """Load the compiler and a compiled loop once, so that the processes that examine filters need not."""
    from filterproof.filters import ZCDPFilter
    from filterproof.theory.pairs import Gaussian

    filt = ZCDPFilter(0.5)
    filt.step(filt.start(32), Gaussian(0.1))


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[], T]], T]:
    """What `make` returns, made by one of the workers for all: the others wait for it and read its pickle."""
    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def get(name: str, make: Callable[[], T]) -> T:
        kept = folder / f"{name}.pickle"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                made = kept.with_suffix(".made")
                made.write_bytes(pickle.dumps(make()))
                made.rename(kept)
        found: T = pickle.loads(kept.read_bytes())  # noqa: S301, our own bytes
        return found

    return get


@pytest.fixture(scope="session")
def proofs(once: Callable[[str, Callable[[], dict[str, Proof]]], dict[str, Proof]]) -> dict[str, Proof]:
    """Every theorem's proof, by its name."""
    from filterproof.theory.proofs import THEOREMS, prove

    done: dict[str, Proof] = {}
    return once("proofs", lambda: {name: prove(name, done=done) for name in THEOREMS})


@pytest.fixture
def proved(proofs: dict[str, Proof]) -> None:
    """What is examined in this process finds the proofs of the run, and runs no theorem's steps again."""
    from filterproof.mc.examine.stages.certificate import PROVED_BY_NAME

    PROVED_BY_NAME.update(proofs)
