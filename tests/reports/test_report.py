"""Of every chapter, claim and page of the report: words, evidence and numbers, well-formed, and nothing unescaped."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from filterproof.reports.chapters import CHAPTERS
from filterproof.reports.drawing import new_figure
from filterproof.reports.finding import Claim, Finding, Picture, Table, Told
from filterproof.reports.pages.filter_page import filter_page
from filterproof.reports.pages.overview import Row
from filterproof.reports.report import render_page, verdicts_document
from filterproof.reports.study import Study
from filterproof.theory.agreement import Accord, Agreement, TwoRoutes
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from tests.reports.pages.test_overview import BROKEN, rows
from tests.reports.test_examined import parsed

EVIL = '<img src=x onerror="alert(1)">&amp; {curly} $math$'
CLAIMS = [claim for chapter in CHAPTERS for claim in chapter.claims]


def finding(claim: Claim) -> Finding:
    """A claim that came out as expected, with what a stranger wrote in its words."""
    if isinstance(claim.expected, Accord):
        return Finding(claim, Agreement((TwoRoutes(EVIL, 0.1, 0.3, 0.2, 0.2),), EVIL, 1e-6, EVIL))
    if claim.expected is Outcome.REFUTED:
        return Finding(claim, Verdict(claim.expected, Evidence.EXACT, EVIL, EVIL, {"what": EVIL}))
    return Finding(claim, Verdict(claim.expected, Evidence.CERTIFIED, EVIL, EVIL))


def picture(name: str) -> Picture:
    with new_figure() as figure:
        return Picture(name, EVIL, EVIL, figure)


@pytest.fixture(scope="module")
def told() -> list[tuple[object, Told]]:
    table = Table(EVIL, ("head", EVIL), ((EVIL, "1"),), "lr")
    return [
        (one, Told(tuple(map(finding, one.claims)), (table,), (picture("drawn"),), (EVIL,)))
        for one in CHAPTERS
    ]


@pytest.fixture(scope="module")
def page(told: list[tuple[object, Told]]) -> ElementTree.Element:
    shown: tuple[Row, ...] = (
        rows(BROKEN, 1.4)[0],
        rows(Verdict(Outcome.HOLDS, Evidence.EXACT, EVIL, EVIL), 0.5)[1],
    )
    pages = [filter_page(row) for row in shown]
    names = {"drawn", "wide", "narrow", *(one.name for page in pages for one in page.pictures)}
    text = render_page(
        told,  # type: ignore[arg-type]
        Study(),
        shown,
        pages,
        (),
        overview=(picture("wide"), picture("narrow")),
        drawings=dict.fromkeys(names, "<svg/>"),
        out=Path("out"),
    )
    return parsed(text)


def test_every_claim_is_a_sentence_with_a_source_and_a_key_of_its_own() -> None:
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert re.fullmatch(r"[a-z0-9-]+", claim.key)
        assert claim.sentence.endswith(".") or claim.key.startswith("theorem-"), claim.key
        assert claim.source
        assert not re.search(r"\{\w+[:}]|  ", claim.sentence + claim.source), claim.key
    for chapter in CHAPTERS:
        words = (chapter.title, chapter.promise, chapter.summary, *chapter.notes)
        assert all(words)
        assert not re.search(r"\{\w+[:}]|\s\s", " | ".join(words)), chapter.key


def test_the_page_has_each_claim_with_its_outcome_its_evidence_and_what_it_covers(
    page: ElementTree.Element, told: list[tuple[object, Told]]
) -> None:
    (table,) = (one for one in page.iter("table") if "claims" in one.get("class", ""))
    lines = list(table.find("tbody") or ())
    findings = [one for _, what in told for one in what.findings]
    for line, one in zip(lines, findings, strict=True):
        claim, result, evidence, covers = ("".join(cell.itertext()) for cell in line)
        assert claim.startswith(one.claim.sentence)
        assert one.claim.source in claim
        assert one.claim.expected.name in result
        assert evidence == one.evidence
        assert covers == EVIL
    ids = [one.get("id") for one in page.iter() if one.get("id")]
    assert len(ids) == len(set(ids))
    links = {one.get("href", "")[1:] for one in page.iter("a") if one.get("href", "").startswith("#")}
    assert links <= set(ids)


def test_nothing_that_others_wrote_is_markup_and_nothing_is_fetched(page: ElementTree.Element) -> None:
    said = "".join(page.itertext())
    assert said.count(EVIL) > 2 * len(CLAIMS)
    for one in page.iter():
        assert one.tag not in ("script", "link", "iframe")
        assert not [name for name in one.attrib if name.startswith("on")]
        assert all(one.get(name, "data:").startswith("data:") for name in ("src", "srcset"))
    assert all(image.get("alt") for image in page.iter("img"))


def test_the_data_has_every_claim_by_its_key(told: list[tuple[object, Told]]) -> None:
    data = json.loads(json.dumps(verdicts_document(told, Study())))  # type: ignore[arg-type]
    assert data == verdicts_document(told, Study())  # type: ignore[arg-type]
    both = [*data["verdicts"], *data["agreements"]]
    assert sorted(one["key"] for one in both) == sorted(claim.key for claim in CLAIMS)
    assert all(one["as_expected"] and one["scope"] == EVIL for one in both)
