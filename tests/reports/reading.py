"""A page as its reader meets it: as XML, its words, its size, and that it brings all that it shows."""

import html
import re
from pathlib import Path
from xml.etree import ElementTree

#: The words of a page, of the front page, and of the whole report, at most; bytes of a page with its picture, and all.
WORDS, FRONT, ALL_WORDS, PAGE_BYTES, ALL_BYTES = 600, 1000, 15_000, 300_000, 3_000_000
#: The tags of HTML that are never closed.
VOID = re.compile(r"<((?:meta|img|source|br|link)\b[^>]*?)/?>")


def parsed(text: str) -> ElementTree.Element:
    """The page as XML, which fails on an end tag that nothing opened."""
    closed = VOID.sub(r"<\1/>", text.removeprefix("<!doctype html>"))
    return ElementTree.fromstring(re.sub(r"(<details[^>]*) open>", r'\1 open="">', closed))


def words(text: str) -> str:
    """The text of a page, white space joined."""
    return " ".join("".join(parsed(text).itertext()).split())


def check_nothing_is_fetched(page: ElementTree.Element, folder: Path) -> None:
    """Raise AssertionError for code, for a file that is not in the folder, and for a picture without words."""
    for element in page.iter():
        assert element.tag not in ("script", "link", "iframe")
        assert not [name for name in element.attrib if name.startswith("on")]
        for name in ("src", "srcset", "href"):
            link = element.get(name, "data:").partition("#")[0]
            assert link.startswith("data:") or (folder / link).is_file(), link
    assert all(image.get("alt") for image in page.iter("img"))


def number_of_words(page: str) -> int:
    """The words that a reader sees; a formula counts as one."""
    text = re.sub(r"<style>.*?</style>|<title>.*?</title>", "", page, flags=re.DOTALL)
    text = re.sub(r"<math.*?</math>", " formula ", text, flags=re.DOTALL)
    return len(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def check_size(out: Path) -> None:
    """Raise AssertionError if a page, or all of the report, has more words or bytes than a reader bears."""
    pages = {path.name: path.read_text("utf-8") for path in out.glob("*.html")}
    counts = {name: number_of_words(text) for name, text in pages.items()}
    assert sum(counts.values()) <= ALL_WORDS, counts
    assert counts["index.html"] <= FRONT
    for name in pages:
        if name.startswith(("filter-", "accountant-")):
            assert counts[name] <= WORDS, name
            drawn = re.findall(r'src="([^"]+\.svg)"', pages[name])
            size = sum((out / file).stat().st_size for file in (name, *drawn))
            assert size <= PAGE_BYTES, (name, size)
    assert sum(path.stat().st_size for path in out.iterdir()) <= ALL_BYTES
