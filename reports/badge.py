"""A badge: what an examination said, as the JSON that badge services draw.

>>> import filterproof as fp
>>> with fp.knowingly():
...     exam = fp.verify(fp.NaiveRealisationFilter(1.0, 0.01), seconds=5, mechanisms=["erasure"], first_only=True)
>>> badge_data(exam)["message"], badge_data(exam)["color"]
('refuted', 'red')
"""

from __future__ import annotations

from typing import Any

from reports.examination_words import Ending, ExaminationWords

__all__ = ["badge_data"]


def badge_data(exam: ExaminationWords) -> dict[str, Any]:
    """The verdict on a promise, by the schema of endpoint badges: what was not refuted is no more than that."""
    words = {
        Ending.HOLDS: f"holds, {exam.verdict.evidence.name.lower()}",
        Ending.UNDECIDED: f"not refuted in {exam.seconds:.0f} s",
    }
    return {
        "schemaVersion": 1,
        "label": f"{exam.name}, {exam.promised}",
        "message": words.get(exam.ending, exam.headline.lower()),
        "color": exam.ending.colour,
    }
