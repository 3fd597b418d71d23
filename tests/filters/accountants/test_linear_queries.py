"""Linear queries over people who come and go: what values they take, who is charged, and what they keep."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.filters.accountants.constant_normals import ZERO_NOISE

HOW: dict[str, float] = {"norm_budget": 3.0, "kappa": 0.5}


def summed(queries: fp.LinearQueries, values: Any) -> list[float]:
    """The sum over those who take part."""
    total: list[float] = queries.answer(values, ZERO_NOISE).value.tolist()
    return total


def test_who_left_may_have_values_that_nobody_could_pay_for() -> None:
    queries = fp.LinearQueries(3, **HOW)
    queries.leave([0])
    assert summed(queries, np.array([1e300, 1.0, 0.5])) == [1.5]


#: Who is no person of three, and what the refusal names.
NOBODY: list[tuple[str, Any, str]] = [
    *(("leave", bad, "from 0 to 2") for bad in (-1, 3, [0, 5])),
    *(("leave", bad, "whole numbers") for bad in (0.5, [[1]], [True, False, False])),
    *(("join", bad, "an integer >= 1") for bad in (0, 1.5, True)),
]


@pytest.mark.parametrize(("change", "people", "word"), NOBODY, ids=repr)
def test_people_who_are_none_neither_leave_nor_join(change: str, people: Any, word: str) -> None:
    queries = fp.LinearQueries(3, **HOW)
    with pytest.raises(ValueError, match=f"people must be .*{word}"):
        getattr(queries, change)(people)
    queries.leave([])
    assert queries.people == 3
    assert summed(queries, np.ones(3)) == [3.0]


BAD: list[tuple[Any, str]] = [
    (np.array([1.0, math.nan, 1.0]), "finite, .* got nan for person 1"),
    (np.array([1.0, 1.0, -math.inf]), "finite, .* got -inf for person 2"),
    (np.ones((3, 2)) * [1, math.inf], "finite, .* got inf for person 0"),
    *((np.ones(shape), "one row per person") for shape in (2, 4, (3, 0), (3, 1, 1), ())),
    (np.ones(3, dtype=complex), "real numbers"),
    (np.array(["a", "b", "c"]), "real numbers"),
    *((values, "real numbers") for values in (np.array([1.0, None, 1.0]), None)),
]


@pytest.mark.parametrize(("values", "word"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_values_that_are_refused_cost_nothing(values: Any, word: str, tmp_path: Path) -> None:
    with fp.LinearQueries(3, **HOW, journal=tmp_path / "journal") as queries:
        for given, rng, kind, message in (
            (values, ZERO_NOISE, ValueError, word),
            (np.ones(3), 42, TypeError, "rng"),
        ):
            with pytest.raises(kind, match=message):
                queries.answer(given, rng)  # type: ignore[arg-type]
        assert queries.to_dict() == fp.LinearQueries(3, **HOW).to_dict()
        assert summed(queries, np.ones(3)) == [3.0]


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint64, np.bool_], ids=str
)
def test_numbers_of_any_kind_count_as_the_doubles_they_are(dtype: Any) -> None:
    queries = fp.LinearQueries(3, **HOW)
    assert summed(queries, np.array([1, 0, 1], dtype=dtype)) == [2.0]
    assert summed(queries, [1, 0, 1]) == [2.0]
    assert queries.report_for(0).remaining == pytest.approx(0.5 / 3, rel=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e-150, 1e-155, 1e-158, 1e-160, 1e-162, 1e-170, 1e-320])
def test_a_squared_norm_is_charged_but_for_what_the_noise_covers(size: float) -> None:
    """By rationals: also where the squares, or their sum, are subnormal."""
    rng = np.random.default_rng(9)
    for dimension in (1, 3, 50):
        rows = rng.uniform(0.1, 1, (20, dimension)) * (rng.random((20, dimension)) < 0.7) * size
        queries = fp.LinearQueries(20, norm_budget=max(100 * dimension * size**2, 1e-316), kappa=1.0)
        summed(queries, rows)
        exact = np.array([sum(Fraction(x) ** 2 for x in row) for row in rows])
        high, low = (list(map(float.fromhex, part["values"])) for part in queries.to_dict()["state"][:2])  # type: ignore[index]
        charged = np.array([Fraction(x) + Fraction(y) for x, y in zip(high, low, strict=True)])
        unit = Fraction(queries._budget.sqrt_unit) ** 2
        assert (charged * unit >= exact * (1 - Fraction(dimension + 2, 2**53))).all()


def test_people_who_left_are_saved(tmp_path: Path) -> None:
    queries = fp.LinearQueries(3, **HOW)
    summed(queries, np.array([0.1, 0.3, 0.7]))
    summed(queries, np.array([0.3, 0.1, 0.3]))
    queries.leave([2])
    queries.join(2)
    saved = json.loads(json.dumps(queries.to_dict()))
    again = fp.LinearQueries.from_dict(saved, **HOW)
    with fp.LinearQueries.from_dict(saved, **HOW, journal=tmp_path / "journal") as restored:
        assert restored.to_dict() == saved
    with fp.LinearQueries.open(tmp_path / "journal", **HOW) as opened:
        for instance in (again, opened):
            assert instance.to_dict() == saved
            assert summed(instance, np.full(5, 0.5)) == [2.0]
    with pytest.raises(ValueError, match=r"version 2, got format=.filterproof.queries. version=1"):
        fp.LinearQueries.from_dict({**saved, "version": 1}, **HOW)


@pytest.mark.parametrize(("norm_budget", "kappa"), [(5.0, 1.0), (3.0, 0.25)])
def test_the_noise_has_the_norm_budget_over_twice_kappa_as_its_variance(
    norm_budget: float, kappa: float
) -> None:
    queries = fp.LinearQueries(3, norm_budget=norm_budget, kappa=kappa)
    assert queries.sigma() == pytest.approx(math.sqrt(norm_budget / 2 / kappa))
