"""The chapter on benchmarks: it shows what was recorded, says where, and claims nothing."""

from __future__ import annotations

from typing import Any

import pytest

from reports.chapters.bench import BENCH, recorded_bench
from reports.study import Study

HEAD = {"date": "2026-11-21", "python": "3.12.1", "numpy": "2.4.0", "cores": 1}
PEER = {
    "work": "randomised response, e=0.1",
    "rounds": 48,
    "epsilon": 2.0,
    "reference": 0.0008,
    "by": "somebody 1.0",
}
PEER |= {
    "route": "binomial sum",
    "value": 0.00082,
    "low": None,
    "high": 0.00079,
    "error": 0.025,
    "encloses": False,
}
PEER |= {"seconds": 0.012, "times": 3.0, "absent": ""}
EMPTY: dict[str, Any] = dict.fromkeys(("value", "low", "high", "error", "encloses", "seconds", "times"))


def test_a_peer_s_row_says_its_error_its_time_and_whether_its_bounds_hold() -> None:
    (table,) = recorded_bench(HEAD | {"peers": [PEER, PEER | EMPTY | {"absent": "not installed"}]})
    here, absent = table.rows
    assert here[:4] == ("48 x randomised response, e=0.1 (binomial sum)", "somebody 1.0", "2", "0.0008")
    assert here[4:] == ("0.00082", "+2.5e-02", "no", "12", "3")
    assert absent[1] == "somebody 1.0: not installed"
    assert set(absent[4:]) == {""}
    assert "on one machine of 1 core on 2026-11-21, with Python 3.12.1 and NumPy 2.4.0" in table.caption
    assert "ratio is the median of pairs" in table.caption
    assert not table.reproducible


def test_the_other_tables_show_ratios() -> None:
    rate = {"ratio": 1.25, "ns": 9.0, "rounds": 99.6}
    record = HEAD | {
        "rates": [{"game": "a", "numpy": rate, "compiled": rate | {"ratio": 0.5}}],
        "starts": [{"game": "b", "n": 1000, "ratio": 50.0, "ms": 12.0}],
        "estimators": [{"game": "c", "delta": 1e-6, "gains": {"tilted": 1234.5}}],
    }
    rates, starts, estimators = recorded_bench(record)
    assert rates.rows == (("a", "100", "1.25", "0.50"),)
    assert starts.rows == (("b", "1,000", "50.0", "12.0"),)
    assert estimators.rows == (("c", "1e-06", "1.23e+03", ""),)


def test_nothing_is_shown_where_nothing_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert recorded_bench({}) == ()
    monkeypatch.setattr("reports.chapters.bench.record", lambda name: {})
    told = BENCH.tell(Study(quick=True), BENCH.claims)
    assert told.notes == ("No benchmarks were recorded.",)
    assert told.tables == ()


def test_the_recorded_benchmarks_are_shown_and_every_bound_of_ours_holds() -> None:
    told = BENCH.tell(Study(quick=True), BENCH.claims)
    assert told.findings == ()
    peers = told.tables[0]
    ours = [row for row in peers.rows if row[1].startswith("Filterproof")]
    assert ours
    assert {row[6] for row in ours} <= {"yes", ""}
