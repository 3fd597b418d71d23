"""The telling of chapters: one after the other in this process, or beside each other on the study's executor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor

from filterproof.reports.chapter import Chapter
from filterproof.reports.drawing import svg_text
from filterproof.reports.finding import Told
from filterproof.reports.study import Study


def tell(
    chapters: Sequence[Chapter], study: Study, *, on_chapter: Callable[[Chapter], None] = lambda _: None
) -> list[tuple[Chapter, Told]]:
    """What the chapters tell, in their order, which is the same wherever they are told.

    On an executor chapters are told beside each other, except those that gather.
    """
    under_way = {}
    if study.executor is not None:
        for one in chapters:
            if not one.gathers:
                under_way[one.key] = study.executor.submit(_told, one, study.apart())
    told = []
    for chapter in chapters:
        on_chapter(chapter)
        if chapter.key not in under_way:
            told.append((chapter, chapter.tell(study, chapter.claims)))
            continue
        study.on_progress(f"chapter: {chapter.title}")
        try:
            what, apart = under_way[chapter.key].result()
        except BrokenExecutor:  # its worker died
            what, apart = _told(chapter, study.apart())
        study.add(apart)
        told.append((chapter, what))
    return told


def _told(chapter: Chapter, study: Study) -> tuple[Told, Study]:
    what = chapter.tell(study, chapter.claims)
    study.drawn = {picture.name: svg_text(picture.figure) for picture in what.pictures}
    return what, study
