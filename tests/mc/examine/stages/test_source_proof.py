"""The stage of source proofs, as `fp.verify` shows it: what holds, what is refuted, and what is said of the rest."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import filterproof as fp
from filterproof.mc.examine.counterexample import sequence_counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination import Examination
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stage_finding import StageFinding
from filterproof.mc.prove.source_proof import prove
from filterproof.reports.user_filter import load_filter
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS

pytest.importorskip("z3", reason="proofs need the extra [prove]")

SUM = """\
import numpy as np
import filterproof as fp


class Mine(fp.PrivacyFilter):
    promise = {promise}
    budget = {budget}

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return {admits}

    def spend(self, spent, request):
        return {spend}
"""


def written(folder: Path, text: str) -> fp.PrivacyFilter:
    """The filter `Mine` of a file with this text."""
    (folder / "mine.py").write_text(text)
    return load_filter(f"{folder / 'mine.py'}::Mine")


def sum_filter(
    folder: Path, *, promise="fp.ZCDP(0.5)", budget="0.5", cost="request.zcdp_rho", admits="", spend=""
) -> fp.PrivacyFilter:
    """A filter that adds up a cost; `admits` and `spend` are in terms of COST."""
    rules = {"admits": admits or "spent + COST <= self.budget", "spend": spend or "spent + COST"}
    rules = {name: rule.replace("COST", cost) for name, rule in rules.items()}
    return written(folder, SUM.format(promise=promise, budget=budget, **rules))


def examined(filt: fp.PrivacyFilter, *, effort: float = 1.0, **more: object):
    """What the stage finds."""
    exam = fp.verify(filt, effort=effort, mechanisms=["gaussian", "rr"], stages=["source"], **more)
    return exam, next(finding for finding in exam.findings if finding.stage == "source")


@pytest.mark.parametrize(
    ("rule", "evidence", "theorems"),
    [
        ({}, "EXACT", ("kept_zcdp",)),
        # that mu-GDP is (mu^2/2)-zCDP is the kernel's for finitely many outcomes alone
        ({"cost": "request.gdp_mu ** 2 / 2"}, "EXACT", ("kept_zcdp", "gdp_is_zcdp")),
        pytest.param(
            *({"promise": "fp.ApproxDP(1.0, 1e-6)", "budget": "fp.CKS.budget(1.0, 1e-6)"}, "CERTIFIED"),
            ("kept_approximate_dp",),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_sum_within_its_budget_holds_in_the_scope_of_all_theorems_that_are_used(
    tmp_path: Path, rule: dict, evidence: str, theorems: tuple[str, ...]
) -> None:
    exam, finding = examined(sum_filter(tmp_path, **rule))
    assert exam.headline == "HOLDS", finding.result
    assert exam.verdict.evidence.name == evidence
    assert f"({', '.join(theorems)}: KERNEL)" in exam.verdict.detail
    scopes = [KERNEL_THEOREMS[theorem].covers for theorem in theorems]
    assert scopes[-1] in exam.verdict.scope
    assert len(scopes) == 1 or scopes[0] not in exam.verdict.scope


@pytest.mark.slow
def test_the_attributes_of_the_instance_are_what_is_proved(tmp_path: Path) -> None:
    text = SUM.format(
        promise="fp.ZCDP(0.5)", budget="0.5", admits="spent + request.zcdp_rho <= self.budget",
        spend="spent + request.zcdp_rho",
    )  # fmt: skip
    text += "\n    def __init__(self, rho):\n        self.promise, self.budget = fp.ZCDP(rho), rho\n"
    text += "\n\nsmall = Mine(0.3)\n"
    (tmp_path / "mine.py").write_text(text)
    filt = load_filter(f"{tmp_path / 'mine.py'}::small")
    assert examined(filt)[0].verdict.detail.startswith("sum of rho <= 0.3 on every path")
    filt.budget = 0.4
    assert examined(filt)[0].headline == "UNDECIDED"


def test_a_play_that_passes_the_budget_is_measured_at_once(tmp_path: Path) -> None:
    exam, _ = examined(sum_filter(tmp_path, cost="request.zcdp_rho / 2"))
    assert exam.headline == "REFUTED"
    assert [finding.stage for finding in exam.findings if finding.counterexample is not None] == [
        "source",
        "shrinking",
    ]
    assert exam.counterexample.replay().refutes


def test_the_work_is_bounded_by_the_effort(tmp_path: Path) -> None:
    filt = sum_filter(tmp_path)
    exam, finding = examined(filt, effort=0.01)
    assert exam.headline == "UNDECIDED"
    assert finding.result.startswith("not tried: pass more effort")


def test_a_class_that_is_in_no_file_and_the_library_are_not_proved() -> None:
    names: dict = {"__name__": "nowhere"}
    rules = {"admits": "spent + request.zcdp_rho <= 0.5", "spend": "spent"}
    exec(SUM.format(promise="fp.ZCDP(0.5)", budget="0.5", **rules), names)  # noqa: S102
    exam, finding = examined(names["Mine"]())
    assert exam.headline == "UNDECIDED"
    assert finding.result.startswith("not proved: Mine is not in a file")
    library = fp.verify(fp.ZCDPFilter(0.5), effort=0.001, mechanisms=["gaussian"])
    assert not [each for each in library.findings if each.stage == "source"]


def test_without_the_solver_the_stage_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)  # for the forked process of the stage, too
    exam, finding = examined(sum_filter(tmp_path))
    assert exam.headline == "UNDECIDED"
    assert finding.result.startswith("not tried: proofs need z3: pip install 'filterproof[prove]'")


def exam_with(proved: StageFinding, played: RequestSequence) -> Examination:
    """An examination in which a sequence exceeds the guarantee beside the finding of a proof."""
    filt, measure = fp.ZCDPFilter(0.5), Divergence.renyi(2.0)
    counterexample = sequence_counterexample(filt, played, measure, played.lower_bound(measure))
    refuted = StageFinding.from_counterexample("sequences", "", "", "one sequence", counterexample)
    granted = StageFinding("admission", "", "gaussian up to 1", "", "")
    return Examination(filt, ("gaussian",), (granted, proved, refuted), 1, 1e-6, filt.promise)


def test_a_counterexample_within_the_bound_on_rounding_contradicts_no_proof(tmp_path: Path) -> None:
    # 2 rho = 1 is promised at order 2, and 2^22 requests of which each is lost in rounding reach 1 + 2^-32
    tiny = (fp.Gaussian(2.0**-27), 2**22)
    _, finding = examined(sum_filter(tmp_path))
    exam = exam_with(finding, RequestSequence(((fp.Gaussian(1.0), 1), tiny)))
    assert exam.counterexample.value > 1
    assert exam.headline == "HOLDS"
    assert "Rounding alone exceeds the guarantee" in exam.verdict.detail
    assert exam.counterexample is not None
    # as much, in a single request
    single = RequestSequence(((fp.Gaussian(1.0), 1), (fp.Gaussian(2.0**-16), 1)))
    assert exam_with(finding, single).headline == "DISAGREEMENT"
    # and a proof that allows no rounding contradicts each
    exact = replace(finding, rounding=())
    assert exam_with(exact, RequestSequence(((fp.Gaussian(1.0), 1), tiny))).headline == "DISAGREEMENT"


def accountant_verdict(filt: fp.PrivacyFilter) -> tuple[object, str]:
    """The outcome for an individual filter, and what the stage says."""
    exam = fp.verify(fp.IndividualFilter(filt, people=2), effort=0.1, stages=["certificate", "source"])
    return exam.verdict.outcome.name, next(each.result for each in exam.findings if each.stage == "source")


@pytest.mark.slow  # the theorem on individual filters is checked step by step
def test_an_accountant_holds_if_the_source_code_of_its_filter_is_proved(tmp_path: Path) -> None:
    outcome, result = accountant_verdict(sum_filter(tmp_path))
    assert outcome == "HOLDS"
    assert result.startswith(
        "sum of rho <= 0.5 on every path, so 0.5-zCDP (kept_zcdp: KERNEL); theorem 'individual"
    )


def test_an_accountant_whose_filter_asks_any_or_all_over_people_is_not_proved(tmp_path: Path) -> None:
    mixed = "(spent + COST <= self.budget) & np.all(spent + COST <= self.budget)"
    outcome, result = accountant_verdict(sum_filter(tmp_path, admits=mixed))
    assert outcome == "UNDECIDED"
    assert result.endswith("any or all over all people, so that one person's data may decide on others")


@pytest.mark.parametrize("name", ["affordable", "remaining", "spent", "is_reachable_state"])
def test_methods_that_accountants_call_and_the_trace_does_not_are_refused(tmp_path: Path, name: str) -> None:
    rule = {"admits": "spent + request.zcdp_rho <= 0.5", "spend": "spent + request.zcdp_rho"}
    method = f"\n    def {name}(self, state, family=None):\n        return state\n"
    filt = written(tmp_path, SUM.format(promise="fp.ZCDP(0.5)", budget="0.5", **rule) + method)
    assert prove(filt).reason == f"Mine.{name} is called by accountants, which the trace does not see"
