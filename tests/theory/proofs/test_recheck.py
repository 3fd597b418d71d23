"""The second checker holds certificates against its own hashes, and finds every genuine one in order."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.theory.proofs.certificates import Certificate, set_at
from tests.theory.proofs.write_table import table_of
from theory.claims.theorem import Step, Theorem
from theory.proofs import THEOREMS
from theory.proofs.engines import certified
from theory.proofs.proof import CheckedStep, Proof
from theory.proofs.recheck import (
    UNCHECKED,
    VERIFIED,
    check_data,
    main,
    recheck,
    text_of,
)

RECHECK = Path(__file__).parents[3] / "theory" / "proofs" / "recheck.py"


# -- the table ----------------------------------------------------------------------------------------


def test_the_table_is_what_the_theorems_say_now(proofs: dict[str, Proof], table: dict[str, Any]) -> None:
    assert table == table_of(proofs.values()), (
        "run python -m tests.theory.proofs.write_table and read the difference"
    )


def test_a_proof_that_does_not_hold_has_no_place_in_the_table() -> None:
    step = Step("false", certified("0 - 1"))
    with pytest.raises(ValueError, match="every theorem of the table must hold"):
        table_of([Proof(Theorem("n", "t", "s", "h", "c", (step,)), (CheckedStep.run(step),))])


# -- what a genuine certificate comes to ------------------------------------------------------------------


#: Theorems that no other uses as a lemma: their certificates hold those of all.
LAST = sorted(set(THEOREMS) - {lemma for theorem in THEOREMS.values() for lemma in theorem.uses})


def test_a_genuine_certificate_is_refused_in_no_step(
    genuine: dict[str, Certificate], table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # a lemma stands in many certificates: each text is decided once
    decided = cache(lambda text: check_data(json.loads(text)))
    monkeypatch.setattr("theory.proofs.recheck.check_data", lambda data: decided(text_of(data)))
    lines = [line for name in LAST for line in recheck(genuine[name], table)]
    assert {line.theorem for line in lines} == set(THEOREMS)
    assert {line.status for line in lines} <= {*VERIFIED, *UNCHECKED}
    # nothing is left to spot checks or empty: of what an engine here ran, all is decided
    left = {line for line in lines if line.status not in VERIFIED}
    assert {line.status for line in left} <= {"by a kernel"}


# -- the files themselves -------------------------------------------------------------------------------------


def test_the_second_checker_is_short_and_imports_nothing_of_ours() -> None:
    files = sorted(RECHECK.parent.glob("recheck*.py"))
    assert [file.name for file in files] == [
        *("recheck.py", "recheck_algebra.py", "recheck_balls.py"),
    ]
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
    done = subprocess.run(
        [sys.executable, "-E", "-s", RECHECK, file], cwd=tmp_path, capture_output=True, text=True, check=False
    )
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
    paths = [str(tmp_path / f"{place}.json") for place, _ in enumerate(names)]
    for place, name in enumerate(names):
        certificate = copy.deepcopy(genuine[name])
        if path and not place:
            set_at(path, value)(certificate)
        Path(paths[place]).write_text(json.dumps(certificate))
    assert main(paths) == status
    printed = capsys.readouterr().out
    assert ("REFUSED" in printed) == (status == 1)
    every = []
    for name in names[status == 1 :]:
        lines = recheck(genuine[name], table)
        left = [line for line in lines if line.status in UNCHECKED]
        assert all(f"  {line.status}: {line.theorem}: {line.step}" in printed for line in left)
        assert f"{len(lines)} steps, {len(lines) - len(left)} of them decided here: " in printed
        every += [line[:2] for line in lines]
    if len(names) > 1:  # a last line counts the steps of all once
        assert printed.splitlines()[-1].startswith(f"in all, each step once: {len(set(every))} steps, ")
