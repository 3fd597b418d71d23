"""The pages as they are built: without a warning, every link resolves, nothing comes from a network or this machine."""

import re
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

import filterproof as fp
from filterproof.reports.docs.reference import public_names
from tests.interpreter import ROOT, python
from tests.printed_examples import PAGES

pytestmark = pytest.mark.slow  # the theorems run while the pages are built

SOURCES = ROOT / "reports" / "docs"
_TAG, _ATTRIBUTE = re.compile(r"<(\w+)((?:\s[^<>]*)?)>"), re.compile(r"""([\w-]+)="([^"]*)\"""")
#: What a browser loads by itself, and where the address stands.
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page:
    """The links, the anchors and the loaded files of a page."""

    def __init__(self, text: str) -> None:
        tags = [(name, dict(_ATTRIBUTE.findall(given))) for name, given in _TAG.findall(text)]
        self.links = [unescape(given["href"]) for name, given in tags if name == "a" and "href" in given]
        self.loaded = [given[LOADED[name]] for name, given in tags if LOADED.get(name) in given]
        self.anchors = {unescape(given["id"]) for _, given in tags if "id" in given}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs")
    places = ("-d", str(out.with_name("doctrees")), "-c", str(SOURCES), str(SOURCES / "pages"), str(out))
    asked = ("-m", "sphinx", "-E", "-a", "-W", "--keep-going", "-q", "-b", "html")
    result = python(*asked, *places, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return out


def _pages(built: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text("utf-8")) for path in sorted(built.rglob("*.html"))}


def test_every_source_is_a_page_and_every_public_name_has_an_anchor(built: Path) -> None:
    pages = _pages(built)
    for source in PAGES:
        assert built / source.relative_to(SOURCES / "pages").with_suffix(".html") in pages
    anchors = [
        anchor for path, page in pages.items() if path.parent.name == "reference" for anchor in page.anchors
    ]
    assert {f"filterproof.{name}" for name in public_names()} <= set(anchors)


def test_every_link_inside_the_pages_leads_somewhere(built: Path) -> None:
    pages = _pages(built)
    followed = 0
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = unquote(link).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target in pages, f"{path.name}: {link}"
            assert not anchor or anchor in pages[target].anchors, f"{path.name}: {link}"
            followed += 1
    assert followed > 1000


def test_nothing_is_loaded_from_a_network(built: Path) -> None:
    for path, page in _pages(built).items():
        assert [address for address in page.loaded if re.match(r"[a-z]+:|//", address)] == [], path.name
    for style in built.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:|//)", style.read_text("utf-8")) == [], (
            style.name
        )


def test_formulas_are_mathml(built: Path) -> None:
    formulas = sum(len(step.latex) > 0 for theorem in fp.THEOREMS.values() for step in theorem.steps)
    text = (built / "theorems.html").read_text("utf-8")
    assert text.count("<math ") >= formulas
    assert "$$" not in text


def _texts(built: Path) -> Iterator[tuple[str, str]]:
    yield from ((source.name, source.read_text("utf-8")) for source in PAGES)
    for kind in ("*.html", "*.js"):
        yield from ((path.name, path.read_text("utf-8")) for path in built.rglob(kind))


def test_no_page_has_a_path_of_the_machine_that_built_it(built: Path) -> None:
    own = [str(ROOT), str(Path.home()), str(built), sys.prefix]
    outside = re.compile("|".join(rf"(?<![\w.]){re.escape(path)}(?![\w-])" for path in own if len(path) > 1))
    address = re.compile(r" at 0x[0-9a-f]{6,}")
    for name, text in _texts(built):
        assert outside.search(text) is None, name
        assert address.search(text) is None, name
