"""The chapters of the report, in reading order; `common` holds what several share, `filterproof.reports.finding` their
parts."""

from importlib import import_module

from filterproof.reports.chapter import Chapter
from filterproof.reports.words import declared

__all__ = ["CHAPTERS", "chapter"]


def chapter(key: str) -> Chapter:
    """The chapter of that key, whose file is named alike but for dashes, or as its row says."""
    file = declared("chapters", "chapter")[key].get("module", key.replace("-", "_"))
    return Chapter.declared(key, import_module(f"filterproof.reports.chapters.{file}"))


CHAPTERS: tuple[Chapter, ...] = tuple(map(chapter, declared("chapters", "chapter")))
