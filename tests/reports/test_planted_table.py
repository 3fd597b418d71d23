"""The table of planted faults says what the record says, room by room."""

from __future__ import annotations

import json
from importlib import resources

from reports.chapters.power import recorded_faults


def test_the_rooms_add_up_to_the_score() -> None:
    record = json.loads(resources.files("reports").joinpath("recorded", "planted.json").read_text("utf-8"))
    score, *missed = recorded_faults()
    red, of = (sum(int(row[-1].split(" of ")[place]) for row in score.rows) for place in (0, 1))
    assert (red, of) == (record["red"], record["faults"])
    assert sum(int(row[1]) for row in score.rows) <= record["files"]
    assert sum(len(table.rows) for table in missed) == record["faults"] - record["red"]
    assert f"{record['red']} of {record['faults']} in {record['files']} files refused" in score.caption
