"""Numbers that decide are the recorded bits, on this processor and on those that `make processors` imitates."""

import math
import os
import re
from pathlib import Path

import numpy as np
import pytest
from flint import arb, ctx

from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.products import matrix_product
from tests.pinned.numbers import PATH, lines

pytestmark = pytest.mark.pinned

ROOT = Path(__file__).resolve().parents[2]


def test_every_number_is_the_recorded_one_to_the_bit() -> None:
    recorded = PATH.read_text("utf-8").splitlines()
    differ = [(ours, theirs) for ours, theirs in zip(lines(), recorded, strict=True) if ours != theirs]
    assert not differ, "python -m tests.pinned.numbers, and say in the commit why the numbers changed"


def test_the_processor_is_the_one_that_was_asked_for() -> None:
    """Where a setting is ignored, the same processor would be tried twice."""
    from numpy._core._multiarray_umath import __cpu_features__ as features
    from threadpoolctl import threadpool_info

    for name in os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split():
        assert not features.get(name, False), name
    if kind := os.environ.get("OPENBLAS_CORETYPE"):
        names = {one["architecture"] for one in threadpool_info() if one["internal_api"] == "openblas"}
        # on 64 bits the two are one set of kernels, and OpenBLAS says either name
        assert {"Prescott" if name == "Katmai" else name for name in names} == {kind}


@pytest.mark.parametrize(
    ("name", "units"),
    [("exp", 1), ("log", 1), ("log1p", 1), ("expm1", 3), ("tanh", 3), ("expit", 3), ("log_expit", 3)],
)
def test_portable_functions_are_within_the_units_that_they_say(name: str, units: int) -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate((rng.normal(size=300), rng.uniform(-40, 40, 300), 1e-9 * rng.normal(size=50)))
    x = np.abs(x) if name in ("log", "log1p") else x
    found = getattr(rm, name)(x)
    with ctx.workprec(200):
        for at, value in zip(x.tolist(), found.tolist(), strict=True):
            one = arb(at)
            truth = {
                "expit": lambda one=one: 1 / (1 + (-one).exp()),
                "log_expit": lambda one=one: -(-one).exp().log1p(),
            }.get(name, getattr(one, name, None))()
            assert abs(arb(value) - truth) <= units * math.ulp(float(truth)), (name, at)


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p"])
def test_a_number_alone_has_the_bits_that_it_has_among_others(name: str) -> None:
    """One is computed by Python's doubles, many by NumPy's: at every size, beside every switch, and at no number."""
    rng, function = np.random.default_rng(11), getattr(rm, name)
    tiny, root = 5e-324, math.log(2) / 2
    ends = [0.0, 1.0, tiny, 2.3e-308, root, 3 * root, 40.0, 700.0, 709.9, 745.2, 2.0**53, 1.79e308, math.inf]
    near = [to for x in ends for to in (x, np.nextafter(x, 0.0), np.nextafter(x, math.inf))]
    sizes = np.concatenate([near, 10 ** rng.uniform(-320, 308, 2000), rng.uniform(0, 760, 4000)])
    x = np.concatenate([sizes, -sizes, [math.nan], rng.uniform(-1, 1, 2000)])
    with np.errstate(all="ignore"):
        together = function(x).tobytes()
        assert np.array([function(one) for one in x.tolist()]).tobytes() == together
        assert np.concatenate([function(x[k : k + 1]) for k in range(x.size)]).tobytes() == together
    assert function(np.array([[0.5]])).shape == (1, 1)
    assert type(function(np.array(0.5))) is np.float64


def test_a_product_is_that_of_rationals_whatever_the_sizes_of_its_rows() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(5, 2100)) * 2.0 ** rng.integers(-300, 300, (5, 1))
    b = rng.normal(size=(2100, 3)) * 2.0 ** rng.integers(-300, 300, (1, 3))
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    room = 2.0**-52 * 2100 * np.abs(a).max(axis=1)[:, None] * np.abs(b).max(axis=0)
    assert (np.abs(matrix_product(a, b) - exact) <= room).all()
    assert np.array_equal(matrix_product(a[:, ::-1], b[::-1])[:, 0] * 0, np.zeros(5))
    assert np.isnan(matrix_product(np.array([[np.inf, 1.0]]), np.ones((2, 1)))).all()
    assert not matrix_product(np.zeros((2, 3)), np.zeros((3, 2))).any()


def test_the_list_beside_this_file_has_every_file_with_pinned_numbers_and_no_other() -> None:
    text = Path(__file__).with_name("README.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))
    rooms = ("theory", "filters", "mc", "reports")
    kept = {
        path
        for room in rooms
        for path in (*(ROOT / room).rglob("*.json"), *(ROOT / room).rglob("generated/*.v"))
        if "out" not in path.relative_to(ROOT).parts
    }
    marked = {
        path for path in (ROOT / "tests").rglob("test_*.py") if "mark.pinned" in path.read_text("utf-8")
    }
    assert listed == {path.relative_to(ROOT).as_posix() for path in {*kept, *marked, PATH}}
