"""What was simulated of odometers, trackers, individual filters and linear queries, beside what each promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filters import (
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
    gaussian_request,
    knowingly,
)
from mc import Approaching, Estimate, LossChasing, simulate_person, simulate_queries, simulate_renyi
from mc.estimate.answer_misses import Answers, answer_misses, answered
from mc.estimate.crossing import crossing
from mc.estimate.simulate import simulate
from mc.estimate.stops import simulate_stop
from reports.pages.looked_at import LookedAt, weakest
from reports.pages.page import Known
from reports.pages.reached import ReachedRow
from reports.pages.trained import CLIP, NOISE, PROMISE, add_trainings
from reports.shown.numbers import percent
from theory.arguments import Real
from theory.evidence import Outcome, Verdict
from theory.guarantees import ZCDP
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse
from theory.pairs.sparse_vector import stop_law

__all__ = [
    "ADVERSARY",
    "BLOCKS",
    "BUDGET",
    "DELTA",
    "EPSILON",
    "KAPPA",
    "MU",
    "NORMS",
    "ODOMETERS",
    "PEOPLE",
    "RENYI",
    "ROUNDS",
    "SIGMA",
    "TRACKERS",
    "WATCHED",
    "Curves",
    "Holders",
    "Participation",
    "drawn",
    "made",
    "participation",
    "simulations",
]

#: The failure probability of every odometer and of an answer's error.
DELTA = 0.05
#: Gaussian rounds of this mu are drawn, so many of them; for the simulation the adversary plays `WATCHED`.
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
#: Norms of the people whose participation is drawn, the noise, and each person's filter.
NORMS, SIGMA, BUDGET = np.geomspace(0.05, 1.0, 2000), 4.0, 1.0
#: Linear queries: people, norm budget, coordinates and privacy.
PEOPLE, NORM_BUDGET, DIMENSION, KAPPA = 100, 20.0, 4, 0.5
_RUNS = 16_000
#: The mu of everybody's filter, norms, noise and rounds: one in which person 0 spends all, and one that stops short.
_Case: TypeAlias = tuple[float, tuple[float, ...], float, int]
_WHOLE: _Case = (BUDGET, (1.0, 2.0, 0.5), SIGMA, 72)
_PARTLY: _Case = (2.0, (1.7, 0.6), 2.5, 30)
#: Values on two neighbouring data sets for which a stop in the last round tells much of them, and e^epsilon of a noise.
_STOP, _OTHERS, _RATIO = (*[-1] * 6, 1), (0,) * 7, Fraction(3, 2)


@dataclass(frozen=True, slots=True)
class Curves:
    """A line for each name over `rounds`, and the truth beside it."""

    rounds: NDArray[np.int64]
    lines: dict[str, NDArray[np.float64]]
    truth: dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Participation:
    """How many people take part in each round, where a shared filter stops, and quantiles of the budget spent.

    spent has a row for each round of `at`, and columns for the 10th, 50th and 90th percentile.
    """

    active: NDArray[np.int64]
    shared: int
    at: tuple[int, ...]
    spent: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Holders:
    """Everything that the pages of the holders show; `reached` are the comparisons, by the key of the page."""

    bounds: Curves
    stairs: Curves
    people: Participation
    answers: Answers
    reached: dict[str, tuple[ReachedRow, ...]]
    verdicts: dict[str, Verdict]
    looked_at: dict[str, tuple[LookedAt, ...]]

    @property
    def typed(self) -> dict[str, str]:
        """Every holder as the command line takes it, by the key of the claim that it was examined for."""
        return {each.key: each.typed for page in self.looked_at.values() for each in page}

    def verdict(self, page: str) -> Verdict:
        """What is known of what the page promises: refuted by a simulation, or what the examinations say."""
        simulated = self.verdicts[page]
        return simulated if simulated.outcome is Outcome.REFUTED else weakest(self.looked_at[page])

    def known(self, page: str) -> Known:
        """The page's line in the table of holders."""
        found, verdict = self.looked_at[page], self.verdict(page)
        parts = verdict.detail.split("; ")
        said = "; ".join(dict.fromkeys((parts[0], parts[-1])))
        return Known(verdict.evidence.name, percent(max(one.near for one in found)), said)

    def facts(self, page: str) -> tuple[tuple[str, str], ...]:
        """The verdict, what joins its theorem to the code, and what was played: all as the examination said it."""
        verdict, found = self.verdict(page), self.looked_at[page]
        simulated = self.verdicts[page]
        return (
            (
                "Verdict",
                f"{verdict.outcome.name}, {verdict.evidence.name}. It covers {verdict.scope}. "
                f"In simulations: {simulated.detail}",
            ),
            ("Theorem", " ".join(f"{one.known}." for one in found)),
            ("Played", " ".join(f"{one.name}: {one.played}." for one in found)),
        )


#: The key of a page, what is estimated, and the work, which gives an estimate beside what is promised.
Simulation: TypeAlias = tuple[str, str, Callable[[], tuple[Estimate, float]]]


def simulations(count: Callable[[], float], size: Callable[[int], int], seed: int) -> list[Simulation]:
    """Every comparison of the holders' pages, of so many runs, each at a confidence that `count` gives."""
    runs = size(_RUNS)
    jobs: list[Simulation] = []

    def add(
        page: str, what: str, promised: Real, simulate: Callable[..., Estimate], *args: Any, **how: Any
    ) -> None:
        work = partial(
            _beside, float(np.asarray(promised)), simulate, *args, seed=seed, confidence=count(), **how
        )
        jobs.append((page, what, work))

    def add_person(what: str, way: str, case: _Case, analysis: Callable[..., Any] = np.positive) -> None:
        mu, norms, sigma, rounds = case
        filt, how = GaussianFilter(mu=mu), {"sigma": sigma, "rounds": rounds, "n": runs // 2}
        at = {"epsilon": EPSILON, "direction": way, "analysis": analysis}
        add("people", what, filt.promise.delta(EPSILON), simulate_person, filt, norms, **how, **at)

    for name, odometer in ODOMETERS.items():
        # the charge of Rogers et al. is a pure epsilon, which a Gaussian has not
        family = RandomizedResponse if isinstance(odometer, RogersOdometer) else Gaussian
        asked = odometer, replace(ADVERSARY, family=family)
        what = f"{name} odometer"
        add("odometers", what, odometer.delta, crossing, *asked, rounds=WATCHED, n=runs, workers=1)
    for name, tracker in TRACKERS.items():
        what, filt, foe = f"{name} tracker", BlockFilter(tracker, BLOCKS), LossChasing(pace=8)
        if isinstance(tracker, RenyiTracker):
            how: dict[str, Any] = {"alpha": tracker.alpha, "n": runs, "workers": 1}
            add("trackers", what, tracker.guarantee(BLOCKS).rho, simulate_renyi, filt, foe, **how)
        else:
            how = {"epsilon": EPSILON, "n": runs, "workers": 1}
            add("trackers", what, filt.promise.delta(EPSILON), simulate, filt, foe, **how)
    for case, more in ((_WHOLE, ""), (_PARTLY, f" of a budget of {_PARTLY[0]:g}, noise {_PARTLY[2]:g}")):
        for way, words in (("PQ", "removed"), ("QP", "added")):
            add_person(f"a person {words}{more}", way, case)
    add_person("a person removed from a Lipschitz analysis", "PQ", _WHOLE, _softened)
    # the probability of a stop in the last round, beside what the other data set's allows
    allowed = float(_RATIO**3 * stop_law(_OTHERS, ratio=_RATIO)[len(_STOP) - 1])
    what = "a stop by the sparse vector technique"
    add("people", what, allowed, simulate_stop, _STOP, ratio=_RATIO, n=runs)
    how = {"norm_budget": NORM_BUDGET, "kappa": KAPPA, "dimension": DIMENSION, "delta": DELTA}
    what = "an answer misses its bound"
    add("queries", what, DELTA, answer_misses, PEOPLE, answers=runs // 6, **how)
    how = {"norm_budget": 4.0, "kappa": KAPPA, "epsilon": EPSILON, "rounds": 22, "n": runs // 4}
    promised = ZCDP(KAPPA).delta(EPSILON)
    add("queries", "a person removed", promised, simulate_queries, (1.0, 2.0), **how)
    add_trainings(add, size)
    return jobs


def _beside(
    promised: float, simulate: Callable[..., Estimate], *args: Any, **given: Any
) -> tuple[Estimate, float]:
    return simulate(*args, **given), promised


def _softened(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """A function of slope at most one."""
    return np.hypot(1.0, sums)


def drawn(seed: int) -> dict[str, Any]:
    """What the pictures show besides, as fields of `Holders`: the odometers' bounds, the trackers' stairs, answers."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    return {
        "bounds": _bounds(),
        "stairs": _stairs(rng),
        "answers": answered(
            PEOPLE,
            norm_budget=NORM_BUDGET,
            kappa=KAPPA,
            dimension=DIMENSION,
            delta=DELTA,
            answers=60,
            rng=rng,
        ),
    }


def made() -> dict[tuple[str, str], Callable[[], Any]]:
    """(page, name) -> how a holder of that page is made: what is examined."""
    filt = GaussianFilter(mu=BUDGET)
    sums = {"trainings": ClippedSums, "clipping": ClippingAfterAdding, "forgetting": ForgettingSums}
    return {
        **{("odometers", name): partial(_same, found) for name, found in ODOMETERS.items()},
        **{("trackers", name): partial(_same, found) for name, found in TRACKERS.items()},
        ("people", "people"): partial(IndividualFilter, filt, 3),
        ("queries", "queries"): partial(LinearQueries, 3, norm_budget=NORM_BUDGET, kappa=KAPPA),
        **{(page, page): partial(_summed, kind) for page, kind in sums.items()},
    }


def _same(held: Any) -> Any:
    return held


def _summed(kind: type[ClippedSums]) -> ClippedSums:
    with knowingly():
        return kind(IndividualFilter(PROMISE, 3), clip=CLIP, sigma=NOISE)


def _bounds() -> Curves:
    """Every odometer over rounds of one mechanism, at about sixty rounds of a log axis; the quantile of the loss."""
    shown = np.unique(np.geomspace(1, ROUNDS, 60).astype(np.int64))
    lines = {}
    for name, odometer in ODOMETERS.items():
        request: DominatingPair = (
            RandomizedResponse(MU) if isinstance(odometer, RogersOdometer) else Gaussian(MU)
        )
        state, line = odometer.start(1), []
        for t in range(1, ROUNDS + 1):
            state = odometer.spend(state, request)
            if t in shown:
                line.append(float(odometer.epsilon(state)[0]))
        lines[name] = np.array(line)
    quantile = np.asarray(Gaussian(MU * np.sqrt(shown)).loss_quantile(DELTA))
    return Curves(shown, lines, {"quantile": quantile})


def _stairs(rng: np.random.Generator) -> Curves:
    """The value of each tracker, and the true sum, over rounds of a level that follows the sign of a random loss."""
    rounds = np.arange(1, 61)
    mu = np.empty(len(rounds))
    loss = 0.0
    for t in range(len(rounds)):
        mu[t] = (0.3 if loss > 0 else 0.12) * rng.random()
        loss += float(Gaussian(mu[t]).sample(rng, 1)[0])
    squares = np.cumsum(mu**2)
    values = {}
    for name, tracker in TRACKERS.items():
        state, line = tracker.start(1), []
        for level in mu:
            state = tracker.spend(state, Gaussian(level))
            line.append(float(tracker.value(state)[0]))
        values[name] = np.array(line)
    alpha = RENYI.alpha
    return Curves(rounds, values, {"Rényi": alpha * squares / 2, "Gaussian": np.sqrt(squares)})


def participation() -> Participation:
    """The people of `NORMS` under a filter each, for `ROUNDS` rounds; the shared filter asks for the largest norm."""
    filt, request = GaussianFilter(mu=BUDGET), gaussian_request(NORMS, SIGMA)
    people = IndividualFilter(filt, len(NORMS))
    at = (1, 3, 10, 25, 50, 100, 200, 400, ROUNDS)
    active, spent = [], []
    for t in range(1, ROUNDS + 1):
        active.append(int(np.count_nonzero(people.select(request))))
        if t in at:
            # what remains is a mu, and squares of mu add up
            left = np.array([people.report_for(i).remaining for i in range(0, len(NORMS), 5)])
            spent.append(np.quantile(1 - (left / BUDGET) ** 2, (0.1, 0.5, 0.9)))
    session, worst = filt.open(), Gaussian(float(np.max(NORMS)) / SIGMA)
    shared = 0
    while session.request(worst):
        shared += 1
    return Participation(np.array(active), shared, at, np.array(spent))
