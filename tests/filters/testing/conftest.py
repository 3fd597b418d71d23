"""What the tests of broken invariants share."""

from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings


@pytest.fixture
def unshrunk() -> Iterator[None]:
    """Invariants made in the test end at the first example that breaks one; to make it small takes most of the time."""
    before = settings.get_current_profile_name()
    settings.register_profile("unshrunk", phases=(Phase.generate,))
    settings.load_profile("unshrunk")
    yield
    settings.load_profile(before)
