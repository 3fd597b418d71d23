"""Findings are data: each has a short script of its own and routes to the true value that agree, or is refused."""

import ast
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from fnmatch import fnmatchcase
from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mc.accountants.accountant_laws import ACCOUNTANT_LAWS
from reports.audit.code_beside import module
from reports.audit.examined import agree
from reports.audit.fault import Library
from reports.audit.registry import FINDINGS, libraries_of
from tests.reports.audit.toy import TEXT, THERE, toy

OURS = {"filterproof", "theory", "filters", "mc", "reports", "tests"}
LIBRARIES = libraries_of()
ROOT = Path(__file__).parents[3]


def problems(library: Library) -> Iterator[str]:
    """What is wrong with the files of a library, each in a sentence with file and key."""
    asked = {entry.name for entry in library.entries if entry.subject}
    if not (library.entries and library.left_out):
        yield f"{library.folder}/library.toml has no entry point, or says of nothing that it was left out"
    for entry in library.entries:
        if entry.subject and not callable(getattr(module(library.folder, "subjects"), entry.subject, None)):
            yield f"{library.folder}/subjects.py has no function {entry.subject}, of which {entry.name} speaks"
    needed: set[str] = set()
    for fault in library.faults:
        values, place = (
            [library.value(route) for route in fault.routes],
            f"{library.folder}/faults.py: {fault.key}",
        )
        script = library.script(fault, values)
        needed |= _functions(script)
        if sum(map(bool, script.splitlines())) > 25:
            yield f"{place} is a script of more than 25 lines"
        if ours := OURS & set(_imported(script)):
            yield f"{place} imports {', '.join(ours)}, and must run without us"
        if "{" in fault.expected and not values:
            yield f"{place} expects a true value, to which it has no routes"
        if fault.ends[-1:] in ("", ":"):  # as read; the default ends in a space
            yield f"{library.folder}/library.toml: {fault.key} ends with any error of its class"
        for name, law in fault.breaks:
            if name not in asked or law not in ACCOUNTANT_LAWS:
                yield f"{library.folder}/library.toml: {fault.key} breaks {law} of {name}, which is never asked"
        if not agree(values, fault.tolerance):
            yield f"{library.folder}/library.toml: {fault.key} has routes that end at {values}"
        if len({route.function for route in fault.routes}) < len(values):
            yield f"{library.folder}/library.toml: {fault.key} has the same route twice"
    for name in _functions((library.folder / "faults.py").read_text("utf-8")) - needed:
        yield f"{library.folder}/faults.py: {name} belongs to no finding"


def _functions(script: str) -> set[str]:
    return {one.name for one in ast.parse(script).body if isinstance(one, ast.FunctionDef)}


def _imported(script: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_a_library_has_findings_with_scripts_and_with_routes_that_agree(library: Library) -> None:
    assert list(problems(library)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"faults": THERE + "    assert truth\n" * 23}, "tenth is a script of more than 25 lines"),
        ({"faults": "from mc import runs\n" + THERE.replace("3, 3", "runs, 3")}, "tenth imports mc"),
        ({"faults": f"{THERE}\n\ndef other(): pass\n"}, "other belongs to no finding"),
        (
            {"text": TEXT.replace('subject = "tenth"', 'subject = "ninth"')},
            "subjects.py has no function ninth",
        ),
        ({"text": TEXT.replace("breaks =", 'ends = "ValueError: "\nbreaks =')}, "tenth ends with any error"),
        ({"value": 2.1}, "library.toml: tenth has routes that end at [2.0, 2.1]"),
        ({"text": TEXT.replace('"two"', '"added", 2.0')}, "library.toml: tenth has the same route twice"),
    ],
)
def test_a_file_that_is_amiss_is_named(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    assert list(problems(toy(tmp_path / "whole"))) == []
    assert said in " ".join(problems(toy(tmp_path / "amiss", **changed)))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("wrong number", "odd number", r"faults tenth: kind must be of wrong number, .*'odd number'"),
        ('key = "tenth"', 'key = "tenth"\ntolerance = 2.0', r"tolerance must be between 0 and 1, got 2.0"),
        ('key = "tenth"', f'key = "tenth"\ntolerance = {10**400}', r"tolerance must be a number, got 1000"),
        ('key = "tenth"', 'key = "../routes"', r"key must be the name of a function, got '../routes'"),
        (', ["by another hand", "added", VALUE]', "", r"faults tenth: routes must be two ways .*, got 1"),
        ('"two"', '"math.pow(1, 2)"', r"faults tenth, routes: function must be a name such as"),
        ("[[entry]]", "[[entries]]", r"library.toml: entries is no key there"),
        ("held =", "faults = []\nheld =", r"library.toml: faults is no key there"),
        ("held =", "folder = 'x'\nheld =", r"library.toml: folder is no key there"),
        ('"numpy"', "numpy", r"library.toml must be TOML"),
        (
            "[[finding]]",
            TEXT[TEXT.index("[[finding]]") :] + "[[finding]]",
            r"library.toml: name or key must differ, got 'tenth' twice",
        ),
    ],
)
def test_what_is_no_finding_is_refused_with_file_and_key(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=said):
        toy(tmp_path, text=TEXT.replace(old, new))


def places(text: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a text that is read, the numbers that a route is given apart."""
    for key, value in text.items() if isinstance(text, dict) else enumerate(text):
        if not (len(path) == 4 and path[2] == "routes" and key > 1):
            yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def test_a_value_of_another_kind_a_key_too_few_and_one_too_many_are_refused_with_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tomllib.loads((toy(tmp_path).folder / "library.toml").read_text("utf-8"))
    given: list[Any] = [text]
    monkeypatch.setattr("reports.audit.registry.tomllib", SimpleNamespace(loads=lambda _: deepcopy(given[0])))
    assert libraries_of(tmp_path)
    for *path, last in places(text):
        changes: list[tuple[Any, Any]] = [(last, wrong) for wrong in (3, " ", [3], {"x": 1}, 10**400)]
        if isinstance(last, str):
            changes += [("odd", ""), *([] if last in ("subject", "breaks") else [(last, None)])]
        for key, wrong in changes:
            given[0] = deepcopy(text)
            table = reduce(lambda at, step: at[step], path, given[0])
            if wrong is None:
                del table[key]
            else:
                table[key] = wrong
            with pytest.raises(ValueError, match=r"toy.library\.toml.*(must be|is no key there)") as refused:
                libraries_of(tmp_path)
            assert "\n" not in str(refused.value), (path, key, wrong)


def test_a_script_is_the_function_with_what_it_needs_and_its_call(tmp_path: Path) -> None:
    parts = [
        "from math import exp as power",
        'import sys\n\nsys.path.append("x")\nSIZE = 3',
        'def helper(x):\n    """Doubles."""\n    return 2 * power(x)  # twice',
        "def tenth(truth):\n    assert helper(SIZE) == truth, 3",
    ]
    unused = "from math import log\nOTHER = 4\n\n\ndef spare(truth):\n    return log(OTHER)"
    faults = "\n\n\n".join(
        ['"""Words."""', "from math import exp as power, log", *parts[1:3], unused, parts[3]]
    )
    library = toy(tmp_path, faults=faults)
    (fault,) = library.faults
    needed = [parts[0] + "\nSIZE = 3", *parts[2:], "tenth(2.5)\n"]
    assert library.script(fault, [2.5, 2.6]) == "\n\n\n".join(needed)
    (library.folder / "faults.py").write_text(faults.replace("SIZE) ==", "sys) =="), "utf-8")
    assert 'import sys\nsys.path.append("x")\n\n\ndef helper' in library.script(fault, [2.5])
    for text in ("tenth = 3", "def ninth(): pass"):
        (library.folder / "faults.py").write_text(text, "utf-8")
        with pytest.raises(
            ValueError, match=r"must have a function of its name, got none of 'tenth' in .*faults"
        ):
            library.script(fault, [2.5])


@pytest.mark.parametrize("name", ["three", "system", "noises.two", "odd.two"])
def test_a_route_is_a_function_that_its_file_defines(tmp_path: Path, name: str) -> None:
    library = toy(tmp_path, text=TEXT.replace('"two"', f'"{name}"'))
    (tmp_path / "shared").mkdir()
    for file in (tmp_path / "shared" / "noises.py", library.folder / "routes.py"):
        file.write_text("from os import system\n", "utf-8")
    with pytest.raises(ValueError, match=rf"routes must name functions, got '{name}' in .*library.toml"):
        library.value(library.faults[0].routes[0])


def test_reading_findings_runs_nothing_and_a_text_is_one_line(tmp_path: Path) -> None:
    library = toy(tmp_path)
    for file in library.folder.rglob("*.py"):
        file.write_text("raise AssertionError\n", "utf-8")
    (again,) = libraries_of(tmp_path).values()
    assert again.faults[0].says == "It answers a tenth."


def test_routes_that_differ_or_are_no_numbers_do_not_agree() -> None:
    assert agree([1.0, 1.0 + 1e-9], 1e-6)
    assert not agree([1.0, 1.1], 1e-6)
    assert not agree([1.0, float("nan")], 1e-6)
    assert not agree([1.0, float("inf")], 1e-6)
    assert agree([float("inf"), float("inf")], 1e-6)


def test_no_wheel_has_the_findings() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    left_out, data = settings["packages"]["find"]["exclude"], settings["package-data"]
    for folder in (FINDINGS, *(path for path in FINDINGS.rglob("*") if path.is_dir())):
        package = ".".join(folder.relative_to(ROOT).parts)
        assert any(fnmatchcase(package, pattern) for pattern in left_out), package
        assert package not in data
    assert "reports.audit" not in data
    assert settings["include-package-data"] is False
