"""What a person types names a filter or an adversary, and is read without ever running it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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


@pytest.mark.parametrize("value", [-1.5, -2, 0.25, 3, "word", None, (1, -2.0, ("a",)), Gaussian(0.5), SIMPLE])
def test_a_value_is_read_as_it_is_printed(value: object) -> None:
    assert repr(read_value("SIMPLE" if value is SIMPLE else repr(value))) == repr(value)


def test_a_bare_filter_name_is_the_example_of_the_catalogue() -> None:
    assert read_filter("GaussianFilter") == GaussianFilter(mu=1.0)


#: What reads it, what is typed, and the sentence that it ends in.
REFUSED = {
    (read_value, "expression must"): (
        *(
            "__import__('os').system('true')",
            "(lambda: 1)()",
            "GaussianFilter(mu=1.0).open()",
            "[x for x in ()]",
        ),
        *("open('x')", "Gaussian(**{})", "f'{1}'", "GaussianFilter(mu=1.0", ""),
    ),
    (read_filter, "filter must name one of"): ("Gaussian(mu=0.1)", "LossChasing()", "SIMPLE"),
    (read_filter, r"filter must name a class of the file or module, got .*; add ::ClassName"): (
        *("late.py", "user/late.py", "late", "user.late", "C.py"),
    ),
}


@pytest.mark.parametrize(
    ("read", "sentence", "text"), [(*asked, text) for asked, texts in REFUSED.items() for text in texts]
)
def test_nothing_but_names_numbers_and_calls_of_the_kind_asked_for_is_read(
    read: Callable[[str], object], sentence: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late.py").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=sentence):
        read(text)
