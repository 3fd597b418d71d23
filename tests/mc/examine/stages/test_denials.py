"""Denying too much is a finding of its own and refutes nothing."""

import sys
from pathlib import Path
from typing import Any

import pytest

import filterproof as fp
from filterproof.mc.examine.verification import verify
from tests.mc.examine import services

NOTHING = "no request that fits was denied, and no denial charged"


class Purse:
    """Denies what does not fit, and changes nothing then."""

    left = 1.0

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True


class Small(Purse):
    left = 0.5


class Eager(Purse):
    """Deducts before it compares, and gives nothing back."""

    def spend(self, epsilon: float) -> bool:
        self.left -= epsilon
        return self.left >= 0


MENU = tuple(map(fp.RandomizedResponse, (0.25, 0.5, 0.75)))


def told(filt: Any, effort: float = 0.05, **how: Any) -> str:
    exam = verify(filt, effort=effort, stages=["denials"], **how)
    assert exam.counterexample is None
    assert exam.headline == "UNDECIDED"
    assert exam.not_tried == ""  # denials are no attacks
    (found,) = (one for one in exam.findings if one.stage == "denials")
    return "\n".join((found.result, *found.notes))


def spending(kind: type[Purse], menu: tuple[fp.RandomizedResponse, ...] | None) -> Any:
    return fp.from_budget(
        kind, lambda held, pair: held.spend(float(pair.pure_epsilon)), fp.PureDP(1.0), menu=menu
    )


@pytest.mark.parametrize("menu", [pytest.param(None, marks=pytest.mark.slow), MENU])
def test_a_budget_of_another_library_is_told_what_it_denies_too_much(menu: Any) -> None:
    assert told(spending(Purse, menu), mechanisms=["rr"] if menu is None else None) == NOTHING
    small = told(spending(Small, menu), mechanisms=["rr"] if menu is None else None)
    assert small == "denies RandomizedResponse(epsilon=0.5) after 1 use; 2 fit in 1-DP by basic composition"
    eager = told(spending(Eager, menu), mechanisms=["rr"] if menu is None else None)
    assert "a denial charges: after RandomizedResponse(" in eager
    assert "is granted without the denied request" in eager


@pytest.mark.slow
def test_a_sound_rule_of_a_user_denies_nothing_that_fits_by_every_theorem() -> None:
    class Mine(fp.AdditiveFilter):
        promise = fp.ApproxDP(1.0, 1e-5)
        charge = fp.zcdp_charge

    class Half(Mine):
        budget = fp.Budget.of(0.015)

    assert told(Mine(), effort=0.02, mechanisms=["gaussian", "rr"]) == NOTHING
    assert "fit in (1, 1e-05)-DP by basic composition and by the zCDP budget" in told(
        Half(), mechanisms=["rr"]
    )
    assert not any(one.stage == "denials" for one in verify(fp.ZCDPFilter(0.5), effort=1e-4).findings)


@pytest.mark.parametrize("shared", [False, True])
def test_a_limit_that_other_sites_use_up_is_told(shared: bool) -> None:
    class Sites:
        def __init__(self) -> None:
            self.of: dict[str, Purse] = {}

        def spend(self, epsilon: float, site: str) -> bool:
            return self.of.setdefault("all" if shared else site, Purse()).spend(epsilon)

    keeper = fp.from_budget(
        Sites, lambda held, ask: held.spend(float(ask.unlabelled.pure_epsilon), **ask.labels), fp.PureDP(1.0)
    )
    filt = fp.LabelledFilter(keeper, labels={"site": ("a", "b")}, over={"site": "a"})
    found = told(filt, mechanisms=["rr"])
    expected = "others exhaust the limit of the record: after 1 x RandomizedResponse(epsilon=1) at site=b"
    assert (expected in found) is shared


BRIDGE = """
import json, sys
left = {}
for line in sys.stdin:
    told, answers = json.loads(line), []
    for one in told["batch"]:
        answer = {"protocol": 1} if one["do"] == "version" else {}
        if one["do"] == "open":
            left[one["run"]] = 1.0
        if one["do"] == "ask":
            epsilon = one["request"]["epsilon"] or 9.0
            fits = epsilon <= left[one["run"]]
            if fits or EAGER:
                left[one["run"]] -= epsilon
            answer = {"granted": fits}
        answers.append(answer)
    print(json.dumps({"id": told["id"], "answers": answers}), flush=True)
"""


@pytest.mark.parametrize("eager", [False, True])
def test_a_program_that_charges_for_denials_is_told(eager: bool, tmp_path: Path) -> None:
    program = tmp_path / "bridge.py"
    program.write_text(BRIDGE.replace("EAGER", str(eager)))
    filt = fp.from_command([sys.executable, str(program)], fp.PureDP(1.0))
    found = told(filt, mechanisms=["rr"])
    filt.bridge.close()
    assert ("a denial charges" in found) is eager


class ChargedTwice(services.Purse):
    """A retry gets the old answer and is charged again."""

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        if key in self.disk or self.fits(pair):
            self.charge(pair)
            self.disk[key] = "answer"
            yield fp.services.Release(again=True)


@pytest.mark.parametrize("service", [pytest.param(services.Purse, marks=pytest.mark.slow), ChargedTwice])
def test_a_service_that_charges_for_a_retry_is_told(service: type) -> None:
    exam = fp.verify(fp.services.with_promise(service, fp.PureDP(1.0)), effort=0.02, mechanisms=["rr"])
    assert exam.counterexample is None
    (found,) = (one.result for one in exam.findings if one.stage == "denials")
    assert ("a retry is charged again" in found) is (service is ChargedTwice)


class Halves(Purse):
    """Grants twice a half, and never a smaller request after a larger one."""

    last = 0.0

    def spend(self, epsilon: float) -> bool:
        if epsilon < self.last or not super().spend(epsilon):
            return False
        self.last = epsilon
        return True


class Careful(Purse):
    """Charges the largest loss that it was told, and so denies what fits by the declared parameters."""

    def told(self, epsilon: float, loss: float) -> None:
        self.left -= epsilon if loss > 0 else 0.0


def test_a_denial_after_requests_of_other_sizes_or_after_losses_is_told() -> None:
    assert told(spending(Halves, MENU)) == (
        "denies RandomizedResponse(epsilon=0.25) after RandomizedResponse(epsilon=0.75); "
        "it fits in 1-DP by basic composition"
    )
    for told_of, says in (
        (
            Careful.told,
            "denies RandomizedResponse(epsilon=0.25) after 2 uses with losses of 0.25 nats; 4 fit in 1-DP by basic "
            "composition",
        ),
        (lambda held, epsilon, loss: None, NOTHING),
    ):
        observing = fp.from_budget(
            Careful,
            lambda held, pair: held.spend(float(pair.pure_epsilon)),
            fp.PureDP(1.0),
            menu=MENU,
            released=lambda held, pair, loss, told_of=told_of: told_of(held, float(pair.pure_epsilon), loss),
        )
        assert told(observing) == says
