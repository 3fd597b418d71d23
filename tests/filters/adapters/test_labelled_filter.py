"""Budgets that are kept by labels promise one record what is released about it, wherever requests are made."""

import sys
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.adapters.commands import request_text
from filterproof.mc.examine.verification import verify
from filterproof.reports.target_expression import read_program
from filterproof.theory.evidence import Evidence, Outcome

ASK = fp.RandomizedResponse.from_ratio(2)


class PerSite:
    """Two requests a site; in all as many as a limit says, which is looked at where `checked`."""

    def __init__(self, most: int = 3, *, checked: bool = True) -> None:
        self.asked, self.most, self.checked = Counter[str](), most, checked

    def deduct(self, site: str) -> bool:
        if self.asked[site] == 2 or (self.checked and self.asked.total() == self.most):
            return False
        self.asked[site] += 1
        return True


class LastSite(PerSite):
    """Remembers the site that asked last, and forgets what every other has asked."""

    def deduct(self, site: str) -> bool:
        self.asked = Counter({site: self.asked[site]})
        return super().deduct(site)


class Epochs:
    """Of all epochs that a request names each pays, or the first alone."""

    def __init__(self, *, every: bool) -> None:
        self.left, self.every = {1: 1, 2: 1}, every

    def deduct(self, epoch: tuple[int, ...]) -> bool:
        paying = epoch if self.every else epoch[:1]
        if any(not self.left[epoch_number] for epoch_number in paying):
            return False
        for epoch_number in paying:
            self.left[epoch_number] -= 1
        return True


def spend_filter(make: Any, promise: float) -> fp.PrivacyFilter:
    def spend(budget: Any, ask: fp.DominatingPair) -> bool:
        return bool(ask.pure_epsilon <= ASK.epsilon) and budget.deduct(**ask.labels)

    return fp.from_budget(make, spend, fp.PureDP(promise))


def at_sites(make: Any, promise: float, **over: Any) -> Any:
    return fp.LabelledFilter(spend_filter(make, promise), labels={"site": ("a", "b")}, over=over)


def reached(filt: Any, menu: list[Any], rounds: int = 4) -> Fraction:
    """The worst case at e^epsilon = 2, by the exact game over the filter's own code."""
    solved = fp.worst_case(filt, menu, epsilon=fp.LogRatio(Fraction(2)), rounds=rounds)
    assert solved.evidence is Evidence.EXACT
    assert solved.value is not None
    return solved.value


def responses(count: int) -> Fraction:
    """H at e^epsilon = 2 of so many responses of ratio 2, by the sum over how often they tell the truth."""
    ratios = {k: Fraction(2) ** (2 * k - count) for k in range(count + 1)}
    mass = {k: comb(count, k) * Fraction(2) ** k / Fraction(3) ** count for k in ratios}
    return sum((mass[k] * (1 - 2 / ratio) for k, ratio in ratios.items() if ratio > 2), Fraction(0))


@pytest.mark.parametrize(
    ("make", "over", "answers"),
    [
        (PerSite, {"site": "a"}, 2),  # what is asked elsewhere is about others
        (PerSite, {}, 3),  # all sites together, up to the limit
        (lambda: PerSite(checked=False), {"site": "a"}, 2),
        (lambda: PerSite(checked=False), {}, 4),
        (LastSite, {"site": "a"}, 4),  # asking elsewhere, which tells nothing, gives a budget back
    ],
)
def test_a_record_loses_what_requests_that_read_it_reveal(
    make: Any, over: dict[str, str], answers: int
) -> None:
    filt = at_sites(make, 1.0, **over)
    assert filt.scope.startswith("a record at " + ("site=a whose" if over else "all labels whose"))
    menu = [filt.at(ASK, site="a"), filt.at(ASK, site="b")]
    # a budget given back is given back again: five rounds hold four grants
    assert reached(filt, menu, rounds=5 if make is LastSite else 6) == responses(answers)


class LeavesOut(Epochs):
    """Answers on the epochs that can pay; where it leaves one out, nobody pays, or who is in the report."""

    def __init__(self, rule: Any, *, free: bool) -> None:
        super().__init__(every=True)
        self.rule, self.free = rule, free

    def deduct(self, epoch: tuple[int, ...]) -> bool:
        used = [epoch_number for epoch_number in epoch if self.left[epoch_number]]
        for epoch_number in used if not self.free or len(used) == len(epoch) else ():
            self.left[epoch_number] -= 1
        return bool(self.rule(epoch_number in used for epoch_number in epoch))


@pytest.mark.parametrize(
    ("rule", "free", "refuted"),
    [(any, False, False), (any, True, True), pytest.param(all, True, False, marks=pytest.mark.slow)],
)
def test_examination_says_that_it_takes_answers_as_whole(rule: Any, free: bool, refuted: bool) -> None:
    """Correct partial answers are not refuted; free ones are, if they count as granted. The result says so."""
    filt = fp.LabelledFilter(
        spend_filter(lambda: LeavesOut(rule, free=free), ASK.epsilon),
        labels={"epoch": (1, 2)},
        over={"epoch": 1},
        together="epoch",
    )
    exam = verify(filt, effort=0.1, mechanisms=("rr",), stages=("sequences", "games"))
    assert (exam.verdict.outcome is Outcome.REFUTED) is refuted
    assert "code that answers on some is a service, see fp.services.Release(epoch=...)" in str(exam)
    assert "answers on some" not in str(verify(at_sites(PerSite, 9.0), effort=0.01, stages=("sequences",)))


@pytest.mark.parametrize(("every", "answers"), [(True, 1), (False, 2)])
def test_each_epoch_that_a_request_names_has_to_pay(every: bool, answers: int) -> None:
    filt = fp.LabelledFilter(
        spend_filter(lambda: Epochs(every=every), 1.0),
        labels={"epoch": (1, 2)},
        over={"epoch": 2},
        together="epoch",
    )
    assert [filt.reads_record(where) for where in filt.label_combinations] == [True, False, True]
    assert reached(filt, [filt.at(ASK, epoch=way) for way in ((1,), (2,), (1, 2))]) == responses(answers)
    # what an examination takes for granted is named, with the way out
    text = str(verify(filt, effort=0.01, stages=("sequences",)))
    assert "code that answers on some is a service, see fp.services.Release(epoch=...)" in text
    assert "answers on some" not in str(verify(at_sites(PerSite, 9.0), effort=0.01, stages=("sequences",)))


def test_an_examination_asks_at_every_label_and_its_counterexample_says_where() -> None:
    unchecked = at_sites(lambda: PerSite(checked=False), 3 * float(np.log(2)))
    exam = verify(unchecked, effort=1, mechanisms=("rr",))
    assert exam.verdict.outcome is Outcome.REFUTED
    assert {str(step["request"]["where"]) for step in exam.counterexample.data["sequence"]} > {
        "[['site', 'b']]"
    }
    assert exam.counterexample.replay().refutes


def test_a_keeper_that_looks_at_losses_is_told_them() -> None:
    keeper = fp.ExPostFilter(2.0, 0.0)
    filt = fp.LabelledFilter(keeper, labels={"site": tuple("abc")}, over={"site": "a"})
    session, alone, small = filt.open("retry"), keeper.open("retry"), fp.RandomizedResponse(0.5)
    for site in "bcbac":
        assert session.request(filt.at(small, site=site)) == alone.request(small)
        with pytest.raises(RuntimeError, match="call observe"):
            session.request(filt.at(small, site="a"))
        session.observe(0.25 if site == "a" else 0.0)
        alone.observe(0.25 if site == "a" else 0.0)
    saved: Any = session.to_dict()
    assert saved["state"] == alone.to_dict()["state"]
    assert fp.Session.from_dict(saved, filt, "retry").to_dict() == saved
    saved["state"][0]["values"] = [(-1000.0).hex()]
    with pytest.raises(ValueError, match="state must be reachable by granted requests"):
        fp.Session.from_dict(saved, filt, "retry")


def test_what_a_counterexample_says_about_a_request_is_not_believed() -> None:
    filt = at_sites(PerSite, 1.0, site="a")
    state = filt.start(1)
    with pytest.raises(ValueError, match="request must agree with its labels, got Labelled"):
        filt.admits(state, fp.LabelledRequest(ASK, {"site": "b"}))
    with pytest.raises(ValueError, match="labels must be among site=a; site=b, got site=c; add"):
        filt.admits(state, fp.LabelledRequest(ASK, {"site": "c"}))


def test_a_program_is_told_the_labels(tmp_path: Path) -> None:
    bridge = Path(__file__).parent.parent.parent.parent / "reports" / "docs" / "bridges" / "bridge.py"
    filt: Any = read_program(f"{sys.executable} {bridge}", "pure(1)", "site=a,b epoch=1+2", "site=a")
    text = request_text(filt.at(fp.RandomizedResponse(0.5), epoch=("1", "2")))
    assert text.endswith('"labels":{"site":"a","epoch":["1","2"]}}')
    assert filt.command_line_options[4:] == ("--labels", "site=a,b epoch=1+2", "--over", "site=a")
    with pytest.raises(ValueError, match=r"the labels cannot be read \(labels=.site.\)"):
        read_program(f"{sys.executable} {bridge}", "pure(1)", "site")
    with pytest.raises(ValueError, match="--over needs --labels"):
        read_program(f"{sys.executable} {bridge}", "pure(1)", None, "site=a")
