"""Examinations whose seconds are processor seconds, but where something sleeps."""

from __future__ import annotations

import pytest


@pytest.fixture
def wall_clock() -> None:
    """For what sleeps: the seconds of this test are seconds."""


@pytest.fixture(autouse=True)
def _processor_clock(request: pytest.FixtureRequest) -> None:
    if "wall_clock" not in request.fixturenames:
        request.getfixturevalue("processor_clock")
