"""An audit runs a script as it stands, asks the laws, and says what it could not show or explain."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import filterproof as fp
from mc.accountants.answers import subject_of
from mc.accountants.subject import Subject
from reports.audit.audited import (
    Audit,
    AuditedEntry,
    AuditedFault,
    AuditedLaw,
    AuditedLibrary,
    recorded_audit,
)
from reports.audit.auditing import audit_of
from reports.audit.environments import interpreter
from reports.audit.examined import audited, shown
from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.registry import LIBRARIES
from reports.audit.texts import issue_text, titled
from reports.cli import app
from reports.pages.audit_page import audit_page

THERE = 'print("expected: 2")\nprint("got: 3")\nraise SystemExit(0)\n'
GONE = 'print("expected: 2")\nprint("got: 2")\nraise SystemExit(1)\n'


class Tenth:
    """An accountant that answers a tenth of what is due."""

    def __init__(self) -> None:
        self.rho = 0.0

    def compose(self, rho: float, count: int) -> None:
        self.rho += rho * count / 10


def tenth() -> Subject:
    menu = (fp.Gaussian(0.5), fp.Gaussian(1.0))
    return subject_of(
        fp.from_accountant(
            Tenth, lambda pair: float(pair.zcdp_rho), fp.ZCDP(0.2), menu=menu, spent=lambda held: held.rho
        )
    )


def fault(law: str = "what_it_answers_is_at_least_the_truth", value: float = 2.0) -> Fault:
    routes = (Route("by hand", lambda: 2.0), Route("by another hand", lambda: value))
    return Fault(
        "tenth",
        Kind.WRONG_NUMBER,
        "tenth.Tenth",
        "It answers a tenth.",
        "It is unsafe.",
        "Multiply by ten.",
        routes,
        breaks=(("tenth.Tenth", law),),
    )


def toy(*faults: Fault) -> Library:
    entry = EntryPoint("tenth.Tenth", "adds tenths", "here", "none", "zCDP", tenth)
    return Library("toy", "numpy", (entry,), faults, ("It adds.",), ("Everything else.",))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    def stands(text: str) -> None:
        monkeypatch.setattr(Fault, "script", lambda self, library: text)

    stands(THERE)
    return stands


def test_a_fault_that_its_script_shows_is_shown_with_its_words(script: Any) -> None:
    found = shown("toy", fault())
    assert (found.shown, found.agree, found.expected, found.got) == (True, True, "2", "3")
    assert found.routes == (("by hand", 2.0), ("by another hand", 2.0))


@pytest.mark.parametrize(
    "text", [GONE, 'print("got: 3")', "raise RuntimeError"], ids=["gone", "silent", "raises"]
)
def test_a_script_that_does_not_show_it_refuses_the_fault(script: Any, text: str) -> None:
    script(text)
    assert not shown("toy", fault()).shown


def test_a_script_runs_where_nothing_of_ours_lies(script: Any) -> None:
    script(
        "import os\nprint('expected: ' + str(os.listdir('.')))\nprint('got: nothing')\nraise SystemExit(0)\n"
    )
    assert shown("toy", fault()).expected == "[]"


def test_a_law_that_is_broken_is_explained_by_a_fault_or_the_audit_says_so(script: Any) -> None:
    whole = audited(toy(fault(), fault_of_the_game()), seconds=1.0)
    assert whole.version == metadata.version("numpy")
    assert whole.unexplained == ()
    assert Audit((whole,)).as_expected
    partly = audited(toy(fault()), seconds=1.0)
    assert [law.law for _, law in partly.unexplained] == ["an_adaptive_choice_gains_nothing"]
    assert not Audit((partly,)).as_expected


def fault_of_the_game() -> Fault:
    return replace(fault("an_adaptive_choice_gains_nothing"), key="game")


def test_a_fault_that_is_gone_explains_nothing(script: Any) -> None:
    script(GONE)
    found = audited(toy(fault()), seconds=1.0)
    assert len(found.unexplained) == 2
    assert found.refused == found.faults


def test_routes_that_disagree_refuse_the_fault(script: Any) -> None:
    assert not shown("toy", fault(value=2.1)).agree
    assert shown("toy", fault(value=2.0 + 1e-9)).agree


def test_the_rule_is_examined_as_a_filter(script: Any) -> None:
    (entry,) = audited(toy(fault()), seconds=5.0).entries
    assert entry.verdict == "REFUTED"
    assert "Tenth" in entry.asked_of


def test_an_audit_is_read_back_as_it_was_written(script: Any) -> None:
    found = Audit((audited(toy(fault()), seconds=0.5),), (("other", "not installed"),))
    assert Audit.from_json(found.to_json()) == found


@pytest.mark.parametrize("text", ["{}", "[]", '{"schema": 1}', '{"schema": 7}', "nonsense"])
def test_what_is_no_audit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"recorded audit|schema|Expecting"):
        Audit.from_json(text)


def test_the_text_of_an_issue_has_all_its_parts(script: Any) -> None:
    library = audited(toy(fault()), seconds=0.5)
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


def test_the_page_shows_laws_findings_and_what_was_left_out(script: Any) -> None:
    library = audited(toy(fault()), seconds=0.5)
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


def test_a_library_that_is_installed_nowhere_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = Library("absent", "no-such-distribution", (), (), (), ("All of it.",))
    monkeypatch.setattr("reports.audit.auditing.LIBRARIES", {"absent": absent})
    assert interpreter(absent, tmp_path) is None
    assert audit_of(["absent"]) == Audit(
        (), (("no-such-distribution", "no-such-distribution is not installed"),)
    )


def test_a_process_that_ends_early_is_named_with_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = Library("unknown", "numpy", (), (), (), ("All of it.",))  # the worker's own registry lacks it
    monkeypatch.setattr("reports.audit.auditing.LIBRARIES", {"unknown": unknown})
    ((name, why),) = audit_of(["unknown"]).absent
    assert (name, why) == ("numpy", "its process ended with 1: KeyError: 'unknown'")


@pytest.mark.parametrize(
    ("words", "said"),
    [(["nonsense"], "libraries must be of"), (["--seconds", "0"], "seconds must be positive")],
    ids=["library", "seconds"],
)
def test_what_the_command_cannot_use_is_refused_in_a_sentence(words: list[str], said: str) -> None:
    ended = CliRunner().invoke(app, ["audit", *words])
    assert ended.exit_code == 2
    assert said in ended.output


def test_the_recorded_audit_is_of_the_faults_that_are_known_and_as_expected() -> None:
    found = recorded_audit()
    assert found.as_expected
    assert {one.key for one in found.libraries} == set(LIBRARIES)
    for library in found.libraries:
        known = LIBRARIES[library.key]
        assert [fault.key for fault in library.faults] == [fault.key for fault in known.faults]
        assert [fault.script for fault in library.faults] == [
            fault.script(known.key) for fault in known.faults
        ]
        for name in ("kind", "says", "why", "fix", "entry"):
            assert [getattr(f, name) for f in library.faults] == [getattr(f, name) for f in known.faults]
        assert (library.held, library.left_out) == (known.held, known.left_out)
        assert [entry.name for entry in library.entries] == [entry.name for entry in known.entries]


def test_a_recorded_library_is_a_value(script: Any) -> None:
    library = audited(toy(fault()), seconds=0.5)
    assert isinstance(library, AuditedLibrary)
    assert not math.isnan(library.faults[0].routes[0][1])


def test_what_was_recorded_is_told_without_running_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.audit.auditing.audit_of", lambda *given, **more: pytest.fail("it ran"))
    key = recorded_audit().libraries[0].key
    ended = CliRunner().invoke(app, ["audit", key, "--recorded", "--out", str(tmp_path)])
    assert ended.exit_code == 0
    texts = [file.name for file in tmp_path.glob("*.md")]
    assert len(texts) == len(recorded_audit().only({key: key}).libraries[0].faults)
    assert all(name.startswith(f"{key}-") for name in texts)


def test_the_first_sentence_is_the_title() -> None:
    assert titled("it is 0.5 where 1.5 is due. Twice. See") == ("It is 0.5 where 1.5 is due", "Twice. See")
    assert titled("One only") == ("One only", "")


def test_a_part_that_is_done_is_kept_until_the_code_of_the_audit_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Any
) -> None:
    library = toy()
    ran: list[str] = []

    def once(python: str, name: str, seconds: float) -> tuple[str, AuditedLibrary]:
        ran.append(name)
        found = audited(library, seconds=0.2)
        return json.dumps(asdict(found), default=lambda kind: kind.value), found

    monkeypatch.setattr("reports.audit.auditing.LIBRARIES", {"toy": library})
    monkeypatch.setattr("reports.audit.auditing._audited", once)
    first = audit_of(["toy"], keep=tmp_path)
    assert audit_of(["toy"], keep=tmp_path) == first
    assert ran == ["toy"]
    audit_of(["toy"], keep=tmp_path, seconds=3.0)
    assert ran == ["toy", "toy"]
    monkeypatch.setattr("reports.audit.auditing.version_of", lambda python, distribution: "another")
    audit_of(["toy"], keep=tmp_path)
    assert ran == ["toy"] * 3


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=y>[/bold red]{{7*7}}"


def hostile(**changed: Any) -> Audit:
    """An audit whose every text is hostile."""
    words = dict.fromkeys(("rule", "where", "theorem", "promises", "asked_of", "verdict", "detail"), HOSTILE)
    law = AuditedLaw("the_total_never_falls", "held", HOSTILE)
    entry = AuditedEntry(name=HOSTILE, laws=(law,), **words)
    says = dict.fromkeys(("entry", "says", "why", "fix", "script", "expected", "got"), HOSTILE)
    one = AuditedFault("k", Kind.MISUSE, breaks=(), shown=True, routes=((HOSTILE, 1.0),), agree=True, **says)
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
    moved = replace(hostile().libraries[0].faults[0], key=key)
    with pytest.raises(ValueError, match="key must be the name of a file"):
        Audit.from_json(hostile(faults=(moved,)).to_json())


def test_an_outcome_that_no_law_has_is_refused() -> None:
    entry = hostile().libraries[0].entries[0]
    odd = replace(entry, laws=(replace(entry.laws[0], outcome="fine"),))
    with pytest.raises(ValueError, match="outcome must be of held, broken"):
        Audit.from_json(hostile(entries=(odd,)).to_json())


def test_a_library_that_was_not_recorded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.audit.audited.recorded_audit", hostile)
    ended = CliRunner().invoke(app, ["audit", "opendp", "dp_accounting", "--recorded"])
    assert "dp-accounting was not audited: it is not in the record" in ended.output


def test_a_library_whose_process_ends_early_is_not_as_expected(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = Library("unknown", "numpy", (), (), (), ("All of it.",))
    monkeypatch.setattr("reports.audit.auditing.LIBRARIES", {"unknown": unknown})
    ended = audit_of(["unknown"])
    assert ended.stopped == ("numpy",)
    beside = replace(hostile(), absent=ended.absent, stopped=ended.stopped)
    assert not beside.as_expected
    assert Audit.from_json(beside.to_json()) == beside
    assert replace(beside, stopped=()).as_expected
