"""Long lists of cases: a few that differ in kind run by default, and all of them in `make test-all`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def slow_but(fast: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """Mark each case slow that is not in `fast`; a tuple is a case of several arguments."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=() if case in fast else pytest.mark.slow
        )
        for case in cases
    ]
