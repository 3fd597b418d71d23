"""Denying too much is a finding of its own and refutes nothing."""

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


class Halves(Purse):
    """Never grants a smaller request after a larger one."""

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


def spending(kind: type[Purse], **how: Any) -> Any:
    menu = tuple(map(fp.RandomizedResponse, (0.25, 0.5, 0.75)))
    return fp.from_budget(
        kind, lambda held, pair: held.spend(float(pair.pure_epsilon)), fp.PureDP(1.0), menu=menu, **how
    )


def at_sites(shared: bool) -> Any:
    """A purse for each of two sites, or one for both, and a record that is at one of them."""

    class Sites:
        def __init__(self) -> None:
            self.of: dict[str, Purse] = {}

        def spend(self, epsilon: float, site: str) -> bool:
            return self.of.setdefault("all" if shared else site, Purse()).spend(epsilon)

    keeper = fp.from_budget(
        Sites, lambda held, ask: held.spend(float(ask.unlabelled.pure_epsilon), **ask.labels), fp.PureDP(1.0)
    )
    return fp.LabelledFilter(keeper, labels={"site": ("a", "b")}, over={"site": "a"})


#: What is asked -> the beginning of what is told first.
DENIALS: list[tuple[Any, str]] = [
    (spending(Purse), NOTHING),
    (spending(Careful, released=lambda held, pair, loss: None), NOTHING),
    (at_sites(shared=False), NOTHING),
    (
        spending(Small),
        "denies RandomizedResponse(epsilon=0.5) after 1 use; 2 fit in 1-DP by basic composition",
    ),
    (
        spending(Halves),
        "denies RandomizedResponse(epsilon=0.25) after RandomizedResponse(epsilon=0.75); it fits in 1-DP by basic",
    ),
    (
        spending(Careful, released=lambda held, pair, loss: held.told(float(pair.pure_epsilon), loss)),
        "denies RandomizedResponse(epsilon=0.25) after 2 uses with losses of 0.25 nats; 4 fit in 1-DP by basic "
        "composition",
    ),
    (spending(Eager), "a denial charges: after RandomizedResponse("),
    (
        at_sites(shared=True),
        "others exhaust the limit of the record: after 1 x RandomizedResponse(epsilon=1) at site=b",
    ),
]


@pytest.mark.parametrize(("filt", "words"), DENIALS)
def test_what_fits_and_is_denied_and_what_a_denial_charges_is_told_and_refutes_nothing(
    filt: Any, words: str
) -> None:
    exam = verify(filt, effort=0.05, mechanisms=["rr"], stages=["denials"])
    assert (exam.counterexample, exam.headline) == (None, "UNDECIDED")
    assert exam.not_tried == ""  # denials are no attacks
    (finding,) = (each for each in exam.findings if each.stage == "denials")
    assert any(sentence.startswith(words) for sentence in (finding.result, *finding.notes))
    assert words != NOTHING or finding.notes == ()


@pytest.mark.slow
def test_a_sound_rule_of_a_user_denies_nothing_that_fits_by_every_theorem() -> None:
    class Mine(fp.AdditiveFilter):
        promise = fp.ApproxDP(1.0, 1e-5)
        charge = fp.zcdp_charge

    class Half(Mine):
        budget = fp.Budget.of(0.015)

    for filt, words in (
        (Mine(), NOTHING),
        (Half(), "fit in (1, 1e-05)-DP by basic composition and by the zCDP budget"),
    ):
        exam = verify(filt, effort=0.05, mechanisms=["gaussian", "rr"], stages=["denials"])
        assert any(words in finding.result for finding in exam.findings if finding.stage == "denials")
    assert not any(finding.stage == "denials" for finding in verify(fp.ZCDPFilter(0.5), effort=1e-4).findings)


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
    (finding,) = (each.result for each in exam.findings if each.stage == "denials")
    assert ("a retry is charged again" in finding) is (service is ChargedTwice)
