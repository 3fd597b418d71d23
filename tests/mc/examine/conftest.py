"""Names of fixtures that did something while examinations counted seconds."""

import pytest


@pytest.fixture(scope="session")
def as_installed() -> None:
    """Nothing."""


@pytest.fixture
def wall_clock() -> None:
    """Nothing."""
