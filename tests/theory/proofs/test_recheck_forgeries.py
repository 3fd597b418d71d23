"""Every forged certificate is refused by the second checker."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.theory.proofs.certificates import Certificate, mutants, set_at
from theory.proofs import THEOREMS
from theory.proofs.recheck import (
    main,
    recheck,
)
from theory.proofs.recheck_balls import RejectedError

#: Theorem, and what is done to its genuine certificate; single changes of what is hashed are all tried below. A checker
#: that trusted what it read let 54 of the first 66 pass, and ended in a raw error, or never, in six more.
FORGERIES: dict[str, tuple[str, Callable[[Certificate], None]]] = {
    "an endless time": ("B*", set_at("steps/0/seconds", float("inf"))),
    "versions that are a page": ("B*", set_at("versions/python", "3" * 10_000)),
    "a step that is null": ("B*", lambda c: c["steps"].__setitem__(0, None)),
    "a tree that is empty": ("B*", set_at("steps/9/certificate/tree", "")),
    "a tree that goes on": ("B*", set_at("steps/9/certificate/tree", "..")),
    "a tree that splits a side that is not there": ("B*", set_at("steps/9/certificate/tree", "0..")),
    "a tree of other marks": ("B*", set_at("steps/9/certificate/tree", "²")),
    "a tree that never ends": ("Gaussian slack", set_at("steps/6/certificate/tree", "0" * 3_000)),
    "a tree where there is no box": ("B*", set_at("steps/zero/certificate/tree", ".")),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_certificate_is_refused(
    forgery: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    name, forge = FORGERIES[forgery]
    forged = copy.deepcopy(genuine[name])
    forge(forged)
    assert json.dumps(forged) != json.dumps(genuine[name])
    with pytest.raises(RejectedError):
        recheck(forged, table)


@pytest.mark.parametrize(("name", "least"), [("B*", 900), pytest.param("kappa", 300, marks=pytest.mark.slow)])
def test_every_single_change_of_a_certificate_is_refused_but_that_of_a_time(
    name: str, least: int, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    count = 0
    for where, mutant in mutants(genuine[name]):
        if where.endswith("/seconds as another number"):
            continue
        count += 1
        try:
            recheck(mutant, table)
        except RejectedError:
            continue
        pytest.fail(f"{where} may be changed")
    assert count > least


@pytest.mark.parametrize("name", list(THEOREMS))
def test_no_certificate_passes_for_another_theorem(
    name: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    for other in THEOREMS:
        if other != name:
            with pytest.raises(RejectedError):
                recheck(genuine[name] | {"theorem": other}, table)


@pytest.mark.parametrize(
    "junk", [None, 1, "B*", [], {}, {"theorem": "B*"}, {"theorem": ["B*"]}, {"theorem": "C*"}]
)
def test_what_is_no_certificate_is_refused(junk: object, table: dict[str, Any]) -> None:
    with pytest.raises(RejectedError):
        recheck(junk, table)


@pytest.mark.parametrize(
    "text",
    [
        '{"theorem": "B*", "theorem": "CKS"}',
        '{"theorem": NaN}',
        '{"theorem": -Infinity}',
        "[" * 100_000 + "]" * 100_000,
        '{"theorem": ' + "9" * 10_000 + "}",
        "",
        "print(1)",
        "\ud800",
    ],
)
def test_a_file_that_is_not_plain_data_is_refused_without_a_traceback(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "forged.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert main([str(path)]) == 1
    assert "REFUSED" in capsys.readouterr().out


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    assert main([str(tmp_path / "nothing.json")]) == 1
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(17_000_000)
    assert main([str(tmp_path / "large.json")]) == 1
    assert main([]) == 2
