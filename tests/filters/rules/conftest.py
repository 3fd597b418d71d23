"""What the tests of rules share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from filters.accounting.fast import compiled
from theory.fast import compiler, gaussian


@pytest.fixture(autouse=True, scope="package")
def without_numba() -> Iterator[None]:
    """Its loops take .3 s to import, here and in each child, and are held to the bits of the others elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FILTERPROOF_FAST", "0")
        yield
    if compiler.compiler() is None:  # asked for the first time here: the tests of other rooms ask again
        for asked in (compiler.compiler, compiled.kernels, gaussian.kernels):
            asked.cache_clear()
