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
from reports.examination_words import Ending, ExaminationWords
from reports.replaying import beside, file_of

#: What can be wrong with a filter: the id of the rule and its sentence.
RULES = {
    rule: " Or: ".join(ending.plain for ending in Ending if ending.rule == rule)
    for rule in dict.fromkeys(ending.rule for ending in Ending if ending.rule)
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
    told = [(Ending.FAULTY, fault) for fault in exam.faults]
    if exam.refuted:
        told = [(exam.ending, f"{exam.name}: {exam.witness}. Again: {exam.again(folder)}"), *told]
    elif exam.ending in (Ending.NOT_EXAMINED, Ending.DISAGREEMENT):
        told = [(exam.ending, exam.conclusion)]
    file, line = _place(exam)
    return [Result(ending.rule, words, file, line) for ending, words in told]


def _place(exam: ExaminationWords) -> tuple[str, int]:
    """The file that the command line names, or that a program runs, and the line of the class if it is in there."""
    defined, line = file_of(type(exam.filter))
    program = program_of(exam.filter)
    words = [exam.target.partition("::")[0]] if exam.target else program.bridge.words if program else []
    named = next((Path(word) for word in words if Path(word).is_file()), defined)
    if named is None:
        return ".", 1
    path, same = named.resolve(), defined is not None and defined.resolve() == named.resolve()
    return beside(path), line if same else 1


def _uri(file: str) -> str:
    path = PurePosixPath(file)
    return path.as_uri() if path.is_absolute() else quote(file)


def sarif(results: Sequence[Result], version: str) -> dict[str, Any]:
    """The report as JSON-able data; version is that of Filterproof."""
    rules = [{"id": rule, "shortDescription": {"text": words}} for rule, words in RULES.items()]
    driver = {"name": "Filterproof", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_data(one) for one in results]}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _plain(words: str) -> str:
    """The words as a message that is neither a link, "](" being one, nor filled in at "{0}" (SARIF 3.11.5)."""
    return words.replace("](", "] (").replace("{", "{{").replace("}", "}}")


def _data(result: Result) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _uri(result.file)}, "region": {"startLine": result.line}}
    return {
        "ruleId": result.rule,
        "ruleIndex": list(RULES).index(result.rule),
        "level": "error",
        "message": {"text": _plain(result.message)},
        "locations": [{"physicalLocation": place}],
    }
