"""The pages as they are built: without a warning, with nothing from a network or of this machine.

Sphinx and MyST warn of a page, a heading or a label that a link names and that is not there.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import filterproof as fp
from tests.interpreter import ROOT, python
from tests.printed_examples import PAGES

pytestmark = pytest.mark.slow  # the theorems run while the pages are built

SOURCES = ROOT / "reports" / "docs"
#: What a browser loads by itself.
LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc="([^"]*)"|<link[^>]*\shref="([^"]*)\"""")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs")
    places = ("-d", str(out.with_name("doctrees")), "-c", str(SOURCES), str(SOURCES / "pages"), str(out))
    command = ("-m", "sphinx", "-E", "-a", "-W", "--keep-going", "-q", "-b", "html")
    result = python(*command, *places, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return out


def test_every_source_is_a_page_and_nothing_is_loaded_from_a_network(built: Path) -> None:
    pages = {path.relative_to(built): path.read_text("utf-8") for path in built.rglob("*.html")}
    assert {source.relative_to(SOURCES / "pages").with_suffix(".html") for source in PAGES} <= {*pages}
    for name, text in pages.items():
        loaded = ["".join(files) for files in LOADED.findall(text)]
        assert loaded, name
        assert [address for address in loaded if re.match(r"[a-z]+:|//", address)] == [], name
    for style in built.rglob("*.css"):
        outside = re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:|//)", style.read_text("utf-8"))
        assert outside == [], style.name


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
