"""What was simulated of odometers, trackers, individual filters, queries and trainings, beside what each promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters import (
    BlockFilter,
    ClippedSums,
    ClippingAfterAdding,
    DoublingOdometer,
    ForgettingSums,
    GaussianFilter,
    GaussianTracker,
    IndividualFilter,
    LinearQueries,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RenyiTracker,
    RogersOdometer,
    StitchedOdometer,
    Tracker,
    suppress_unsound_warning,
)
from filterproof.mc import (
    Approaching,
    Estimate,
    LogisticTraining,
    LossChasing,
    Training,
    WithCanary,
    audit_training,
    simulate_person,
    simulate_queries,
    simulate_renyi,
    simulate_training,
)
from filterproof.mc.estimate.answer_misses import answer_misses
from filterproof.mc.estimate.crossing import crossing
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.estimate.stop_probability import simulate_stop
from filterproof.mc.examine.examination import Examination
from filterproof.mc.training.digits import pictures
from filterproof.reports.finding import slug
from filterproof.reports.html_repr.numbers import percent
from filterproof.reports.pages.page import Known
from filterproof.reports.pages.reached_loss import ReachedRow
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.guarantees import ZCDP
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from filterproof.theory.pairs.sparse_vector import stop_law

#: The failure probability of every odometer and of an answer's error.
DELTA = 0.05
#: The mu and the number of the rounds at which an odometer is compared with a quantile; the adversary plays `WATCHED`.
MU, ROUNDS, WATCHED = 0.1, 1000, 150
ODOMETERS: dict[str, Odometer | RogersOdometer] = {
    "Line": LineOdometer(DELTA, target=1.0),
    "Mixture": MixtureOdometer(DELTA, scale=0.1),
    "Stitched": StitchedOdometer(DELTA, first=0.1),
    "Doubling": DoublingOdometer(DELTA, first=0.05),
    "Rogers": RogersOdometer(DELTA, records=1000),
}
ADVERSARY = Approaching(share=0.3, low=0.02, high=1000.0)
#: Trackers of this size and a rule of so many blocks.
BLOCKS = 4
RENYI = RenyiTracker(alpha=8.0, size=0.5)
TRACKERS: dict[str, Tracker] = {"Rényi": RENYI, "Gaussian": GaussianTracker(size=0.5)}
#: The epsilon at which divergences are simulated.
EPSILON = 1.0
#: The noise of an individual filter, and the mu of each person's filter.
SIGMA, BUDGET = 4.0, 1.0
#: Linear queries: people, norm budget, coordinates and privacy.
PEOPLE, NORM_BUDGET, KAPPA = 100, 20.0, 0.5
_QUERIES: dict[str, Any] = {"norm_budget": NORM_BUDGET, "kappa": KAPPA, "dimension": 4, "delta": DELTA}
_RUNS = 16_000
#: The mu of everybody's filter, norms, noise and rounds: one in which person 0 spends all, and one that stops short.
_Case: TypeAlias = tuple[float, tuple[float, ...], float, int]
_WHOLE: _Case = (BUDGET, (1.0, 2.0, 0.5), SIGMA, 72)
_PARTLY: _Case = (2.0, (1.7, 0.6), 2.5, 30)
#: Everyone's filter in a training: a budget of 4 clipped steps; people besides the canary, who is the last, and the
#: epsilon of all divergences.
PROMISE, CLIP, NOISE, CLIPPED_STEPS = GaussianFilter(mu=1.0), 1.0, 2.0, 4
TRAINED, TRAINED_AT = 40, 0.5
#: Steps with filtering, and those of its audit: as many after the budget is spent as before.
_STEPS, _FILTERED = 16, 2 * CLIPPED_STEPS
_TRAINING_RUNS, _AUDITED = 4_000, 4_000
#: The pages of sums that break their promise.
BROKEN: dict[str, type[ClippedSums]] = {"clipping": ClippingAfterAdding, "forgetting": ForgettingSums}
#: Values on two neighbouring data sets for which a stop in the last round tells much of them, and e^epsilon of a noise.
_STOP, _OTHERS, _RATIO = (*[-1] * 6, 1), (0,) * 7, Fraction(3, 2)


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What an examination of an accountant said: its class, the verdict, what its games were worth, how near they came.

    Plain data, since no accountant is sent between processes; `typed` is the accountant as the command line takes it.
    """

    name: str
    typed: str
    verdict: Verdict
    played: str
    near: float

    @classmethod
    def of(cls, examination: Examination) -> Self:
        """What an examination said, without the accountant."""
        played = "; ".join(finding.found for finding in examination.findings if finding.stage == "games")
        near = max((row.share for row in examination.tightness), default=0.0)
        return cls(examination.name, repr(examination.filter), examination.verdict, played, near)

    @property
    def key(self) -> str:
        """The key of the claim that it was examined for."""
        return f"examined-{slug(self.name)}"

    @property
    def known(self) -> str:
        """How much is known, and by what."""
        said = self.verdict
        return f"{self.name}: {said.outcome.name}, {said.evidence.name}. {said.detail}"


def weakest(looked_at: Sequence[LookedAt]) -> Verdict:
    """The verdict of which the least is known: REFUTED before UNDECIDED before HOLDS, then by evidence."""
    order = (Outcome.REFUTED, Outcome.UNDECIDED, Outcome.HOLDS)
    verdicts = [one.verdict for one in looked_at]
    return min(verdicts, key=lambda said: (order.index(said.outcome), -said.evidence.strength))


@dataclass(frozen=True, slots=True)
class AccountantResults:
    """Everything that the pages of the accountants show; `reached` are the comparisons, by the key of the page."""

    reached: dict[str, tuple[ReachedRow, ...]]
    verdicts: dict[str, Verdict]
    looked_at: dict[str, tuple[LookedAt, ...]]

    @property
    def typed(self) -> dict[str, str]:
        """Every accountant as the command line takes it, by the key of the claim that it was examined for."""
        return {each.key: each.typed for page in self.looked_at.values() for each in page}

    def verdict(self, page: str) -> Verdict:
        """What is known of what the page promises: refuted by a simulation, or what the examinations say."""
        simulated = self.verdicts[page]
        return simulated if simulated.outcome is Outcome.REFUTED else weakest(self.looked_at[page])

    def known(self, page: str) -> Known:
        """The page's line in the table of accountants."""
        found, verdict = self.looked_at[page], self.verdict(page)
        parts = verdict.detail.split("; ")
        said = "; ".join(dict.fromkeys((parts[0], parts[-1])))
        return Known(verdict.evidence.name, percent(max(one.near for one in found)), said)

    def facts(self, page: str) -> tuple[tuple[str, str], ...]:
        """The verdict, what joins its theorem to the code, and what was played: all as the examination said it."""
        verdict, found = self.verdict(page), self.looked_at[page]
        simulated = self.verdicts[page]
        said = f"{verdict.outcome.name}, {verdict.evidence.name}. It covers {verdict.scope}."
        return (
            ("Verdict", f"{said} In simulations: {simulated.detail}"),
            ("Theorem", " ".join(f"{one.known}." for one in found)),
            ("Played", " ".join(f"{one.name}: {one.played}." for one in found)),
        )


#: The key of a page, what is estimated, what is promised, and what simulates it.
Simulation: TypeAlias = tuple[str, str, Any, partial[Estimate]]


def simulations(count: Callable[[], float], size: Callable[..., int], seed: int) -> list[Simulation]:
    """Every comparison of the accountants' pages, of so many runs, each at a confidence that `count` gives."""
    jobs = (*_of_filters(size(_RUNS)), *_of_trainings(size))
    return [
        (page, what, float(np.asarray(promised)), partial(work, seed=seed, confidence=count()))
        for page, what, promised, work in jobs
    ]


def _of_filters(runs: int) -> Iterator[Simulation]:
    play: dict[str, Any] = {"n": runs, "workers": 1}
    for name, odometer in ODOMETERS.items():
        # the charge of Rogers et al. is a pure epsilon, which a Gaussian has not
        family = RandomizedResponse if isinstance(odometer, RogersOdometer) else Gaussian
        work = partial(crossing, odometer, replace(ADVERSARY, family=family), rounds=WATCHED, **play)
        yield "odometers", f"{name} odometer", odometer.delta, work
    for name, tracker in TRACKERS.items():
        filt, chaser = BlockFilter(tracker, BLOCKS), LossChasing(pace=8)
        if isinstance(tracker, RenyiTracker):
            promised: Any = tracker.guarantee(BLOCKS).rho
            work = partial(simulate_renyi, filt, chaser, alpha=tracker.alpha, **play)
        else:
            promised = filt.promise.delta(EPSILON)
            work = partial(simulate, filt, chaser, epsilon=EPSILON, **play)
        yield "trackers", f"{name} tracker", promised, work
    partly = f" of a budget of {_PARTLY[0]:g}, noise {_PARTLY[2]:g}"
    for (mu, norms, sigma, rounds), way, what, analysis in (
        (_WHOLE, "PQ", "a person removed", np.positive),
        (_WHOLE, "QP", "a person added", np.positive),
        (_PARTLY, "PQ", f"a person removed{partly}", np.positive),
        (_PARTLY, "QP", f"a person added{partly}", np.positive),
        (_WHOLE, "PQ", "a person removed from a Lipschitz analysis", _softened),
    ):
        game: dict[str, Any] = {"sigma": sigma, "rounds": rounds, "n": runs // 2, "epsilon": EPSILON}
        game |= {"direction": way, "analysis": analysis}
        person = GaussianFilter(mu=mu)
        work = partial(simulate_person, person, norms, **game)
        yield "people", what, person.promise.delta(EPSILON), work
    # the probability of a stop in the last round, beside what the other data set's allows
    allowed = float(_RATIO**3 * stop_law(_OTHERS, ratio=_RATIO)[len(_STOP) - 1])
    work = partial(simulate_stop, _STOP, ratio=_RATIO, n=runs)
    yield "people", "a stop by the sparse vector technique", allowed, work
    work = partial(answer_misses, PEOPLE, answers=runs // 6, **_QUERIES)
    yield "queries", "an answer misses its bound", DELTA, work
    game = {"norm_budget": 4.0, "kappa": KAPPA, "epsilon": EPSILON, "rounds": 22, "n": runs // 4}
    work = partial(simulate_queries, (1.0, 2.0), **game)
    yield "queries", "a person removed", ZCDP(KAPPA).delta(EPSILON), work


def _of_trainings(size: Callable[..., int]) -> Iterator[Simulation]:
    """The same of logistic regression on threes and eights, and a canary."""
    runs, audited = size(_TRAINING_RUNS, quick=1000), size(_AUDITED, quick=800)
    pixels, digit = pictures()
    some = np.flatnonzero((digit == 3) | (digit == 8))[:TRAINED]
    training = WithCanary(LogisticTraining(pixels[some] / 16, digit[some] == 8, rate=0.05), 1e4)
    promised, canary = PROMISE.promise.delta(TRAINED_AT), training.people - 1
    for who, person, steps in (("a canary", canary, _STEPS), ("a digit", 0, CLIPPED_STEPS)):
        for way, words in (("PQ", "removed"), ("QP", "added")):
            at: dict[str, Any] = {"epsilon": TRAINED_AT, "steps": steps, "person": person, "n": runs}
            work = partial(_simulated, training, **at, direction=way)
            yield "trainings", f"{who} {words}, {steps} steps", promised, work
    for page, what, kind, steps, many in (
        # so many that a violation of a fifth would be seen, in the steps that spend the budget or in those after
        ("trainings", f"{_FILTERED} steps with filtering", ClippedSums, _FILTERED, 5 * audited),
        ("clipping", "clipping after adding", BROKEN["clipping"], CLIPPED_STEPS, audited),
        ("forgetting", "forgetting who sat out", BROKEN["forgetting"], _STEPS, audited),
    ):
        at = {"epsilon": TRAINED_AT, "steps": steps, "person": canary, "n": many}
        yield page, f"audited, {what}", promised, partial(_audited, training, kind, **at)


def _simulated(training: Training, **how: Any) -> Estimate:
    # the sums are made where they are played: what makes them cannot be sent to another process
    return simulate_training(training, ClippedSums.making(PROMISE, clip=CLIP, sigma=NOISE), **how)


def _audited(training: Training, kind: type[ClippedSums], **how: Any) -> Estimate:
    with suppress_unsound_warning():
        return audit_training(training, kind.making(PROMISE, clip=CLIP, sigma=NOISE), **how).reached


def _softened(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """A function of slope at most one."""
    return np.hypot(1.0, sums)


def made() -> dict[tuple[str, str], Callable[[], Any]]:
    """(page, name) -> how an accountant of that page is made: what is examined."""
    held: dict[str, dict[str, Any]] = {"odometers": ODOMETERS, "trackers": TRACKERS}
    return {
        **{(page, name): partial(ones.__getitem__, name) for page, ones in held.items() for name in ones},
        ("people", "people"): partial(IndividualFilter, GaussianFilter(mu=BUDGET), 3),
        ("queries", "queries"): partial(LinearQueries, 3, norm_budget=NORM_BUDGET, kappa=KAPPA),
        ("trainings", "trainings"): partial(
            ClippedSums, IndividualFilter(PROMISE, 3), clip=CLIP, sigma=NOISE
        ),
    }


def nearest(name: str) -> tuple[float, int]:
    """How near an odometer comes to the quantile of the loss at one time: the least ratio, and after how many rounds.

    The rounds are of one mechanism, whose zCDP parameter is that of Gaussian(MU).
    """
    odometer = ODOMETERS[name]
    request = RandomizedResponse(MU) if isinstance(odometer, RogersOdometer) else Gaussian(MU)
    state, bounds = odometer.start(1), []
    for _ in range(ROUNDS):
        state = odometer.spend(state, request)
        bounds.append(float(odometer.epsilon(state)[0]))
    rounds = np.arange(1, ROUNDS + 1)
    ratios = np.array(bounds) / np.asarray(Gaussian(MU * np.sqrt(rounds)).loss_isf(DELTA))
    return float(ratios.min()), int(rounds[np.argmin(ratios)])
