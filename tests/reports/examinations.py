"""Examinations built by hand, one for each way that an examination can end."""

from dataclasses import replace

import numpy as np

import filterproof as fp
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination import Examination
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stage_finding import STOPPED_AFTER, UNFINISHED, StageFinding, Tightness
from filterproof.mc.examine.trace import trace_of_sequence
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from tests.mc.examine.counterexamples import sequence


class Mine(fp.PrivacyFilter):
    """Admits Gaussians one by one, and forgets what it granted: its promise is false."""

    promise = fp.GaussianDP(mu=1.0)

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return state + request.gdp_mu**2 <= 1.0

    def spend(self, state, request):
        return state + 0 * request.gdp_mu


ADMISSION = StageFinding("admission", "What is granted?", "gaussian up to 1", "gaussian, rr", "sizes between")
H1 = Divergence.hockey_stick(1.0)
D2 = Divergence.renyi(2.0, "QP")


def exam_of(*findings: StageFinding, filt: fp.PrivacyFilter | None = None) -> Examination:
    """These findings about `Mine`, as a person sees them."""
    return Examination(Mine() if filt is None else filt, ("gaussian", "rr"), findings, 7, 1e-6, Mine.promise)


def rows(attack: float = 0.05) -> tuple[Tightness, ...]:
    promised = H1.promised(Mine.promise)
    return (
        Tightness(H1, "a menu, with 50% & under_score", attack, 0.08, promised, Evidence.CERTIFIED),
        Tightness(D2, "four Gaussians", 0.5, None, 1.0, Evidence.CERTIFIED),
        Tightness(Divergence.hockey_stick(9.0), "nothing", 0.0, None, float("inf"), Evidence.EXACT),
    )


def refuted() -> Examination:
    counterexample = sequence(Mine(), fp.Gaussian(1.0), H1, times=4)  # together they are 2-GDP
    finding = StageFinding.from_counterexample(
        "sequences",
        "Does a fixed sequence reveal more than is promised?",
        "gaussian",
        "the sequence",
        counterexample,
        not_tried="sequences that mix <b>families</b> & more",
        tightness=rows(attack=counterexample.data["low"]),
        notes=("a note <worth> knowing",),
        trace=replace(
            trace_of_sequence(counterexample.filter, RequestSequence(((fp.Gaussian(1.0), 4),)), H1),
            curve=((0.0, 0.7, 0.4), (1.0, 0.5, 0.1)),
        ),
    )
    return exam_of(ADMISSION, finding)


def undecided() -> Examination:
    verdict = Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, "all", "nothing found")
    return exam_of(ADMISSION, StageFinding("games", "Lost?", "no", "rr", "longer", verdict, tightness=rows()))


def holds() -> Examination:
    verdict = Verdict(Outcome.HOLDS, Evidence.CITED, "all", "by theorem", citations=("Theorem 1; p. 3",))
    return exam_of(
        ADMISSION, StageFinding("certificate", "By parts?", "yes", "all", "", verdict, covers_all=True)
    )


def faulty() -> Examination:
    return exam_of(
        ADMISSION,
        StageFinding("invariants", "Lawful?", "no", "", "", fault="Mine.spend mutates its state; copy it"),
    )


def denies() -> Examination:
    return exam_of(StageFinding("admission", "What is granted?", "nothing", "gaussian, rr", ""))


def hangs() -> Examination:
    return exam_of(_cut("admission"))


def unanswered() -> Examination:
    return exam_of(ADMISSION, _cut("games"))


def _cut(stage: str) -> StageFinding:
    answer = f"{STOPPED_AFTER} 3 % of the work"
    return StageFinding(stage, "Was the stage finished?", answer, "", UNFINISHED, notes=(answer,))


def disagreement() -> Examination:
    return exam_of(*holds().findings, *refuted().findings[1:])


EVERY = {f.__name__: f for f in (refuted, undecided, holds, faulty, denies, hangs, unanswered, disagreement)}
