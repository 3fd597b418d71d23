"""The front door: public names, and no file of ours under another name."""

import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from filterproof.reports.docs.reference import public_names
from tests.interpreter import ROOT, python


def run(code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    return python("-c", code, cwd=path[0], path=path)


def test_a_file_of_ours_has_one_name() -> None:
    for room in ("theory", "filters", "mc", "reports"):
        result = run(f"import {room}", ROOT)
        assert result.stderr.strip().splitlines()[-1] == (
            f"ImportError: a module has one name: import filterproof.{room}, got the name '{room}'"
        )


def test_a_star_brings_every_public_name_also_where_a_repository_has_rooms_of_its_own(tmp_path: Path) -> None:
    for room in ("theory", "filters", "mc", "reports"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("MINE = 1")
    code = "import filterproof as fp, filters, reports; from filterproof import *"
    code += "; print(filters.MINE, fp.filters.__all__[0], ZCDPFilter(0.5), simulate.__name__)"
    assert run(code, tmp_path).stdout == "1 AboveThreshold ZCDPFilter(rho=0.5) simulate\n"


#: What takes long to load and is imported by the functions that use it.
HEAVY = (
    *("matplotlib", "sympy", "mpmath", "hypothesis", "jinja2", "rich", "typer", "numba", "dask", "asyncio"),
    *("scipy.stats", "scipy.optimize", "scipy.integrate", "scipy.linalg", "scipy.sparse", "scipy.fft"),
)


#: What one filter needs not.
SELDOM = {"flint", "filterproof.filters.catalogue", "filterproof.filters.rules.blackwell"}


def test_a_name_of_the_front_door_loads_its_rooms_and_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "pytest.py").write_text("raise ModuleNotFoundError('no pytest')\n")
    rooms = [f"filterproof.{room}" for room in ("theory", "filters", "mc", "reports")]
    loaded = f"print([m.rpartition('.')[2] for m in {['numpy', *rooms, *HEAVY]!r} if m in sys.modules])"
    seldom = f"print(sorted({SELDOM!r} & {{*sys.modules}}))"
    people = (
        "fp.IndividualFilter(fp.GaussianFilter(1.0), 3).select(fp.gaussian_request([0.5, 2.0, 0.0], 0.7))"
    )
    steps = (
        f"import sys, filterproof as fp; {loaded}",
        f"fp.ZCDPFilter(0.5).open().request(fp.Gaussian(0.5)); {loaded}; {seldom}",
        f"fp.BlackwellFilter; {seldom}",
        f"import filterproof.theory.proofs, filterproof.filters.testing.invariant_tests; {loaded}",
        f"{people}; {loaded}",  # too few for a compiler
        f"fp.simulate; {loaded}",
        f"one = fp.Estimate(0.5, 0.25, 0.75, 0.01, 10, 'by hand'); one.rows(); {loaded}",
        f"fp.verify; {loaded}",
        "one._repr_html_(); print('matplotlib' in sys.modules)",
        "fp.assert_holds; import filterproof.reports.cli",  # neither needs pytest
    )
    result = run("\n".join(steps), tmp_path)
    few = "['numpy', 'theory', 'filters']"
    assert result.stdout.splitlines() == [
        *("[]", few, "[]", "['filterproof.filters.rules.blackwell']", few, few),
        *["['numpy', 'theory', 'filters', 'mc']"] * 3,
        "False",
    ], result.stderr
    assert result.returncode == 0, result.stderr


def test_the_top_has_at_most_120_names_and_each_of_the_others_is_in_one_module() -> None:
    inside = [name.rpartition(".")[2] for name in public_names() if "." in name]
    assert len(fp.__all__) <= 120
    assert len(inside) == len(set(inside) - set(fp.__all__))
    modules = {
        "filters",
        "mc",
        "theory",
        "strategies",
        *(name.partition(".")[0] for name in public_names() if "." in name),
    }
    assert {name for name in dir(fp) if name[0] != "_"} - {*fp.__all__, *modules} <= {"reports"}


@pytest.mark.slow
def test_a_type_checker_knows_every_public_name_and_no_other(tmp_path: Path) -> None:
    names = tmp_path / "names.py"
    names.write_text(
        "\n".join(["import filterproof as fp", *(f"fp.{name}" for name in public_names()), "fp.Typo"])
    )
    command = ("-m", "mypy", "--strict", f"--cache-dir={tmp_path / 'cache'}", str(names))
    result = python(*command, cwd=ROOT)
    found = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert len(found) == 1, result.stdout + result.stderr
    assert '"Typo"' in found[0]


ZCDP, RR, MU_1 = fp.ZCDPFilter(0.5), fp.RandomizedResponse(0.5), fp.GaussianFilter(1.0)
#: What a newcomer may type, and the start of the sentence that it ends in.
MISTAKES: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: fp.simulate(MU_1, fp.OneShot(), epsilon=["a"], n=9), "epsilon must be a real"),
    (lambda: fp.evaluate(MU_1, fp.OneShot(), epsilon=[]), "epsilon must name at least one value"),
    (lambda: fp.worst_case(ZCDP, None, epsilon=1.0), "menu must hold pairs, got None"),
    (lambda: fp.worst_case(RR, ZCDP, epsilon=1.0), "filt must be a PrivacyFilter, got RandomizedResponse"),
    (lambda: fp.RealisationFilter(1.0, 0, 5, (RR,), after={"x": (RR,)}), "after must map pairs to menus"),
    (lambda: fp.supremum(fp.ZCDPFilter, 1.0), "filt must be a filter, got the class"),
    (lambda: fp.calibrate(ZCDP, 1.0, 0.1, menu=[RR]), "family must make a filter"),
    (lambda: fp.Composition(RR), "mechanisms must hold pairs, got RandomizedResponse"),
    (lambda: fp.training.TrainingWithCanary(3, 1.0), "training must be a Training, got 3"),
    (lambda: fp.GausianFilter, "module 'filterproof' has no attribute 'GausianFilter'; did you"),
    (lambda: fp.prove("RDP filtr"), "name must be a known theorem, got name='RDP filtr'; did"),
)


@pytest.mark.parametrize(("make", "sentence"), MISTAKES)
def test_a_mistake_ends_in_one_sentence(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)) as refused:
        make()
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_what_promises_nothing_is_asked_below_zero_too() -> None:
    curve = fp.simulate(MU_1, fp.OneShot(), epsilon=[-1.0, 1.0], n=1000)
    assert curve[-1.0].low <= fp.Gaussian(1.0).hockey_stick(-1.0) <= curve[-1.0].high
    (value,) = fp.evaluate(MU_1, fp.OneShot(), epsilon=np.array([-1.0]))
    assert value.value == pytest.approx(fp.Gaussian(1.0).hockey_stick(-1.0), abs=1e-6)
    assert fp.worst_case(ZCDP, RR, epsilon=fp.LogRatio(Fraction(1, 2))).low >= 0.5
    assert fp.ApproxDP(0, 1).delta(3.0) == 1
    assert fp.ApproxDP(1e-5, 0.9).delta(1e-5) == pytest.approx(0.9)


def test_one_number_of_any_kind_gives_one_estimate() -> None:
    for number in (1, np.int64(1), np.float32(1), Fraction(1)):
        assert isinstance(fp.simulate(MU_1, fp.OneShot(), epsilon=number, n=100), fp.Estimate)
