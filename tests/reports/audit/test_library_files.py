"""Every fault of a library has a short script of its own, two routes to the true value that agree, and plain words."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import reports.audit
from mc.accountants.laws import ACCOUNTANT_LAWS
from reports.audit.examined import agree
from reports.audit.fault import Fault, Kind, Library
from reports.audit.registry import LIBRARIES

FAULTS = [(library, fault) for library in LIBRARIES.values() for fault in library.faults]
IDS = [f"{library.key}-{fault.key}" for library, fault in FAULTS]
SCRIPTS = Path(reports.audit.__file__).parent / "scripts"
OURS = {"filterproof", "theory", "filters", "mc", "reports", "tests"}


@pytest.mark.parametrize(("library", "fault"), FAULTS, ids=IDS)
def test_a_script_is_short_and_imports_nothing_of_ours(library: Library, fault: Fault) -> None:
    script = fault.script(library.key)
    assert len(script.splitlines()) < 20
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(script))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        )
    }
    assert not imported & OURS
    assert "expected: " in script
    assert "got: " in script


@pytest.mark.parametrize(("library", "fault"), FAULTS, ids=IDS)
def test_two_routes_give_the_true_value(library: Library, fault: Fault) -> None:
    values = [route.value() for route in fault.routes]
    assert agree(values, fault.tolerance)
    assert len({route.how for route in fault.routes}) == len(fault.routes)
    assert fault.kind is Kind.SEMANTICS or len(values) >= 2


@pytest.mark.parametrize(("library", "fault"), FAULTS, ids=IDS)
def test_a_fault_names_an_entry_point_and_a_law_that_there_is(library: Library, fault: Fault) -> None:
    asked = {entry.name for entry in library.entries if entry.subject is not None}
    assert all(name in asked and law in ACCOUNTANT_LAWS for name, law in fault.breaks)
    assert fault.entry
    assert re.fullmatch(r"[a-z0-9_]+", fault.key)
    for words in (fault.says, fault.why, fault.fix):
        assert words.strip() == words != ""


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=lambda one: one.key)
def test_every_script_belongs_to_one_fault(library: Library) -> None:
    files = sorted(file.stem for file in (SCRIPTS / library.key).glob("*.py"))
    assert files == sorted(fault.key for fault in library.faults)


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=lambda one: one.key)
def test_a_library_says_what_it_promises_and_what_was_not_looked_at(library: Library) -> None:
    assert library.entries
    assert library.left_out
    for entry in library.entries:
        assert all((entry.name, entry.rule, entry.where, entry.theorem, entry.promises))


def test_routes_that_differ_or_are_no_numbers_do_not_agree() -> None:
    assert agree([1.0, 1.0 + 1e-9], 1e-6)
    assert not agree([1.0, 1.1], 1e-6)
    assert not agree([1.0, float("nan")], 1e-6)
    assert not agree([1.0, float("inf")], 1e-6)
    assert agree([float("inf"), float("inf")], 1e-6)


def test_a_finding_about_a_number_with_one_route_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="routes must be two ways to the true value, got 0 for lone"):
        Fault("lone", Kind.WRONG_NUMBER, "somewhere", "a", "b", "c")
