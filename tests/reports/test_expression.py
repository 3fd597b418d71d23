"""What a person types names a filter or an adversary, and is read without ever running it."""

from __future__ import annotations

import pytest

from filters import ApproximateDPFilter, GaussianFilter
from mc import Constant, LossChasing
from reports.expression import read_adversary, read_filter, read_value
from theory import SIMPLE, Gaussian, RandomizedResponse


def test_expressions_make_the_values_they_name() -> None:
    assert read_filter("GaussianFilter(mu=0.5)") == GaussianFilter(mu=0.5)
    assert read_filter("ApproximateDPFilter(1.0, delta=1e-5, conversion=SIMPLE)") == ApproximateDPFilter(
        1.0, 1e-5, SIMPLE
    )
    assert read_adversary("Constant(Gaussian(mu=0.1))") == Constant(Gaussian(mu=0.1))
    assert read_adversary("LossChasing") == LossChasing()
    assert read_adversary("LossChasing(family=RandomizedResponse)") == LossChasing(family=RandomizedResponse)


def test_a_bare_filter_name_is_the_example_of_the_catalogue() -> None:
    assert read_filter("GaussianFilter") == GaussianFilter(mu=1.0)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "(lambda: 1)()",
        "GaussianFilter(mu=1.0).open()",
        "[x for x in ()]",
        "open('x')",
        "Gaussian(**{})",
        "f'{1}'",
        "GaussianFilter(mu=1.0",
        "",
    ],
)
def test_nothing_but_names_numbers_and_calls_is_read(text: str) -> None:
    with pytest.raises(ValueError, match="expression must"):
        read_value(text)


@pytest.mark.parametrize("text", ["Gaussian(mu=0.1)", "LossChasing()", "SIMPLE"])
def test_a_value_of_another_kind_is_no_filter(text: str) -> None:
    with pytest.raises(ValueError, match="filter must name one of"):
        read_filter(text)


@pytest.mark.parametrize("text", ["late.py", "user/late.py", "late", "user.late", "C.py"])
def test_a_file_or_a_module_without_its_class_is_told_so(text: str, tmp_path, monkeypatch) -> None:
    (tmp_path / "late.py").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ValueError, match=r"filter must name a class of the file or module, got .*; add ::ClassName"
    ):
        read_filter(text)
