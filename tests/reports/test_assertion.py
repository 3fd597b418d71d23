"""`assert_holds` in other people's tests: it fails where it must, and its message is enough to see it again."""

from __future__ import annotations

import re
import textwrap

import pytest

import filterproof as fp
import reports.assertion
from reports.assertion import failure
from tests.reports.examinations import EVERY, Mine


@pytest.mark.parametrize("name", EVERY)
def test_it_fails_unless_the_promise_holds_or_is_undecided(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exam = EVERY[name]()
    monkeypatch.setattr(reports.assertion, "verify", lambda filt, **how: exam)
    if name in ("holds", "undecided"):
        assert fp.assert_holds(Mine()) is exam
    else:
        with pytest.raises(AssertionError, match="Mine, promised 1-GDP: " + exam.headline):
            fp.assert_holds(Mine())


def test_the_message_of_a_faulty_filter_has_its_faults() -> None:
    assert "Mine.spend mutates its state; copy it" in failure(EVERY["faulty"]())


def test_the_message_is_python_that_replays_the_witness(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError) as caught:
        fp.assert_holds(Mine(), seconds=10, mechanisms=["gaussian"])
    told = str(caught.value)
    snippet = textwrap.dedent("\n".join(re.findall(r"^    .*$|^$", told, re.MULTILINE)))
    assert "filt=Mine()" in snippet
    exec(snippet, {})  # noqa: S102 - it is what we print
    assert capsys.readouterr().out
