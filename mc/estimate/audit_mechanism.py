"""An audit of a release function: a test of whether the code that draws the noise satisfies its guarantee.

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
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.intervals.counts import clopper_pearson
from filterproof.mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from filterproof.theory.argument_checks import check_count
from filterproof.theory.display import Displayed
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import next_above, next_below

#: Compared epsilons in addition to the guarantee's own.
_EPSILONS = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
#: The largest compared epsilon. Far below it e^epsilon exceeds the number of samples, and no samples show a violation.
_MAX_EPSILON = 300.0
#: The number of quantile cells of a feature, and the pilot share from which a repeated value has its own cell.
_CELLS, _REPEATED = 64, 1 / 500
#: The largest number of coordinates of an output that are features.
_MAX_COORDINATES = 16


@dataclass(frozen=True, slots=True)
class _OutputEvent:
    """A set of outputs: those whose feature falls into one of the cells."""

    feature: str
    of: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    repeated: NDArray[np.float64]
    edges: NDArray[np.float64]
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
            f"{self.feature} = {self.repeated[cell]:.6g}" for cell in sorted(self.cells) if cell < repeated
        ]
        intervals = [cell - repeated for cell in sorted(self.cells) if repeated <= cell < self.count - 1]
        for first, last in _consecutive_runs(intervals):
            words.append(f"{self.feature} in [{ends[first]:.6g}, {ends[last + 1]:.6g})")
        words += [f"{self.feature} is NaN"] * (self.count - 1 in self.cells)
        more = f", or one of {len(words) - 3} further sets" if len(words) > 3 else ""
        return " or ".join(words[:3]) + more


@dataclass(frozen=True, slots=True, repr=False)
class MechanismAudit(Displayed):
    """The result of `audit_mechanism`.

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
    """

    verdict: Verdict
    estimate: Estimate
    epsilon: float
    promised: float
    event: str
    exchanged: bool

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
    confidence: float = CONFIDENCE,
    failure: float | None = None,
) -> MechanismAudit:
    """Test by samples on two neighbouring data sets whether a release function keeps its guarantee.

        H_{e^epsilon}(P || Q) >= P(S) - e^epsilon Q(S),  P, Q: the outputs on the two data sets, in either order

    Parameters
    ----------
    release : callable
        `release(data, rng)` returns a number or an array of numbers of one shape. It draws all randomness from the
        `numpy.random.Generator`.
    data, neighbour : object
        Two neighbouring data sets.
    promise : Guarantee or DominatingPair
        What is claimed of a single release, e.g. `PureDP(1.0)`, or the pair that a filter is asked with.
    epsilons : sequence of float, optional
        In nats, in [0, 300]. The default is a grid from 0 to 4, and the epsilon of the guarantee or pair up to 300.
    n : int, default 100,000
        Number of samples on each data set, at least 100. Half of them choose the event S and epsilon.
    seed : int, default 0
        Seed of the generators.
    confidence : float, default 1 - 1e-6
        Confidence of the interval, in (0, 1).
    failure : float, optional
        Probability that the interval misses, in (0, 1), instead of `confidence`.

    Returns
    -------
    MechanismAudit
        Verdict, interval, epsilon and event.

    Raises
    ------
    ValueError
        If an argument is out of range or outputs have different shapes.
    TypeError
        If outputs are no numbers, or `promise` is neither a guarantee nor a pair.

    Notes
    -----
    The events are unions of cells of one feature: a coordinate, the sum, the largest and the smallest coordinate, and
    the direction that separates the two pilot means. Cells are quantiles of the pilot and repeated values, in the order
    of their likelihood ratio. The interval is that of Clopper and Pearson on samples that the choice has not seen. A
    release that differs on other data, on other events or with a probability below about 20/n is not found.

    Examples
    --------
    >>> import filterproof as fp
    >>> def release(data, rng):  # the noise of a count, divided by its dimension
    ...     return len(data) + rng.laplace(scale=1.0, size=4) / 4
    >>> print(fp.audit_mechanism(release, [1, 2], [1], fp.PureDP(4.0), n=20_000).verdict.outcome.name)
    REFUTED
    """
    n = check_count("n", n, least=100)
    fails = stated_failure(confidence, failure)
    grid = _delta_by_epsilon(promise, epsilons)
    streams = [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(4)]
    pilot_p, pilot_q, p, q = (
        _drawn_outputs(release, one, n // 2, stream)
        for one, stream in zip((data, neighbour) * 2, streams, strict=True)
    )
    if len({one.shape[1] for one in (pilot_p, pilot_q, p, q)}) > 1:
        raise ValueError(
            "release must return outputs of one shape on both data sets, got several; pad the output"
        )
    event, epsilon, exchanged = _best_event(pilot_p, pilot_q, grid)
    estimate = _divergence_estimate(event, *((q, p) if exchanged else (p, q)), epsilon, fails)
    promised, order = grid[epsilon], "Q(S) - e^epsilon P(S)" if exchanged else "P(S) - e^epsilon Q(S)"
    bound = f"{order} at epsilon={epsilon:g} is {estimate}; promised at most {promised:.6g}"
    scope = f"the outputs on these two data sets, {len(p):,} samples of each"
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
    return MechanismAudit(verdict, estimate, epsilon, promised, str(event), exchanged)


def _consecutive_runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of consecutive numbers."""
    for _, run in groupby(enumerate(numbers), key=lambda place: place[1] - place[0]):
        members = [number for _, number in run]
        yield members[0], members[-1]


def _delta_by_epsilon(
    promise: Guarantee | DominatingPair, epsilons: Sequence[float] | None
) -> dict[float, float]:
    """Return the guarantee at each epsilon."""
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


def _drawn_outputs(
    release: Callable[[Any, np.random.Generator], object], data: object, n: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return n outputs as rows of doubles."""
    outputs = [np.asarray(release(data, rng)) for _ in range(n)]
    shapes = {one.shape for one in outputs}
    if len(shapes) > 1:
        raise ValueError(
            f"release must return outputs of one shape, got {sorted(shapes)[:3]}; pad the output"
        )
    drawn = np.array(outputs)
    if drawn.dtype.kind not in "fiub":
        raise TypeError(f"release must return real numbers, got {outputs[0]!r}; return a number or an array")
    return drawn.reshape(n, -1).astype(np.float64)


def _feature_functions(
    p: NDArray[np.float64], q: NDArray[np.float64]
) -> Iterator[tuple[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]]]:
    """Yield functions from outputs to numbers, by name."""
    size = p.shape[1]
    if size == 1:
        yield "output", lambda outputs: outputs[:, 0]
        return
    for k in range(min(size, _MAX_COORDINATES)):
        yield f"output[{k}]", lambda outputs, k=k: outputs[:, k]  # type: ignore[misc]
    yield "sum(output)", lambda outputs: outputs.sum(axis=1)
    yield "max(output)", lambda outputs: outputs.max(axis=1)
    yield "min(output)", lambda outputs: outputs.min(axis=1)
    with np.errstate(all="ignore"):
        direction = (p.mean(axis=0) - q.mean(axis=0)) / (p.var(axis=0) + q.var(axis=0))
    if np.isfinite(direction).all() and direction.any():
        yield "the output along the difference of the means", lambda outputs: outputs @ direction


def _best_event(
    p: NDArray[np.float64], q: NDArray[np.float64], grid: dict[float, float]
) -> tuple[_OutputEvent, float, bool]:
    """Return the event, epsilon and order of the data sets with the largest excess in standard errors on the pilot."""
    best: tuple[float, _OutputEvent, float, bool] | None = None
    n = len(p)
    for name, of in _feature_functions(p, q):
        event = _feature_event(name, of, np.concatenate([of(p), of(q)]))
        counts = [np.bincount(event.cell(one), minlength=event.count) for one in (p, q)]
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
    name: str, of: Callable[[NDArray[np.float64]], NDArray[np.float64]], values: NDArray[np.float64]
) -> _OutputEvent:
    """Return the cells of a feature; `values` are its values on the pilot."""
    numbers = values[~np.isnan(values)]
    distinct, times = np.unique(numbers, return_counts=True)
    repeated = distinct[times > max(_REPEATED * len(values), 5)]
    rest = numbers[~np.isin(numbers, repeated) & np.isfinite(numbers)]
    edges = np.unique(np.quantile(rest, np.linspace(0, 1, _CELLS + 1)[1:-1])) if len(rest) else np.empty(0)
    return _OutputEvent(name, of, repeated, edges)


def _divergence_estimate(
    event: _OutputEvent, p: NDArray[np.float64], q: NDArray[np.float64], epsilon: float, failure: float
) -> Estimate:
    """Return the interval of P(S) - e^epsilon Q(S)."""
    inside = [int(np.isin(event.cell(one), event.cells).sum()) for one in (p, q)]
    mine, other = (clopper_pearson(count, len(p), failure=failure / 2) for count in inside)
    factor = float(rm.exp(epsilon))
    low = next_below(mine.low - next_above(next_above(factor) * other.high))
    high = next_above(mine.high - next_below(next_below(factor) * other.low))
    value = (inside[0] - factor * inside[1]) / len(p)
    return Estimate(min(max(value, low), high), low, high, failure, len(p), "two Clopper-Pearson intervals")
