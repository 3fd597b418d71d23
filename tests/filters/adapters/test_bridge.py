"""A program that decides over JSON lines is a filter; what it does against the protocol ends in one sentence."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.adapters import bridge
from filterproof.filters.adapters.bridge import BridgeError
from filterproof.filters.adapters.bridged import BridgedFilter
from tests.filters.adapters.program import bridged
from tests.reports.typed import filterproof

ROOT = Path(__file__).parent.parent.parent.parent
BRIDGES = ROOT / "reports" / "docs" / "bridges"
HALF, QUARTER = fp.RandomizedResponse(0.5), fp.RandomizedResponse(0.25)


def grants(filt: BridgedFilter, *requests: fp.RandomizedResponse) -> list[bool]:
    session = filt.open("retry")
    return [session.request(request) for request in requests]


#: What runs each bridge of the page; other languages than Python by `make referee`, which fails without them.
BRIDGED = {"bridge.py": [sys.executable], "sql.py": [sys.executable]}
ELSEWHERE = {
    "bridge.mjs": ["node"],
    "bridge.go": ["go", "run"],
    "Bridge.java": ["java"],
    "bridge.rs": ["rustc"],
}


def test_every_bridge_of_the_page_is_tested() -> None:
    assert {path.name for path in BRIDGES.iterdir() if path.is_file()} == {*BRIDGED, *ELSEWHERE}


@pytest.mark.referee
@pytest.mark.parametrize("name", ELSEWHERE)
def test_each_bridge_in_another_language_grants_what_the_sum_of_epsilons_allows(
    name: str, tmp_path: Path
) -> None:
    starter, source = ELSEWHERE[name], str(BRIDGES / name)
    assert shutil.which(starter[0]), f"{starter[0]} is not on the PATH; install it for `make referee`"
    if name == "bridge.rs":
        subprocess.run([*starter, "-O", "-o", str(tmp_path / "bridge"), source], check=True)
        starter, source = [], str(tmp_path / "bridge")
    check_bridge(name, [*starter, source])


@pytest.mark.parametrize("name", BRIDGED)
def test_each_bridge_in_python_grants_what_the_sum_of_epsilons_allows(name: str) -> None:
    check_bridge(name, [*BRIDGED[name], str(BRIDGES / name)])


def check_bridge(name: str, command: list[str]) -> None:
    filt = fp.from_command(command, fp.PureDP(1.0), seconds=60.0)
    try:
        assert grants(filt, HALF, QUARTER, HALF, QUARTER, QUARTER) == [True, True, False, True, False]
        assert grants(filt, fp.Gaussian(0.1), fp.RandomizedResponse(1.0)) == [False, True]
        state = filt.start(3)
        state = filt.spend(state, HALF)
        assert filt.admits(state, fp.RandomizedResponse(np.array([0.5, 0.75, 0.25]))).tolist() == [
            True,
            False,
            True,
        ]
    finally:
        filt.bridge.close()
    assert len((BRIDGES / name).read_text("utf-8").splitlines()) <= 50


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("version", "to version"),
        ("describes", "to describe"),
        ("dies", "and said Error: out of cheese"),
        ("hangs", "time limit (seconds=1)"),
        ("rubbish", "printed hello where"),
        ("misnumbers", "where the line 2 was asked"),
        ("short", "gave 1 answers to 2 commands"),
        ("long", "gave 3 answers to 2 commands"),
        ("list", "give one object for each"),
        ("endless", "printed a line of more than 65,536 bytes"),
        ("says true", "to version"),
        ("is full", "answered the error no more budgets"),
        ("words", 'answer {"granted": true}'),
        ("silence", 'answer {"granted": true}'),
        ("relents", "grants it when asked again"),
        ("weakens", "grants it when asked again"),
        ("forgets", "after a restart from its own state, and denies it without one"),
        ("hoards", "after a restart from its own state, and grants it without one"),
        ("grows", "a text of at most 65536 characters"),
        ("counts", "a text of at most 65536 characters"),
    ],
)
def test_what_the_protocol_forbids_ends_in_one_sentence(
    tmp_path: Path, fault: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "_MAX_LINE_BYTES", 1 << 16 if fault == "endless" else bridge._MAX_LINE_BYTES)
    with pytest.raises(BridgeError) as raised:
        grants(bridged(tmp_path, fault, 1.0 if fault == "hangs" else 30.0), *[HALF] * 4)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_bridge_that_broke_the_protocol_is_ended_and_not_asked_or_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filt = bridged(tmp_path, "rubbish")
    started = filt.bridge._process
    for _ in range(2):
        with pytest.raises(BridgeError, match="printed hello"):
            grants(filt, HALF)
        monkeypatch.setattr(subprocess, "Popen", None)  # nor started
    assert started is not None
    assert started.poll() is not None


def test_a_long_line_is_sent_in_parts_and_read_before_it_is_answered(tmp_path: Path) -> None:
    commands = [f'{{"do":"open","run":{run},"words":"{"x" * 200}"}}' for run in range(1500)]
    assert bridged(tmp_path, "none").bridge.exchange(commands) == [{}] * 1500
    with pytest.raises(BridgeError, match="answered before it had read the line"):
        bridged(tmp_path, "hasty").bridge.exchange(commands)


def test_what_was_granted_is_committed_and_is_granted_again_in_its_order_to_a_fresh_budget(
    tmp_path: Path,
) -> None:
    assert grants(bridged(tmp_path, "pledges"), HALF, HALF, HALF) == [True, True, False]
    rising = bridged(tmp_path, "rises")
    state = rising.spend(rising.spend(rising.start(1), QUARTER), HALF)
    assert [rising.admits(state, pair).tolist() for pair in (HALF, QUARTER)] == [[False], [False]]


def test_budgets_with_the_same_past_that_are_decided_otherwise_break_the_protocol(tmp_path: Path) -> None:
    for granted, message in (
        (1, "to a fresh budget and granted it to another"),
        (0, "decides differently on"),
    ):
        filt = bridged(tmp_path, "fickle")
        state = filt.spend(filt.start(1), QUARTER)
        assert filt.admits(state, fp.RandomizedResponse(1.0)).tolist() == [False]  # its budget is closed
        with pytest.raises(BridgeError, match=message):
            filt.admits(state if granted else filt.start(1), QUARTER)


def test_a_mechanism_that_a_bridge_answers_an_error_to_is_outside_its_scope(tmp_path: Path) -> None:
    for fault in ("errors", "both"):
        filt = bridged(tmp_path, fault)
        with pytest.raises(ValueError, match=r"answers an error to .*: no such mechanism"):
            grants(filt, HALF)
        filt.bridge.close()


def test_the_command_refutes_a_program_writes_its_page_and_replays_its_counterexample(tmp_path: Path) -> None:
    executed = ("--exec", f"{sys.executable} {BRIDGES / 'bridge.py'}", "--promise")
    effort = ("--effort", "0.02", "--mechanisms", "rr", "--out", "out")
    ended = filterproof("verify", *executed, "pure(0.75)", *effort, cwd=tmp_path)
    assert ended.returncode == 1, ended.stderr
    assert "REFUTED (CERTIFIED" in ended.stdout
    assert (tmp_path / "out" / "report.html").is_file()
    for promise, status in (("pure(0.75)", 0), ("pure(1)", 1)):  # the second is kept
        again = filterproof("replay", "out/verdict.json", *executed, promise, cwd=tmp_path)
        assert again.returncode == status, again.stderr


def test_the_command_ends_with_status_3_where_the_program_does_not_answer(tmp_path: Path) -> None:
    options = ("--exec", f"{sys.executable} no_such_file.py", "--promise", "pure(1)")
    ended = filterproof("verify", *options, "--effort", "0.07", "--out", "out", cwd=tmp_path)
    assert ended.returncode == 3, ended.stderr
    assert "ended with status 2 before it had answered" in ended.stderr.replace("\n", " ")
