"""An audit runs a script as it stands, asks the laws, and says what it could not show or explain."""

import json
import signal
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mc.accountants.law_answers import Answer
from reports.audit.audited import (
    Audit,
    AuditedEntry,
    AuditedFault,
    AuditedLibrary,
    recorded_audit,
)
from reports.audit.auditing import audit_of, interpreter
from reports.audit.examined import audited, shown
from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.registry import libraries_of
from reports.audit.texts import issue_text, titled
from reports.cli import app
from reports.pages.audit_page import audit_page
from tests.reports.audit.toy import GONE, TEXT, THERE, toy


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> AuditedLibrary:
    """An audit of the toy, with its one finding."""
    return audited(toy(tmp_path_factory.mktemp("findings")), effort=0.02)


OTHERS = "import os, sys\nfrom typing import assert_never\n"
ABORTED = f"status -6, {signal.strsignal(6)}"
INVALID = "ValueError: invalid literal for int() with base 10: '2,\\n1'"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, {"shown": True, "agree": True, "there": True, "expected": "2", "got": "3"}),
        ({"faults": GONE}, {"shown": False, "got": "status 0"}),
        ({"faults": "def tenth():\n    assert not 2"}, {"shown": False, "got": "AssertionError"}),
        ({"faults": "def tenth():\n    raise ValueError(2)"}, {"shown": False, "got": "ValueError: 2"}),
        (
            {"faults": f"{OTHERS}def tenth(): assert_never(2)"},
            {"shown": False},
        ),  # an assertion of other people's
        ({"faults": f"{OTHERS}def tenth(): assert not sys, os.listdir('.')"}, {"shown": True, "got": "[]"}),
        (
            {"faults": "def tenth(): int('2,\\n1')", "ends": "ValueError: inv"},
            {"shown": True, "got": INVALID},
        ),
        (
            {"faults": f"{OTHERS}def tenth(): os.abort()", "ends": "status -6"},
            {"shown": True, "got": ABORTED},
        ),
        ({"faults": f"{OTHERS}def tenth(): os.abort()", "ends": "status 6"}, {"shown": False}),
        ({"value": 2.1}, {"shown": True, "agree": False, "there": False}),
        ({"value": 2.0 + 1e-9}, {"agree": True}),
    ],
)
def test_a_fault_is_shown_by_how_its_script_ends_and_agrees_by_its_routes(
    tmp_path: Path, changed: dict[str, Any], told: dict[str, Any]
) -> None:
    ends = f'ends = "{changed.pop("ends", "AssertionError: ")}"'
    made = toy(tmp_path, text=TEXT.replace("breaks =", f"{ends}\nbreaks ="), **changed)
    found = shown(made, made.faults[0])
    assert {name: getattr(found, name) for name in told} == told


def test_a_broken_law_is_explained_by_a_fault_that_is_shown_or_the_audit_says_so(tmp_path: Path) -> None:
    broken = ("what_it_answers_is_at_least_the_truth", "an_adaptive_choice_gains_nothing")
    whole, partly, gone = (
        audited(toy(tmp_path / name, **changed), effort=0.03)
        for name, changed in (
            ("whole", {"laws": broken}),
            ("partly", {"laws": broken[:1]}),
            ("gone", {"faults": GONE}),
        )
    )
    assert whole.version == metadata.version("numpy")
    assert [law.law for _, law in partly.unexplained] == ["an_adaptive_choice_gains_nothing"]
    assert [len(found.unexplained) for found in (whole, partly, gone)] == [0, 1, 2]
    assert (whole.refused, gone.refused) == ((), gone.faults)
    assert [Audit((found,)).as_expected for found in (whole, partly)] == [True, False]
    (entry,) = whole.entries  # the rule is examined as a filter
    assert entry.verdict == "REFUTED"
    assert "Tenth" in entry.asked_of


@pytest.mark.parametrize("text", ["{}", "[]", '{"schema": 1}', '{"schema": 7}', "nonsense"])
def test_what_is_no_audit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"recorded audit|schema|Expecting"):
        Audit.from_json(text)


def test_the_text_of_an_issue_has_all_its_parts(library: AuditedLibrary) -> None:
    text = issue_text(library, library.faults[0])
    for part in (
        library.version,
        "It answers a tenth",
        "Expected: 2",
        "Got: 3",
        "It is unsafe.",
        "Multiply by ten.",
        "by hand: 2.0",
    ):
        assert part in text
    assert THERE.rstrip() in text


def test_the_page_shows_laws_findings_and_what_was_left_out(library: AuditedLibrary) -> None:
    page = audit_page(Audit((library,), (("other", "it is not installed"),)))
    for part in (
        "tenth.Tenth",
        "broken",
        "It answers a tenth",
        "Everything else.",
        "It adds.",
        "other was not audited",
    ):
        assert part in page
    assert "No audit was recorded." in audit_page(Audit(()))


def test_a_library_that_is_installed_nowhere_is_named_and_left_out(tmp_path: Path) -> None:
    absent = replace(toy(tmp_path), distribution="no-such-distribution")
    assert interpreter(absent, tmp_path) is None
    assert audit_of([absent]) == Audit(
        (), (("no-such-distribution", "no-such-distribution is not installed"),)
    )


def test_a_library_whose_process_ends_early_is_named_with_its_last_words_and_not_as_expected(
    tmp_path: Path,
) -> None:
    stopping = toy(tmp_path)
    (stopping.folder / "routes.py").write_text("raise KeyError('unknown')", "utf-8")
    ended = audit_of([stopping])
    assert ended.absent == (("numpy", "its process ended with 1: KeyError: 'unknown'"),)
    assert ended.stopped == ("numpy",)
    beside = replace(hostile(), absent=ended.absent, stopped=ended.stopped)
    assert not beside.as_expected
    assert Audit.from_json(beside.to_json()) == beside
    assert replace(beside, stopped=()).as_expected


def test_a_folder_of_findings_is_audited_by_its_own_code(tmp_path: Path) -> None:
    toy(tmp_path / "mine")
    words = ["audit", "toy", "--findings", str(tmp_path / "mine"), "--out", str(tmp_path / "out")]
    ended = CliRunner().invoke(app, [*words, "--effort", "0.02"])
    assert "It answers a tenth. expected 2, got 3" in ended.output
    (library,) = Audit.from_json((tmp_path / "out" / "audit.json").read_text("utf-8")).libraries
    assert [route.how for route in library.faults[0].fault.routes] == ["by hand", "by another hand"]
    assert library.faults[0].values == (2.0, 2.0)
    assert (tmp_path / "out" / "toy-tenth.md").is_file()


def test_without_findings_the_command_says_where_they_are_and_tells_what_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.audit.registry.FINDINGS", tmp_path / "none")  # as in a wheel
    ended = CliRunner().invoke(app, ["audit"])
    assert ended.exit_code == 2
    assert "pass --findings DIR" in " ".join(ended.output.split())
    assert CliRunner().invoke(app, ["audit", "--recorded"]).exit_code == 0


def test_the_recorded_audit_is_of_the_faults_that_are_known_and_as_expected() -> None:
    found, libraries = recorded_audit(), libraries_of()
    assert found.as_expected
    assert {one.key for one in found.libraries} == set(libraries)
    for library in found.libraries:
        known = libraries[library.key]
        assert [one.fault for one in library.faults] == list(known.faults)
        assert [one.entry for one in library.entries] == list(known.entries)
        assert (library.held, library.left_out) == (known.held, known.left_out)
        for one in library.faults:
            assert one.script == known.script(one.fault, one.values)
            assert one.expected == one.fault.expected.format(*one.values)
        assert all((one.asked_of != "") == (one.entry.subject != "") for one in library.entries)


def test_what_was_recorded_is_told_without_running_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.audit.auditing.audit_of", lambda *given, **more: pytest.fail("it ran"))
    key = recorded_audit().libraries[0].key
    ended = CliRunner().invoke(app, ["audit", key, "--recorded", "--out", str(tmp_path)])
    assert ended.exit_code == 0
    texts = [file.name for file in tmp_path.glob("*.md")]
    assert len(texts) == len(recorded_audit().only([key]).libraries[0].faults)
    assert all(name.startswith(f"{key}-") for name in texts)


def test_the_first_sentence_is_the_title() -> None:
    assert titled("it is 0.5 where 1.5 is due. Twice. See") == ("It is 0.5 where 1.5 is due", "Twice. See")
    assert titled("One only") == ("One only", "")


def test_a_part_that_is_done_is_kept_until_what_it_depends_on_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: AuditedLibrary
) -> None:
    made, keep = toy(tmp_path / "mine"), tmp_path / "parts"
    ran: list[float] = []

    def once(python: str, asked: Library, effort: float, file: Path) -> str:
        ran.append(effort)
        file.write_text(json.dumps(asdict(library), default=lambda kind: kind.value), "utf-8")
        return ""

    monkeypatch.setattr("reports.audit.auditing._stopped", once)
    first = audit_of([made], keep=keep)
    assert audit_of([made], keep=keep) == first
    assert len(ran) == 1
    audit_of([made], keep=keep, effort=0.1)
    assert ran == [0.6, 0.1]
    for number, file in enumerate(("library.toml", "routes.py", "subjects.py", "faults.py"), 3):
        with (made.folder / file).open("a", encoding="utf-8") as more:
            more.write("# changed\n")
        audit_of([made], keep=keep)
        assert len(ran) == number, file
    monkeypatch.setattr("reports.audit.auditing.version_of", lambda python, distribution: "another")
    audit_of([made], keep=keep)
    assert len(ran) == 7


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y>[/bold red]{{7*7}}"


def hostile(**changed: Any) -> Audit:
    """An audit whose every text is hostile."""
    law = Answer("the_total_never_falls", "held", HOSTILE)
    entry = AuditedEntry(EntryPoint(*[HOSTILE] * 6), (law,), *[HOSTILE] * 3)
    texts = dict.fromkeys(("entry", "says", "expected", "why", "fix"), HOSTILE)
    fault = Fault("k", Kind.MISUSE, routes=(Route(HOSTILE, "f", ()),) * 2, **texts)
    one = AuditedFault(fault, HOSTILE, HOSTILE, HOSTILE, shown=True, values=(1.0, 1.0), agree=True)
    texts = dict.fromkeys(("distribution", "version", "python", "date"), HOSTILE)
    library = AuditedLibrary(
        "opendp", entries=(entry,), faults=(one,), held=(HOSTILE,), left_out=(HOSTILE,), **texts
    )
    return Audit((replace(library, **changed),), ((HOSTILE, HOSTILE),))


def test_hostile_words_are_shown_as_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.audit.audited.recorded_audit", hostile)
    ended = CliRunner().invoke(app, ["audit", "opendp", "--recorded", "--out", str(tmp_path)])
    assert ended.exit_code == 0
    assert "[/bold red]" in ended.output
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "{{7*7}}" in page


@pytest.mark.parametrize("key", ["../evil", "x/../../evil", "/evil", "", "a b"])
def test_a_key_that_is_no_name_of_a_file_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="key must be the name of a file"):
        Audit.from_json(hostile(key=key).to_json())
    moved = hostile().to_json().replace('"key": "k"', f'"key": "{key}"')
    with pytest.raises(ValueError, match="key must be the name of a function"):
        Audit.from_json(moved)


def test_an_outcome_that_no_law_has_is_refused() -> None:
    entry = hostile().libraries[0].entries[0]
    with pytest.raises(ValueError, match="outcome must be of held, broken"):
        replace(entry.laws[0], outcome="fine")
    recorded = hostile().to_json().replace('"outcome": "held"', '"outcome": "fine"')
    with pytest.raises(ValueError, match="laws: outcome must be of held, broken"):
        Audit.from_json(recorded)


def test_a_library_that_was_recorded_as_absent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    why = "dp-accounting is not installed"
    found = replace(hostile(), absent=(("dp-accounting", why),))
    monkeypatch.setattr("reports.audit.audited.recorded_audit", lambda: found)
    ended = CliRunner().invoke(app, ["audit", "opendp", "dp_accounting", "--recorded"])
    assert f"dp-accounting was not audited: {why}" in ended.output
