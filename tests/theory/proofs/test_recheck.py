"""The second checker holds certificates against its own hashes, finds genuine ones in order and refuses every other."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.theory.proofs.write_table import TABLE, table_of
from theory.claims.theorem import Step, Theorem
from theory.proofs import THEOREMS
from theory.proofs.engines import certified
from theory.proofs.proof import CheckedStep, Proof
from theory.proofs.recheck import VERIFIED, check_data, main, read, recheck, text_of
from theory.proofs.recheck_balls import RejectedError

Certificate = dict[str, Any]
RECHECK = TABLE.with_name("recheck.py")
#: Theorems that no other uses as a lemma: their certificates hold those of all.
LAST = sorted(set(THEOREMS) - {lemma for theorem in THEOREMS.values() for lemma in theorem.uses})


@pytest.fixture(scope="module")
def genuine(proofs: dict[str, Proof]) -> dict[str, Certificate]:
    return {name: json.loads(json.dumps(proof.certificate())) for name, proof in proofs.items()}


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    found: dict[str, Any] = read(TABLE)
    return found


def set_at(path: str, value: Any, certificate: Certificate) -> None:
    """Set what is at a path; in a list a number is a place, and a word the first step of that kind."""
    *before, last = path.split("/")
    place: Any = certificate
    for key in before:
        if isinstance(place, list) and not key.isdigit():
            place = next(step for step in place if step["certificate"]["kind"] == key)
        else:
            place = place[int(key) if isinstance(place, list) else key]
    place[last] = value


def _is_refused(certificate: object, table: dict[str, Any]) -> bool:
    try:
        recheck(certificate, table)
    except RejectedError:
        return True
    return False


def test_the_table_is_what_the_theorems_say_now(proofs: dict[str, Proof], table: dict[str, Any]) -> None:
    assert table == table_of(proofs.values()), (
        "run python -m tests.theory.proofs.write_table and read the difference"
    )


def test_a_proof_that_does_not_hold_has_no_place_in_the_table() -> None:
    step = Step("false", certified("0 - 1"))
    with pytest.raises(ValueError, match="every theorem of the table must hold"):
        table_of([Proof(Theorem("n", "t", "s", "h", "c", (step,)), (CheckedStep.run(step),))])


def test_a_genuine_certificate_is_decided_in_all_steps_but_the_kernels(
    genuine: dict[str, Certificate], table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # a lemma stands in many certificates: each text is decided once
    decided = cache(lambda text: check_data(json.loads(text)))
    monkeypatch.setattr("theory.proofs.recheck.check_data", lambda data: decided(text_of(data)))
    lines = [line for name in LAST for line in recheck(genuine[name], table)]
    assert {line.theorem for line in lines} == set(THEOREMS)
    assert {line.status for line in lines} == {*VERIFIED, "by a kernel"}


def test_the_second_checker_is_short_and_imports_nothing_of_ours() -> None:
    files = sorted(RECHECK.parent.glob("recheck*.py"))
    assert [file.name for file in files] == ["recheck.py", "recheck_algebra.py", "recheck_balls.py"]
    for file in files:
        text = file.read_text()
        assert len(text.splitlines()) < 400
        for word in ("eval(", "exec(", "pickle", "importlib", "__import__", "numpy", "mpmath"):
            assert word not in text
        for room in ("theory", "filters", "mc", "reports", "filterproof", "sympy"):
            assert f"import {room}" not in text
            assert f"from {room}" not in text


def test_the_second_checker_runs_as_a_script_without_the_house(
    genuine: dict[str, Certificate], tmp_path: Path
) -> None:
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(genuine["B*"]))
    command = [sys.executable, "-E", "-s", RECHECK, file]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "REFUSED" not in done.stdout


@pytest.mark.parametrize(
    ("names", "path", "value", "status"),
    [
        (["B*"], "", "", 0),
        (["RDP filter"], "", "", 3),
        (["B*", "RDP filter"], "", "", 3),
        (["conversions"], "holds", False, 1),
        (["conversions", "RDP filter"], "steps/5/certificate/formula", "delta", 1),
    ],
    ids=str,
)
def test_of_several_certificates_the_worst_decides_and_what_is_left_is_told(
    names: list[str],
    path: str,
    value: object,
    status: int,
    genuine: dict[str, Certificate],
    table: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = [tmp_path / f"{place}.json" for place, _ in enumerate(names)]
    for place, name in enumerate(names):
        certificate = copy.deepcopy(genuine[name])
        if path and not place:
            set_at(path, value, certificate)
        paths[place].write_text(json.dumps(certificate))
    assert main(list(map(str, paths))) == status
    printed = capsys.readouterr().out
    assert ("REFUSED" in printed) == (status == 1)
    every = set()
    for name in names[status == 1 :]:
        lines = recheck(genuine[name], table)
        left = [line for line in lines if line.status not in VERIFIED]
        assert all(f"  {line.status}: {line.theorem}: {line.step}" in printed for line in left)
        assert f"{len(lines)} steps, {len(lines) - len(left)} of them decided here: " in printed
        every |= {line[:2] for line in lines}
    if len(names) > 1:  # a last line counts the steps of all once
        assert printed.splitlines()[-1].startswith(f"in all, each step once: {len(every)} steps, ")


# -- what is not genuine --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("B*", "steps/0/seconds", float("inf")),
        ("B*", "versions/python", "3" * 10_000),
        ("B*", "steps/9/certificate/tree", ".."),
        ("B*", "steps/zero/certificate/tree", "."),  # of a step without a box
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_a_hash_does_not_cover_is_looked_at_by_itself(
    name: str, path: str, value: object, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    forged = copy.deepcopy(genuine[name])
    set_at(path, value, forged)
    assert _is_refused(forged, table)


def _changes(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every single change of JSON data, with its place: a value replaced, a key or an entry more, less or twice."""
    yield path, {"another": "value"}
    match data:
        case dict():
            yield f"{path}/foreign", data | {"foreign": 1}
            for key, value in data.items():
                yield f"{path}/{key} left out", {k: v for k, v in data.items() if k != key}
                for where, changed in _changes(value, f"{path}/{key}"):
                    yield where, data | {key: changed}
        case list():
            for place, value in enumerate(data):
                yield f"{path}/{place} left out", data[:place] + data[place + 1 :]
                yield f"{path}/{place} twice", [*data[:place], value, *data[place:]]
                for where, changed in _changes(value, f"{path}/{place}"):
                    yield where, [*data[:place], changed, *data[place + 1 :]]
        case bool():
            yield from ((path, other) for other in (not data, int(data)))
        case int() | float():
            yield f"{path} as another number", data + 1
            yield from ((path, other) for other in (str(data), -1 - data))
        case str():
            yield path, data + " "


@pytest.mark.parametrize(("name", "least"), [("B*", 900), pytest.param("kappa", 300, marks=pytest.mark.slow)])
def test_every_single_change_of_a_certificate_is_refused_but_that_of_a_time(
    name: str, least: int, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    changes = [one for one in _changes(genuine[name]) if not one[0].endswith("/seconds as another number")]
    assert len(changes) > least
    assert [where for where, changed in changes if not _is_refused(changed, table)] == []


def test_no_certificate_passes_for_another_theorem(
    genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    for name in THEOREMS:
        others = {*THEOREMS} - {name}
        assert all(_is_refused(genuine[name] | {"theorem": other}, table) for other in others)


@pytest.mark.parametrize(
    "junk", [None, 1, "B*", [], {}, {"theorem": "B*"}, {"theorem": ["B*"]}, {"theorem": "C*"}]
)
def test_what_is_no_certificate_is_refused(junk: object, table: dict[str, Any]) -> None:
    assert _is_refused(junk, table)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"theorem": "B*", "theorem": "CKS"}', "a key stands twice"),
        ('{"theorem": NaN}', "NaN is no number"),
        ('{"theorem": -Infinity}', "-Infinity is no number"),
        ("[" * 100_000 + "]" * 100_000, "RecursionError"),
        ('{"theorem": ' + "9" * 10_000 + "}", "ValueError"),
        ("", "JSONDecodeError"),
        ("print(1)", "JSONDecodeError"),
        ("\ud800", "UnicodeDecodeError"),
        (" " * 17_000_000, "larger than 16 MB"),
        (None, "FileNotFoundError"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_file_that_is_not_plain_data_is_refused_without_a_traceback(
    text: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "forged.json"
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert main([str(path)]) == 1
    assert f"REFUSED: {said}" in capsys.readouterr().out


def test_without_a_file_it_says_how_it_is_used() -> None:
    assert main([]) == 2
