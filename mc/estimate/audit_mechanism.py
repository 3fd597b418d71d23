"""An audit of a release function: a sequential test of whether the code that draws the noise satisfies its guarantee.

>>> import filterproof as fp
>>> def release(data, rng):
...     return sum(data) + rng.laplace(scale=1.0)
>>> audit = fp.audit_mechanism(release, [1.0, 1.0], [1.0], fp.PureDP(0.5), n=20_000)
>>> audit.verdict.outcome.name, audit.promised
('REFUTED', 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.estimate.drawn_outputs import draw_outputs
from filterproof.mc.intervals.anytime import anytime_mean
from filterproof.mc.intervals.estimate import FAILURE, Estimate
from filterproof.theory.argument_checks import check_count, check_delta
from filterproof.theory.display import Displayed
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import next_above

#: Compared epsilons in addition to the guarantee's own.
_EPSILONS = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
#: The largest compared epsilon. Far below it e^epsilon exceeds the number of samples, and no samples show a violation.
_MAX_EPSILON = 300.0
#: The number of quantile cells of a feature, and the pilot share from which a repeated value has its own cell.
_CELLS, _REPEATED = 64, 1 / 500
#: The largest number of coordinates of an output that are features, and of distinct outputs that are cells.
_MAX_COORDINATES, _MAX_OUTPUTS = 16, 1000
#: The fewest samples that choose an event, and the number of stops in each stage.
_MIN_PILOT, _STOPS = 50, 4


#: A number of each output.
_Feature: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class _OutputEvent:
    """A set of outputs: those whose feature falls into one of the cells."""

    feature: str
    of: _Feature
    repeated: NDArray[np.float64]
    edges: NDArray[np.float64]
    labels: tuple[str, ...] = ()
    cells: tuple[int, ...] = ()

    def cell(self, outputs: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the cell of each output: first the repeated values, then the intervals between edges, then NaN."""
        value = self.of(outputs)
        inside = len(self.repeated) + np.searchsorted(self.edges, value, side="right")
        inside = np.where(np.isnan(value), self.count - 1, inside)
        if not len(self.repeated):
            return np.asarray(inside)
        place = np.minimum(np.searchsorted(self.repeated, value), len(self.repeated) - 1)
        return np.asarray(np.where(self.repeated[place] == value, place, inside))

    @property
    def count(self) -> int:
        """Return the number of cells."""
        return len(self.repeated) + len(self.edges) + 2

    def __str__(self) -> str:
        ends, repeated = [-math.inf, *self.edges, math.inf], len(self.repeated)
        words = [
            f"{self.feature} = {self.labels[cell] if self.labels else f'{self.repeated[cell]:.6g}'}"
            for cell in sorted(self.cells)
            if cell < repeated
        ]
        intervals = [cell - repeated for cell in sorted(self.cells) if repeated <= cell < self.count - 1]
        for first, last in _consecutive_runs(intervals):
            words.append(f"{self.feature} in [{ends[first]:.6g}, {ends[last + 1]:.6g})")
        words += [f"{self.feature} is NaN"] * (self.count - 1 in self.cells)
        more = f", or one of {len(words) - 3} further sets" if len(words) > 3 else ""
        return " or ".join(words[:3]) + more


@dataclass(frozen=True, slots=True, repr=False)
class MechanismAudit(Displayed):
    """Verdict, tested event and confidence interval of a sampled test of a release function.

    Attributes
    ----------
    verdict : Verdict
        REFUTED if the interval lies above the guarantee, else UNDECIDED. Samples never prove a guarantee.
    estimate : Estimate
        P(S) - e^epsilon Q(S) with its confidence interval. Its lower end bounds H_{e^epsilon}(P || Q) from below; its
        upper end says nothing of other events.
    epsilon : float
        In nats.
    promised : float
        The largest H_{e^epsilon} that the guarantee allows.
    event : str
        The set S of outputs.
    exchanged : bool
        Whether P is the distribution on `neighbour` and Q that on `data`.
    stops : tuple of Estimate
        The interval at each time at which the test could stop, the last one as in `estimate`. With
        probability 1 - failure all of them hold, each for the event that was tested then.
    samples : int
        Number of samples drawn on each data set, with those that chose an event.
    """

    verdict: Verdict
    estimate: Estimate
    epsilon: float
    promised: float
    event: str
    exchanged: bool
    stops: tuple[Estimate, ...]
    samples: int

    def __str__(self) -> str:
        return f"{self.verdict}: {self.verdict.detail}"


def audit_mechanism(
    release: Callable[[Any, np.random.Generator], object],
    data: object,
    neighbour: object,
    promise: Guarantee | DominatingPair,
    *,
    epsilons: Sequence[float] | None = None,
    n: int = 100_000,
    seed: int = 0,
    failure: float = FAILURE,
) -> MechanismAudit:
    """Test by samples on two neighbouring data sets whether a release function keeps its guarantee.

        H_{e^epsilon}(P || Q) >= P(S) - e^epsilon Q(S),  P, Q: the outputs on the two data sets, in either order

    Parameters
    ----------
    release : callable
        `release(data, rng)` returns a number or an array of numbers of one shape. It draws all randomness from the
        `numpy.random.Generator`. The test takes its calls as independent: a release keeps nothing from earlier calls,
        such as a result cache or a noise budget.
    data, neighbour : object
        Two neighbouring data sets. Each call gets a deep copy of its own and may change it.
    promise : Guarantee or DominatingPair
        What is claimed of a single release, e.g. `PureDP(1.0)`, or the pair that a filter is asked with.
    epsilons : sequence of float, optional
        In nats, in [0, 300]. The default is a grid from 0 to 4, and the epsilon of the guarantee or pair up to 300.
    n : int, default 100,000
        The most samples on each data set, at least 100. The test stops earlier if it finds a violation.
    seed : int, default 0
        Seed of the generators.
    failure : float, default 1e-6
        Probability that the interval misses, in (0, 1).

    Returns
    -------
    MechanismAudit
        Verdict, interval, epsilon and event.

    Raises
    ------
    ValueError
        If an argument is out of range, outputs have different shapes or are empty, or an integer is no double.
    TypeError
        If outputs are no numbers, the data cannot be copied, or `promise` is neither a guarantee nor a pair.

    Notes
    -----
    The events are unions of cells of one feature: a coordinate, the sum, the largest and the smallest coordinate, the
    direction that separates the two pilot means, and the whole output if few are distinct. Cells are quantiles of the
    pilot and repeated values, in the order of their likelihood ratio. Each stage doubles the number of samples: those
    before it choose S and epsilon, those in it are tested at four stops, by intervals that hold at every stopping time.
    The stages share the failure probability. Outputs are doubles, and -0.0 counts as 0.0. A release that differs on
    other data, on other events or with a probability below about 20/n is not found.

    Examples
    --------
    >>> import filterproof as fp
    >>> def release(data, rng):  # the noise of a count, divided by its dimension
    ...     return len(data) + rng.laplace(scale=1.0, size=4) / 4
    >>> print(fp.audit_mechanism(release, [1, 2], [1], fp.PureDP(4.0), n=20_000).verdict.outcome.name)
    REFUTED
    """
    n = check_count("n", n, least=100)
    seed = check_count("seed", seed, least=0)
    fails = float(check_delta("failure", failure))
    grid = _promised_delta_by_epsilon(promise, epsilons)
    tests: list[_Test] = []
    for test in _tests(release, (data, neighbour), grid, n, seed, fails):
        tests.append(test)
        if test.estimate.low > grid[test.epsilon]:
            break
    event, epsilon, exchanged, estimate, samples = tests[-1]
    promised, order = grid[epsilon], "Q(S) - e^epsilon P(S)" if exchanged else "P(S) - e^epsilon Q(S)"
    bound = f"{order} at epsilon={epsilon:g} is {estimate}; promised at most {promised:.6g}"
    scope = f"the outputs on these two data sets, {samples:,} independent calls on each"
    if estimate.low > promised:
        stored = {
            "kind": "mechanism",
            "epsilon": epsilon,
            "low": estimate.low,
            "promised": promised,
            "seed": seed,
        }
        stored |= {"event": str(event), "exchanged": exchanged, "n": n}
        verdict = Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, f"{bound}; S: {event}", stored)
    else:
        detail = f"No violation found. This is not a proof. {bound}; S: {event}"
        verdict = Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope, detail)
    return MechanismAudit(
        verdict,
        estimate,
        epsilon,
        promised,
        str(event),
        exchanged,
        tuple(stop_test.estimate for stop_test in tests),
        samples,
    )


def _consecutive_runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of consecutive numbers."""
    for _, run in groupby(enumerate(numbers), key=lambda place: place[1] - place[0]):
        members = [number for _, number in run]
        yield members[0], members[-1]


def _promised_delta_by_epsilon(
    promise: Guarantee | DominatingPair, epsilons: Sequence[float] | None
) -> dict[float, float]:
    """Return the delta that the guarantee or pair allows at each epsilon."""
    if isinstance(promise, Guarantee):
        allowed: Callable[[float], float] = lambda epsilon: float(promise.delta(epsilon))  # noqa: E731
    elif isinstance(promise, DominatingPair):
        allowed = lambda epsilon: float(promise.hockey_stick_upper_bound(epsilon))  # noqa: E731
    else:
        raise TypeError(
            f"promise must be a Guarantee or a DominatingPair, got {promise!r}; pass e.g. PureDP(1.0)"
        )
    stated = getattr(promise, "epsilon", None), getattr(promise, "pure_epsilon", None)
    own = {float(epsilon) for epsilon in stated if epsilon is not None and epsilon <= _MAX_EPSILON}
    chosen = sorted({*_EPSILONS, *own} if epsilons is None else {*map(float, epsilons)})
    if not chosen or not all(0 <= epsilon <= _MAX_EPSILON for epsilon in chosen):
        raise ValueError(f"epsilons must be numbers in [0, 300], got {epsilons!r}; pass e.g. [0.5, 1.0]")
    return {epsilon: allowed(epsilon) for epsilon in chosen}


class _Test(NamedTuple):
    event: _OutputEvent
    epsilon: float
    exchanged: bool
    estimate: Estimate
    samples: int


def _tests(
    release: Callable[[Any, np.random.Generator], object],
    data_sets: tuple[object, object],
    grid: dict[float, float],
    n: int,
    seed: int,
    failure: float,
) -> Iterator[_Test]:
    """Yield the test at each stop: all samples before a stage choose its event, and those in it are tested."""
    ends = [n]
    while ends[0] // 2 >= _MIN_PILOT:
        ends.insert(0, ends[0] // 2)
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    widths = set[int]()

    def draw(count: int) -> list[NDArray[np.float64]]:
        outputs = [
            draw_outputs(release, data_set, count, rng)
            for data_set, rng in zip(data_sets, streams, strict=True)
        ]
        widths.update(output.shape[1] for output in outputs)
        if len(widths) > 1:
            raise ValueError(
                "release must return outputs of one shape on both data sets, got several; pad the output"
            )
        return outputs

    drawn = draw(ends[0])
    for begin, end in pairwise(ends):
        event, epsilon, exchanged = _best_event(drawn[0], drawn[1], grid)
        for part in range(1, _STOPS + 1):
            stop = begin + (end - begin) * part // _STOPS
            more = draw(stop - len(drawn[0]))
            drawn = [np.concatenate(both) for both in zip(drawn, more, strict=True)]
            p, q = (output[begin:] for output in (reversed(drawn) if exchanged else drawn))
            estimate = _divergence_estimate(event, p, q, epsilon, failure / (len(ends) - 1))
            yield _Test(event, epsilon, exchanged, estimate, stop)


def _feature_functions(
    p: NDArray[np.float64], q: NDArray[np.float64]
) -> Iterator[tuple[str, _Feature, tuple[str, ...]]]:
    """Yield functions from outputs to numbers, by name; the last one numbers the distinct outputs and names them."""
    size = p.shape[1]
    for k in range(min(size, _MAX_COORDINATES)):
        yield f"output[{k}]" if size > 1 else "output", lambda outputs, k=k: outputs[:, k], ()  # type: ignore[misc]
    if size == 1:
        return
    yield "sum(output)", lambda outputs: outputs.sum(axis=1), ()
    yield "max(output)", lambda outputs: outputs.max(axis=1), ()
    yield "min(output)", lambda outputs: outputs.min(axis=1), ()
    with np.errstate(all="ignore"):
        direction = (p.mean(axis=0) - q.mean(axis=0)) / (p.var(axis=0) + q.var(axis=0))
    if np.isfinite(direction).all() and direction.any():
        yield "the output along the difference of the means", lambda outputs: outputs @ direction, ()
    labels = {row.tobytes(): str(row.tolist()) for row in np.unique(np.concatenate([p, q]), axis=0)}
    if len(labels) <= _MAX_OUTPUTS:
        places = {row: place for place, row in enumerate(labels)}
        number = lambda outputs: np.array([places.get(row.tobytes(), -1) for row in outputs], dtype=float)  # noqa: E731
        yield "output", number, tuple(labels.values())


def _best_event(
    p: NDArray[np.float64], q: NDArray[np.float64], grid: dict[float, float]
) -> tuple[_OutputEvent, float, bool]:
    """Return the event, epsilon and order of the data sets with the largest excess in standard errors on the pilot."""
    best: tuple[float, _OutputEvent, float, bool] | None = None
    n = len(p)
    for name, of, labels in _feature_functions(p, q):
        event = _feature_event(name, of, labels, np.concatenate([of(p), of(q)]))
        counts = [np.bincount(event.cell(sample), minlength=event.count) for sample in (p, q)]
        for exchanged in (False, True):
            mine, other = counts[::-1] if exchanged else counts
            order = np.lexsort((-mine, -(mine + 0.5) / (other + 0.5)))
            order = order[(mine + other)[order] > 0]
            in_p, in_q = np.cumsum(mine[order]) / n, np.cumsum(other[order]) / n
            for epsilon, promised in grid.items():
                factor = math.exp(epsilon)
                # an additional count keeps the variance of an empty event above 0
                variance = in_p * (1 - in_p) + factor**2 * in_q * (1 - in_q) + (1 + factor**2) / n
                score = (in_p - factor * in_q - promised) / np.sqrt(variance / n)
                place = int(np.argmax(score))
                if best is None or score[place] > best[0]:
                    chosen = replace(event, cells=tuple(map(int, order[: place + 1])))
                    best = float(score[place]), chosen, epsilon, exchanged
    assert best is not None
    return best[1:]


def _feature_event(
    name: str, of: _Feature, labels: tuple[str, ...], values: NDArray[np.float64]
) -> _OutputEvent:
    """Return the cells of a feature; `values` are its values on the pilot. Labelled values have a cell each."""
    numbers = values[~np.isnan(values)]
    distinct, times = np.unique(numbers, return_counts=True)
    repeated = distinct if labels else distinct[times > max(_REPEATED * len(values), 5)]
    rest = numbers[~np.isin(numbers, repeated) & np.isfinite(numbers)]
    edges = np.unique(np.quantile(rest, np.linspace(0, 1, _CELLS + 1)[1:-1])) if len(rest) else np.empty(0)
    return _OutputEvent(name, of, repeated, edges, labels)


def _divergence_estimate(
    event: _OutputEvent, p: NDArray[np.float64], q: NDArray[np.float64], epsilon: float, failure: float
) -> Estimate:
    """Return the interval of P(S) - e^epsilon Q(S), the mean over pairs of a sample of P and one of Q."""
    in_p, in_q = (np.isin(event.cell(sample), event.cells) for sample in (p, q))
    both, mine, other = (int(np.count_nonzero(hits)) for hits in (in_p & in_q, in_p & ~in_q, ~in_p & in_q))
    factor = next_above(float(rm.exp(epsilon)))
    return anytime_mean(
        [1 - factor, 1.0, -factor, 0.0],
        [both, mine, other, len(p) - both - mine - other],
        least=-factor,
        most=1.0,
        failure=failure,
    )
