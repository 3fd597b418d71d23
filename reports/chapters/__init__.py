"""The chapters of the report, in reading order; `common` holds what several share, `reports.finding` their parts."""

from importlib import import_module

from reports.chapter import Chapter
from reports.words import declared

__all__ = ["CHAPTERS"]


def _chapter(key: str, module: str) -> Chapter:
    """The chapter of that key in its file, which is named alike but for dashes."""
    made = vars(import_module(f"reports.chapters.{module}"))
    return next(one for one in made.values() if isinstance(one, Chapter) and one.key == key)


CHAPTERS: tuple[Chapter, ...] = tuple(
    _chapter(key, row.get("module", key.replace("-", "_")))
    for key, row in declared("chapters", "chapter").items()
)
