"""The files of the report: what they say, their size, what they fetch, and that nothing that others wrote is markup."""

import csv
import json
import re
import shutil
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from filterproof.reports.chapters import CLAIMS
from filterproof.reports.report import (
    LibraryReport,
    changes_since,
    claim_rows,
    claims_page,
    make_report,
    verdicts_document,
)
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from tests.reports.made_up import BROKEN, EVIL, HOLDS, ZCDP, chapter, report_of
from tests.reports.reading import FRONT, check_nothing_is_fetched, check_size, parsed, words

CITED = Verdict(Outcome.HOLDS, Evidence.CITED, "every adversary", citations=("Doob, optional <stopping>",))


@pytest.fixture(scope="module")
def report() -> LibraryReport:
    return report_of(chapter(HOLDS), chapter(BROKEN, 1.5))


@pytest.fixture(scope="module")
def out(report: LibraryReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "claims.json").write_text("[]")
    report.write(folder, seconds=2.0)
    return folder


@pytest.fixture(scope="module")
def second(report: LibraryReport, out: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A later report in the same folder, whose only theorem is cited."""
    folder = tmp_path_factory.mktemp("second") / "out"
    shutil.copytree(out, folder)
    report_of(chapter(CITED)).write(folder, seconds=1.0)
    return folder


def test_every_claim_has_a_key_of_its_own_and_reads_before_any_outcome() -> None:
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert re.fullmatch(r"[a-z0-9-]+", claim.key)
        assert claim.source
        # a pill stands behind it: no sentence that a REFUTED would contradict
        assert not re.search(r"keeps? |\.$|[{}]", claim.sentence), claim.sentence


def test_the_pages_have_few_words_and_bytes(out: Path) -> None:
    check_size(out)
    page = (out / "index.html").read_text("utf-8")
    (out / "index.html").write_text(page.replace("</main>", f"{'word ' * FRONT}</main>"), "utf-8")
    with pytest.raises(AssertionError):
        check_size(out)
    (out / "index.html").write_text(page, "utf-8")


def test_nothing_that_others_wrote_is_markup_and_nothing_is_fetched(out: Path) -> None:
    text = ""
    for path in out.glob("*.html"):
        page = parsed(path.read_text("utf-8"))
        text += "".join(page.itertext())
        check_nothing_is_fetched(page, out)
    assert text.count(EVIL) >= 3
    for path in out.glob("*.svg"):
        ElementTree.fromstring(path.read_text("utf-8"))


def test_the_front_page_has_one_row_for_a_filter_and_names_seed_and_machine(out: Path) -> None:
    page = parsed((out / "index.html").read_text("utf-8"))
    text = words((out / "index.html").read_text("utf-8"))
    (table,) = (element for element in page.iter("table") if "filters" in element.get("class", ""))
    proved, broken = (" ".join("".join(row.itertext()).split()) for row in table.find("tbody") or ())
    assert (
        proved
        == "ZCDPFilter 0.5-zCDP HOLDS EXACT 1 1 50.3 % 49.5 % 43.7 % to 56.3 % 1,000 runs finite outcomes †"
    )
    shown = r"REFUTED CERTIFIED 1 1 148\.\d+ % 131.25 % to 168.75 % 1,000 runs none: its own code"
    assert re.search(shown, broken)
    assert "1 of 2 filters keep their guarantee" in text
    assert f"seed {Study().seed}, full effort" in text


def test_the_data_has_every_claim_and_comparison(report: LibraryReport, out: Path) -> None:
    data = json.loads((out / "verdicts.json").read_text("utf-8"))
    assert data == verdicts_document(report)
    assert [row["outcome"] for row in data["verdicts"]] == ["HOLDS", "REFUTED"]
    assert data["verdicts"][1]["counterexample"]["low"] == 0.2
    assert len(data["comparisons"]) == sum(len(row.all_comparisons) for row in report.filters)
    rows = list(csv.DictReader((out / "claims.csv").read_text("utf-8").splitlines()))
    assert (
        rows == json.loads((out / "claims.json").read_text("utf-8"))["claims"] == claim_rows(report.findings)
    )
    times = json.loads((out / "durations.json").read_text("utf-8"))
    assert times == {"seconds": 2.0, "processor_seconds": {"ZCDPFilter": 1.5}}


def test_second_report_says_what_changed_since_the_first(
    report: LibraryReport, out: Path, second: Path
) -> None:
    assert "There is no earlier report" in words((out / "claims.html").read_text("utf-8"))  # that can be read
    assert "examined-zcdpfilter: got was REFUTED, is HOLDS." in words((second / "claims.html").read_text())
    rows = claim_rows(report.findings[:1])
    before = {row["key"]: row for row in rows}
    assert "Nothing changed" in claims_page(report, before, rows)
    assert changes_since({"gone": {}}, rows) == ["examined-zcdpfilter: new.", "gone: no longer claimed."]


def test_theorem_that_was_only_cited_is_not_as_expected_and_is_shown(second: Path) -> None:
    assert [chapter(given).finding.as_expected for given in (CITED, HOLDS)] == [False, True]
    claims, page = (words((second / f"{name}.html").read_text()) for name in ("claims", "filter-zcdpfilter"))
    assert "HOLDS, citing" in claims
    assert "0 of 1 claims came out as expected" in claims
    assert "joined by a cited theorem: Doob, optional <stopping>" in page
    (verdict,) = json.loads((second / "verdicts.json").read_text("utf-8"))["verdicts"]
    assert verdict["citations"] == ["Doob, optional <stopping>"]


class Prepared(Executor):
    """Returns the same chapter for every job."""

    def submit(self, fn: object, /, *args: object, **kwargs: object) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(((chapter(HOLDS), None), 1.0))
        return future


def test_intervals_that_may_miss_more_often_than_the_study_allows_are_refused() -> None:
    failure = chapter(HOLDS).failure
    jobs: dict[str, Any] = {"subjects": (ZCDP,), "accountants": (), "others": {}, "executor": Prepared()}
    assert make_report(Study(failure=failure), **jobs).filters == (chapter(HOLDS),)
    with pytest.raises(RuntimeError, match=r"raise comparisons=\d+"):
        make_report(Study(failure=failure * (1 - 1e-8)), **jobs)
