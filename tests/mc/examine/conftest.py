"""Examinations whose seconds are processor seconds, but where something sleeps."""

from collections.abc import Iterator

import pytest

from mc.examine.stages import parts
from mc.examine.stages.unpatched import patched


@pytest.fixture
def wall_clock() -> None:
    """For what sleeps: the seconds of this test are seconds."""


@pytest.fixture(autouse=True)
def _processor_clock(request: pytest.FixtureRequest) -> None:
    if "wall_clock" not in request.fixturenames:
        request.getfixturevalue("processor_clock")


@pytest.fixture(autouse=True, scope="session")
def _library(library_as_installed: None) -> None:
    """Every examination here is of workers that find the library's files read."""


@pytest.fixture(scope="module")
def as_installed() -> Iterator[None]:
    """The library is compared with its files once for a whole module: `stages/test_unpatched.py` has each way."""
    assert patched() == ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "patched", str)  # which is "", nothing
        yield
