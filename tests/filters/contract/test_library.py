"""What is the library's own, and all that an instance holds."""

from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.contract.library import consists_of_library_values


class Mine(fp.GaussianFilter):
    """Adds nothing."""


@pytest.mark.parametrize(
    "value", [0.5, (1, "a"), np.zeros(2), fp.GaussianFilter(1.0), fp.Gaussian, fp.Gaussian(0.5)]
)
def test_what_is_plain_or_of_the_librarys_classes_throughout_is_made_of_the_library(value: Any) -> None:
    assert consists_of_library_values(value)


@pytest.mark.parametrize("value", [[1], Mine(1.0), Mine, (1, {}), len, np.array([None])])
def test_what_may_change_or_brings_code_of_ones_own_is_not(value: Any) -> None:
    assert not consists_of_library_values(value)
