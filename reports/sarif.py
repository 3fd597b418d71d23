"""SARIF 2.1.0, the format in which code hosts read findings: a result for each filter that failed its examination.

>>> report = sarif([Result("refuted", "MyFilter: REFUTED", "src/mine.py", 7)], "1.0")
>>> report["version"], report["runs"][0]["results"][0]["ruleId"]
('2.1.0', 'refuted')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from filters.adapters.labelled import program_of
from mc.examine.examination import Status
from reports.examination_words import ExaminationWords
from reports.witness_words import file_of

__all__ = ["RULES", "Result", "results_of", "sarif"]

#: What can be wrong with a filter: the id of the rule and its sentence.
RULES = {
    "refuted": "The filter's promise is false: a witness breaks it, and anyone can play it again.",
    "fault": "The filter's own code breaks the contract of a filter, or does not return in time.",
    "nothing-admitted": "The filter admits nothing that was tried, so nothing was examined.",
}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@dataclass(frozen=True, slots=True)
class Result:
    """A rule that a filter broke, the message, and where its class begins: a path, and a line from 1."""

    rule: str
    message: str
    file: str
    line: int


def results_of(exam: ExaminationWords, folder: Path) -> list[Result]:
    """What is wrong with an examined filter, nothing where no promise was refuted; folder is where it is saved."""
    told = [("fault", fault) for fault in exam.faults]
    if exam.refuted:
        told = [("refuted", f"{exam.name}: {exam.verdict.detail} Again: {exam.again(folder)}"), *told]
    elif exam.status is Status.DENIES:
        told.append(("nothing-admitted", exam.conclusion))
    file, line = _place(exam)
    return [Result(rule, words, file, line) for rule, words in told]


def _place(exam: ExaminationWords) -> tuple[str, int]:
    """The file that the command line names, or that a program runs, and the line of the class if it is in there."""
    defined, line = file_of(type(exam.filter))
    program = program_of(exam.filter)
    words = (
        [exam.target.partition("::")[0]]
        if exam.target is not None
        else program.bridge.words
        if program
        else ()
    )
    named = next((Path(word) for word in words if Path(word).is_file()), defined)
    if named is None:
        return ".", 1
    path, same = named.resolve(), defined is not None and defined.resolve() == named.resolve()
    within = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return within.as_posix(), line if same else 1


def _uri(file: str) -> str:
    path = PurePosixPath(file)
    return path.as_uri() if path.is_absolute() else quote(file)


def sarif(results: Sequence[Result], version: str) -> dict[str, Any]:
    """The report as JSON-able data; version is that of Filterproof."""
    rules = list(RULES)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Filterproof",
                        "version": version,
                        "rules": [
                            {"id": rule, "shortDescription": {"text": words}} for rule, words in RULES.items()
                        ],
                    }
                },
                "results": [
                    {
                        "ruleId": one.rule,
                        "ruleIndex": rules.index(one.rule),
                        "level": "error",
                        "message": {"text": one.message},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": _uri(one.file)},
                                    "region": {"startLine": one.line},
                                }
                            }
                        ],
                    }
                    for one in results
                ],
            }
        ],
    }
